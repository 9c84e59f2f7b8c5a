import { duration } from '../../i18n/times.js';

const unitSeconds = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Returns the seconds of a duration of the API, such as `90m`. */
export function secondsOf(text) {
  let sum = 0;
  for (const [, count, unit] of (text ?? '').matchAll(/(\d+)([smhd])/g)) sum += Number(count) * unitSeconds[unit];
  return sum;
}

/** Returns a duration of the API in words. */
export function durationText(text) {
  return duration(secondsOf(text));
}
