import { percent, t } from '../../i18n/index.js';

/**
 * Returns the limits of a health rule, such as `above 1%, or 25% above the control group`.
 *
 * @param {any} rule
 * @returns {string}
 */
export function limitText(rule) {
  const limits = [];
  if (rule.ceiling != null) limits.push(t('release.limit-ceiling', { percent: percent(rule.ceiling) }));
  if (rule.aboveControl != null) limits.push(t('release.limit-control', { percent: percent(rule.aboveControl) }));
  return limits.join(t('release.limit-or'));
}
