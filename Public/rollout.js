import { localTime, number, percent } from './format.js';

/** How many devices a count of the server names, with how many it knows. */
export function reachSentence({ matching, seen, days }) {
  if (seen === 0) return `The server has seen no device of this channel in the last ${days} days: how many get it is not known.`;
  return `About ${number(matching)} of the ${devices(seen)} seen in the last ${days} days get it.`;
}

/** The last percentage that a release reaches by itself. */
export function finalPercent({ percent: now, plan }) {
  return Math.max(now ?? 0, ...(plan ?? []).map((step) => step.percent));
}

/** Whether a release has terms that keep devices out, whatever its percentage is. */
export function hasRules({ rules, excluded, floor }) {
  return Boolean(rules?.length || excluded || floor);
}

/** Whom a release is for now: `everyone`, or the percentage and the conditions. */
export function audience(release) {
  const list = release.whitelist && release.percent < 100 ? `, and the list ${release.whitelist}` : '';
  if (release.percent === 100 && !hasRules(release)) return 'everyone';
  return `${percent(release.percent)}${hasRules(release) ? ' of devices that meet its rules' : ' of devices'}${list}`;
}

/** The audience in a few characters, for a badge. */
export function shortAudience(release) {
  if (release.percent === 100 && !hasRules(release)) return 'everyone';
  return `${percent(release.percent)}${hasRules(release) ? ' by rules' : ''}${release.whitelist ? ' + list' : ''}`;
}

/** The steps of a plan in words. */
export function planText(plan) {
  return plan.map((step) => `${percent(step.percent)} ${step.after === '0s' ? 'at once' : `after ${step.after}`}`).join(', ');
}

/** Reads `1@0s,10@2h,100@1d`; throws an error that says what a plan looks like. */
export function readPlan(text) {
  return text.split(',').map((part) => {
    const match = /^\s*(\d+(?:\.\d{1,2})?)\s*%?\s*@\s*(\d{1,9}[smhd])\s*$/.exec(part);
    if (!match) {
      throw new RangeError(`“${part.trim()}” is no step. Write a percentage, @ and a time with s, m, h or d, such as 1@0s,10@2h,100@1d.`);
    }
    return { percent: Number(match[1]), after: match[2] };
  });
}

/** Whether a version has a pre-release part, or none that the console can tell apart from one. */
export function isPrerelease(version) {
  return !/^\d+(\.\d+)*(\+.*)?$/.test(version);
}

/** `1 device`, `5,120 devices`. */
export function devices(count) {
  return `${number(count)} ${count === 1 ? 'device' : 'devices'}`;
}

/** When a release takes effect, as the middle of a sentence. */
export function moment(activeTime) {
  return activeTime ? `on ${localTime(activeTime)}` : 'at once';
}
