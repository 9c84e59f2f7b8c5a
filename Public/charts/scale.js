/**
 * A function that maps a value of the domain to a coordinate, with the values it maps between.
 * @typedef {((value: number) => number) & {low: number, high: number}} Scale
 */

/**
 * Returns a linear scale. A domain of one value maps to the middle of the range.
 *
 * @param {number} low the first value of the domain
 * @param {number} high the last value of the domain
 * @param {number} start the coordinate of `low`
 * @param {number} end the coordinate of `high`
 * @returns {Scale}
 */
export function linearScale(low, high, start, end) {
  const scale = (/** @type {number} */ value) =>
    high === low ? (start + end) / 2 : start + ((value - low) / (high - low)) * (end - start);
  return Object.assign(scale, { low, high });
}

/**
 * Returns the smallest step of the form 1, 2, 2.5 or 5 times a power of ten that divides a range into at most
 * `most` − 1 intervals.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} most the largest number of ticks
 * @param {boolean} [wholeNumbers] whether the step is a whole number
 * @returns {number}
 */
export function niceStep(low, high, most, wholeNumbers = false) {
  let power = Math.floor(Math.log10((high - low) / most)) - 1;
  for (;; power += 1) {
    for (const factor of [1, 2, 2.5, 5]) {
      const step = tidy(factor * 10 ** power);
      if (wholeNumbers && !Number.isInteger(step)) continue;
      if (tidy(Math.ceil(tidy(high / step)) - Math.floor(tidy(low / step))) < most) return step;
    }
  }
}

/**
 * Returns round values whose first is at most `low` and whose last is at least `high`: 4 to 6 of them with the
 * default `most`.
 *
 * @param {number} low
 * @param {number} high
 * @param {{most?: number, wholeNumbers?: boolean}} [options]
 * @returns {number[]} in ascending order
 */
export function niceTicks(low, high, { most = 6, wholeNumbers = false } = {}) {
  let last = high;
  if (last <= low) last = low + (wholeNumbers ? 3 : Math.abs(low) || 1);
  if (wholeNumbers) last = Math.max(last, low + 3);
  const step = niceStep(low, last, most, wholeNumbers);
  return multiples(step, Math.floor(tidy(low / step)), Math.ceil(tidy(last / step)));
}

/**
 * Returns the round values inside a range, at most `most` of them.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} [most]
 * @returns {number[]} in ascending order
 */
export function ticksWithin(low, high, most = 6) {
  if (high <= low) return [low];
  const step = niceStep(low, high, most);
  return multiples(step, Math.ceil(tidy(low / step)), Math.floor(tidy(high / step)));
}

function multiples(step, first, last) {
  return Array.from({ length: last - first + 1 }, (_, index) => tidy((first + index) * step) + 0);
}

/** Removes the error of binary fractions, such as that of 0.1 + 0.2. */
function tidy(value) {
  return Number(value.toPrecision(12));
}

const minute = 60_000;
const hour = 60 * minute;
const shortSteps = [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720].map((count) => count * minute);
const daySteps = [1, 2, 3, 5, 7, 14];
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120];

/**
 * Returns round instants inside a range, in the zone of the viewer: minutes, hours, midnights or first days of months.
 * The step is the smallest one that gives at most `most` instants.
 *
 * @param {number} from milliseconds since 1970
 * @param {number} to
 * @param {number} [most]
 * @returns {{instants: number[], unit: 'time' | 'day'}} the instants, and what to write of them
 */
export function timeTicks(from, to, most = 6) {
  const fits = (/** @type {number[]} */ instants) => instants.length <= most;
  const useful = (/** @type {number} */ length) => (to - from) / length <= most + 1;
  for (const step of shortSteps.filter(useful)) {
    const instants = partsOfDays(from, to, step);
    if (fits(instants)) return { instants, unit: 'time' };
  }
  for (const step of daySteps.filter((count) => useful(count * 24 * hour))) {
    const instants = midnights(from, to, step);
    if (fits(instants)) return { instants, unit: 'day' };
  }
  for (const step of monthSteps) {
    const instants = firstDays(from, to, step);
    if (fits(instants)) return { instants, unit: 'day' };
  }
  return { instants: [from, to], unit: 'day' };
}

function partsOfDays(from, to, step) {
  const instants = [];
  for (const midnight of midnights(startOfDay(from), to, 1)) {
    const next = addDays(midnight, 1);
    for (let offset = 0; offset < 24 * hour; offset += step) {
      const instant = atOffset(midnight, offset);
      if (instant >= from && instant <= to && instant < next && instant !== instants.at(-1)) instants.push(instant);
    }
  }
  return instants;
}

function midnights(from, to, step) {
  const instants = [];
  let instant = startOfDay(from);
  if (instant < from) instant = addDays(instant, 1);
  // The count of days since 1970 selects the midnights, so that the ticks stay when the range moves on.
  while (dayNumber(instant) % step !== 0) instant = addDays(instant, 1);
  for (; instant <= to; instant = addDays(instant, step)) instants.push(instant);
  return instants;
}

function firstDays(from, to, step) {
  const start = new Date(from);
  const instants = [];
  for (let month = start.getFullYear() * 12 + start.getMonth(); ; month += 1) {
    const instant = new Date(Math.floor(month / 12), month % 12, 1).getTime();
    if (instant > to) return instants;
    if (instant >= from && month % step === 0) instants.push(instant);
  }
}

function startOfDay(instant) {
  return new Date(instant).setHours(0, 0, 0, 0);
}

/** Returns the instant at which a clock on the wall has moved on; a day with a change of the clock has 23 or 25 hours. */
function atOffset(midnight, offset) {
  return new Date(midnight).setHours(Math.floor(offset / hour), (offset % hour) / minute);
}

function addDays(midnight, count) {
  const date = new Date(midnight);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + count).getTime();
}

function dayNumber(midnight) {
  const date = new Date(midnight);
  return Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / (24 * hour));
}
