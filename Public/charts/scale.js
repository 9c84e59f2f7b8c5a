/**
 * Returns a scale from the values between `low` and `high` to the coordinates between `start` and `end`. A single value has the
 * coordinate in the middle.
 *
 * @returns {import('./types.js').Scale}
 */
export function linearScale(low, high, start, end) {
  const scale = (value) =>
    high === low ? (start + end) / 2 : start + ((value - low) / (high - low)) * (end - start);
  return Object.assign(scale, { low, high });
}

/** Returns the smallest step of 1, 2, 2.5 or 5 times a power of ten that divides a range into at most `most` − 1 intervals. */
function niceStep(low, high, most, wholeNumbers) {
  let power = Math.floor(Math.log10((high - low) / most)) - 1;
  for (;; power += 1) {
    for (const factor of [1, 2, 2.5, 5]) {
      const step = tidy(factor * 10 ** power);
      if (wholeNumbers && !Number.isInteger(step)) continue;
      if (tidy(Math.ceil(tidy(high / step)) - Math.floor(tidy(low / step))) < most) return step;
    }
  }
}

/** Returns round values in ascending order, from at most `low` to at least `high`: 4 to 6 of them with the default `most`. */
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
