import { localTime, number, percent } from './format.js';

/** Returns a sentence on the number of devices that get a release, and on the number seen. */
export function reachSentence({ matching, seen, days }) {
  if (seen === 0) return `The server has seen no device of this channel in the last ${days} days: how many get it is not known.`;
  return `About ${number(matching)} of the ${devices(seen)} seen in the last ${days} days get it.`;
}

/** Returns the highest percentage that a release reaches without an operator. */
export function finalPercent({ percent: now, plan }) {
  return Math.max(now ?? 0, ...(plan ?? []).map((step) => step.percent));
}

/** Returns whether a release has terms that exclude devices regardless of its percentage. */
export function hasRules({ rules, excluded, floor }) {
  return Boolean(rules?.length || excluded || floor);
}

/** Returns the current audience of a release: `everyone`, or the percentage and the conditions. */
export function audience(release) {
  const list = release.whitelist && release.percent < 100 ? `, and the list ${release.whitelist}` : '';
  if (release.percent === 100 && !hasRules(release)) return 'everyone';
  return `${percent(release.percent)}${hasRules(release) ? ' of devices that meet its rules' : ' of devices'}${list}`;
}

/** Returns a short form of the audience for a badge. */
export function shortAudience(release) {
  if (release.percent === 100 && !hasRules(release)) return 'everyone';
  return `${percent(release.percent)}${hasRules(release) ? ' by rules' : ''}${release.whitelist ? ' + list' : ''}`;
}

/** Returns the steps of a plan as text. */
export function planText(plan) {
  return plan.map((step) => `${percent(step.percent)} ${step.after === '0s' ? 'at once' : `after ${step.after}`}`).join(', ');
}

/** Reads `1@0s,10@2h,100@1d`; throws an error that shows the syntax of a plan. */
export function readPlan(text) {
  return text.split(',').map((part) => {
    const match = /^\s*(\d+(?:\.\d{1,2})?)\s*%?\s*@\s*(\d{1,9}[smhd])\s*$/.exec(part);
    if (!match) {
      throw new RangeError(`“${part.trim()}” is no step. Write a percentage, @ and a time with s, m, h or d, such as 1@0s,10@2h,100@1d.`);
    }
    return { percent: Number(match[1]), after: match[2] };
  });
}

/** Returns whether a version is not numeric, and so may be a pre-release. */
export function isPrerelease(version) {
  return !/^\d+(\.\d+)*(\+.*)?$/.test(version);
}

/** Returns a number of devices such as `1 device` or `5,120 devices`. */
export function devices(count) {
  return `${number(count)} ${count === 1 ? 'device' : 'devices'}`;
}

/** Returns the time from which a release is active, for the middle of a sentence. */
export function moment(activeTime) {
  return activeTime ? `on ${localTime(activeTime)}` : 'at once';
}
