/** The most steps of a plan. */
const stepLimit = 50;

/** The percentages that new steps suggest. */
const nextPercents = [1, 5, 10, 25, 50, 100];

/**
 * Adds a step to a plan, before one that reaches everyone.
 *
 * @param {{percent: number, after: string}[]} plan
 * @returns {number} the index of the step; −1 if the plan has the most steps
 */
export function addStep(plan) {
  const last = plan[plan.length - 1];
  if (plan.length >= stepLimit) return -1;
  if (last.percent < 100) return plan.push({ percent: nextPercents.find((each) => each > last.percent) ?? 100, after: later(last.after) }) - 1;
  plan.splice(-1, 0, { percent: middle(plan), after: last.after });
  last.after = later(last.after);
  return plan.length - 2;
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
