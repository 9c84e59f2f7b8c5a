import { percent, t } from '../../i18n/index.js';

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

/** Returns the earliest time of the next step of a plan; `null` if only the verdict is missing, or no step follows. */
export function nextStepTime({ nextStepAt, nextStepFrom, verdict }, now = Date.now()) {
  if (nextStepAt) return nextStepAt;
  const isCooling = verdict?.state === 'cooling-down' && Date.parse(verdict.since) > Date.parse(nextStepFrom);
  const from = isCooling ? verdict.since : nextStepFrom;
  return Date.parse(from) > now ? from : null;
}

/** Returns the first step of a release's plan that it has not reached, or `null`. */
export function nextStep(release) {
  return release.plan?.find((step) => isAhead(step, release)) ?? null;
}
