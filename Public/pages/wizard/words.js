import { dateTime, percent, t } from '../../i18n/index.js';
import { zone } from '../../i18n/times.js';
import { planText } from '../release/plan-text.js';
import { planOf } from './draft.js';

/**
 * Returns the percentages of a draft in words.
 *
 * @param {any} draft
 * @returns {string}
 */
export function shareText(draft) {
  if (draft.share === 'plan') return planText(planOf(draft));
  return draft.share === 'list' ? t('wizard.share.list') : percent(draft.percent);
}

/**
 * Returns when a draft begins, in a few words.
 *
 * @param {any} draft
 * @returns {string}
 */
export function startText(draft) {
  return draft.start === 'later' && draft.activeTime ? zonedTime(draft.activeTime) : t('wizard.start.now');
}

/** Returns the day and the time of an instant with the viewer's zone. */
export const zonedTime = (instant) => `${dateTime(instant)} ${zone(instant)}`;
