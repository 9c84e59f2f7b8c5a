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
function niceStep(low, high, most, wholeNumbers = false) {
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
 * @param {{most?: number, wholeNumbers?: boolean}} options
 * @returns {number[]} in ascending order
 */
export function niceTicks(low, high, { most = 6, wholeNumbers = false } = {}) {
  let last = high;
  if (last <= low) last = low + (wholeNumbers ? 3 : Math.abs(low) || 1);
  if (wholeNumbers) last = Math.max(last, low + 3);
  const step = niceStep(low, last, most, wholeNumbers);
  return multiples(step, Math.floor(tidy(low / step)), Math.ceil(tidy(last / step)));
}

function multiples(step, first, last) {
  return Array.from({ length: last - first + 1 }, (_, index) => tidy((first + index) * step) + 0);
}

/** Removes the error of binary fractions, such as that of 0.1 + 0.2. */
function tidy(value) {
  return Number(value.toPrecision(12));
}
