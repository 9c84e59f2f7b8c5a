import { seconds } from './draft.js';

/** The most steps of a plan. */
const stepLimit = 50;

/** The percentages that new steps suggest. */
const nextPercents = [1, 5, 10, 25, 50, 100];

/**
 * Adds a step to a plan, before one that reaches everyone.
 *
 * @param {{percent: number, after: string, withoutRules?: boolean}[]} plan
 * @returns {number} the index of the step; −1 if the plan has the most steps
 */
export function addStep(plan) {
  if (plan.length >= stepLimit) return -1;
  const beyond = plan[plan.length - 1].withoutRules ? plan.pop() : null;
  const last = plan[plan.length - 1];
  let index = plan.length;
  if (last.percent < 100) plan.push({ percent: nextPercents.find((each) => each > last.percent) ?? 100, after: later(last.after) });
  else {
    index -= 1;
    plan.splice(-1, 0, { percent: middle(plan), after: last.after });
    last.after = later(last.after);
  }
  if (beyond) {
    const end = plan[plan.length - 1].after;
    plan.push(seconds(beyond.after) > seconds(end) ? beyond : { ...beyond, after: later(end) });
  }
  return index;
}

/**
 * Adds the step that drops the audience rules to a plan.
 *
 * @param {{percent: number, after: string, withoutRules?: boolean}[]} plan
 * @returns {number} the index of the step; −1 if the plan has the most steps
 */
export function addStepWithoutRules(plan) {
  if (plan.length >= stepLimit) return -1;
  return plan.push({ percent: 100, after: later(plan[plan.length - 1].after), withoutRules: true }) - 1;
}

/** Returns a percentage between the last two steps. */
function middle(plan) {
  const before = plan.length > 1 ? plan[plan.length - 2].percent : 0;
  return nextPercents.find((each) => each > before && each < 100) ?? Number(((before + 100) / 2).toFixed(2));
}

/** Returns a duration a day after another one. */
function later(text) {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [null, '0', 'h'];
  if (unit === 'd') return `${Number(count) + 1}d`;
  return unit === 'h' ? `${Number(count) + 24}h` : '1d';
}
