import { Problem } from '../../api/client.js';
import { t } from '../../i18n/index.js';

/** Returns whether two values of JSON are equal, whatever the order of their members. */
export function sameValue(one, other) {
  if (one === other) return true;
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => name in other && sameValue(one[name], other[name]));
}

/**
 * Returns the members of an object that were changed, so that a request leaves all others as they are.
 *
 * @param {Object<string, any>} before
 * @param {Object<string, any>} after
 * @returns {Object<string, any>}
 */
export function changedMembers(before, after) {
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !sameValue(before[name], value)));
}

/** Returns the lines of a text that are not blank, without surrounding spaces. */
export function lines(text) {
  return text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
}

/**
 * Returns the settings of `resources` that were entered as JSON; throws a problem at the field if they are none.
 *
 * @param {string} text
 * @returns {any}
 */
export function readResources(text) {
  try {
    return JSON.parse(text.trim() || '{}');
  } catch (/** @type {any} */ error) {
    throw new Problem(t('package.bad-json', { message: error.message }), { status: 400, member: 'resources' });
  }
}
