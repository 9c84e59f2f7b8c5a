import { dateTime, isServersLanguage, percent, t } from '../../i18n/index.js';
import { audienceRuleText } from '../release/audience-text.js';

/**
 * Returns the percentages of a draft in words.
 *
 * @param {any} draft
 * @returns {string}
 */
export function shareText(draft) {
  if (draft.share === 'plan') return draft.plan.map((step) => percent(step.percent)).join(' → ');
  return draft.share === 'list' ? t('wizard.share.list') : percent(draft.percent);
}

/**
 * Returns when a draft begins, in a few words.
 *
 * @param {any} draft
 * @returns {string}
 */
export function windowText(draft) {
  return draft.start === 'later' && draft.activeTime ? dateTime(draft.activeTime) : t('wizard.start.now');
}

/** Returns a rule of the API as the server writes it in a sentence. */
function serversText({ fact, in: values, notIn, prefix, range }) {
  if (range != null) return `${fact} ${range}`;
  if (notIn) return `${fact} not in ${notIn.join(', ')}`;
  return prefix ? `${fact} begins with ${prefix.join(', ')}` : `${fact} in ${(values ?? []).join(', ')}`;
}

/**
 * Returns why the server left devices out: in the language of the console if a rule of the draft did it.
 *
 * @param {string} reason
 * @param {any[]} rules those of the draft, as the API takes them
 * @returns {string}
 */
export function refusalText(reason, rules) {
  if (isServersLanguage()) return reason;
  const rule = rules.find((each) => reason === `the rule '${serversText(each)}'`);
  return rule ? audienceRuleText(rule) : reason;
}
