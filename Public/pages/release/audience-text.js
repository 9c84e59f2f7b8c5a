import { has, list, percent, t } from '../../i18n/index.js';

/**
 * Returns the share of a step of a rollout plan: of everyone, if the rules do not apply from it on.
 *
 * @param {{percent: number, withoutRules?: boolean}} step
 * @returns {string}
 */
export function stepText({ percent: share, withoutRules }) {
  if (!withoutRules) return percent(share);
  return share === 100 ? t('plan.everyone') : t('plan.of-everyone', { percent: percent(share) });
}

/**
 * Returns the shares of a rollout plan in their order.
 *
 * @param {{percent: number, withoutRules?: boolean}[]} plan
 * @returns {string}
 */
export function planText(plan) {
  return plan.map(stepText).join(' → ');
}

/** Returns whether a release has not reached a step of its plan; the rules of a release are those that still apply. */
export function isAhead(step, release) {
  return step.percent > release.percent || Boolean(step.withoutRules && release.rules?.length);
}

/** Returns the first step of a release's plan that it has not reached, or `null`. */
export function nextStep(release) {
  return release.plan?.find((step) => isAhead(step, release)) ?? null;
}

/** Returns the name of a device's fact; an attribute of the app has none but its own. */
export const factName = (fact) => (has(`release.fact.${fact}`) ? t(`release.fact.${fact}`) : fact);

/** Returns the name of a fact's value, such as `Wi-Fi`, or the value itself. */
export function factValue(fact, value) {
  const key = `release.value.${fact}.${String(value).toLowerCase()}`;
  return has(key) ? t(key) : String(value);
}

/** Returns a rule of the audience in words. */
export function audienceRuleText(rule) {
  const fact = factName(rule.fact);
  const values = (all = []) => list(all.map((each) => factValue(rule.fact, each)));
  if (rule.range != null) return t('release.audience-range', { fact, range: rule.range });
  if (rule.notIn) return t('release.audience-not-in', { fact, values: values(rule.notIn) });
  if (rule.prefix) return t('release.audience-prefix', { fact, values: list(rule.prefix) });
  return t('release.audience-in', { fact, values: values(rule.in) });
}
