import { zone } from '../i18n/times.js';
import { alias } from './alias.js';
import { h } from './dom.js';

/**
 * Returns an instant as the local date and time that a field of the browser shows.
 *
 * @param {string | number | Date | null | undefined} instant
 * @returns {string} such as `2026-11-24T15:30`; empty without an instant
 */
export function localValue(instant) {
  if (instant == null || instant === '') return '';
  const date = new Date(instant);
  const two = (value) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/**
 * Returns the instant of a local date and time.
 *
 * @param {string} local
 * @returns {string | null} in UTC to the second; `null` if the text is empty or no date
 */
export function instantOf(local) {
  const date = new Date(local || NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString().replace(/\.\d+Z$/, 'Z');
}

/**
 * Returns a field for an instant in the viewer's zone. `value` of the element is the instant in UTC, or `null`.
 *
 * @param {{value?: string | null, name?: string, onchange?: (value: string | null) => void, [attribute: string]: any}} options
 * @returns {any}
 */
export function dateTimeInput({ value = null, name, onchange, ...attributes } = {}) {
  const shownZone = h('span', { class: 'zone' });
  const input = h('input', {
    type: 'datetime-local', class: 'input', ...attributes,
    onchange: () => {
      showZone();
      onchange?.(instantOf(input.value));
    },
  });
  const showZone = () => { shownZone.textContent = zone(new Date(instantOf(input.value) ?? Date.now()).getTime()); };
  input.value = localValue(value);
  showZone();
  const element = h('div', { class: 'joined', 'data-name': name }, input, shownZone);
  element.focusTarget = input;
  return alias(element, 'value', () => instantOf(input.value), (next) => {
    input.value = localValue(next);
    showZone();
  });
}
