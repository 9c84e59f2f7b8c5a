import { list, percent, t } from '../../i18n/index.js';

/**
 * Returns the percentages of a rollout plan in their order.
 *
 * @param {{percent: number}[]} plan
 * @returns {string}
 */
export function planText(plan) {
  return plan.map((step) => percent(step.percent)).join(' → ');
}

/**
 * Returns the name of a device's fact.
 *
 * @param {string} fact
 * @returns {string}
 */
export function factName(fact) {
  return fact.startsWith('attr.') ? fact : t(`release.fact.${fact}`);
}

/**
 * Returns a rule of the audience in words.
 *
 * @param {any} rule
 * @returns {string}
 */
export function audienceRuleText(rule) {
  const fact = factName(rule.fact);
  if (rule.range != null) return t('release.audience-range', { fact, range: rule.range });
  if (rule.notIn) return t('release.audience-not-in', { fact, values: list(rule.notIn) });
  if (rule.prefix) return t('release.audience-prefix', { fact, values: list(rule.prefix) });
  return t('release.audience-in', { fact, values: list(rule.in ?? []) });
}
