/** The lengths of units in milliseconds; a month has at most 31 days. */
const lengths = { minute: 60_000, day: 86_400_000, month: 31 * 86_400_000 };

/** The instants in the zone of the viewer by the units since 1970. */
const instants = {
  minute: (count) => new Date(1970, 0, 1, 0, count), day: (count) => new Date(1970, 0, 1 + count), month: (count) => new Date(1970, count, 1),
};

/** The steps between ticks, the shortest first. */
const steps = /** @type {[string, number[]][]} */ ([
  ['minute', [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720]], ['day', [1, 2, 3, 5, 7, 14]], ['month', [1, 2, 3, 6, 12, 24, 60, 120]],
]).flatMap(([unit, counts]) => counts.map((count) => ({ unit, count, length: lengths[unit] * count })));

/**
 * Returns at most `most` round instants inside a range: minutes, hours, midnights or first days of months.
 *
 * @returns {{instants: number[], unit: 'time' | 'day'}} the instants, and what to write of them
 */
export function timeTicks(from, to, most = 6) {
  for (const step of steps.filter(({ unit, length }) => unit === 'month' || (to - from) / length <= most + 1)) {
    const found = roundInstants(from, to, step, most);
    if (found.length <= most) return { instants: found, unit: step.unit === 'minute' ? 'time' : 'day' };
  }
  return { instants: [from, to], unit: 'day' };
}

/** Returns the multiples of a step since 1970, which stay when the range moves on; at most one more than `most`. */
function roundInstants(from, to, { unit, count, length }, most) {
  const found = [];
  // The zone and its changes move an instant by less than a day.
  for (let index = Math.floor((from - lengths.day) / length); found.length <= most; index += 1) {
    const instant = instants[unit](index * count).getTime();
    if (instant > to) break;
    // An hour that the clock skips has the instants of the next one.
    if (instant >= from && instant > (found.at(-1) ?? -Infinity)) found.push(instant);
  }
  return found;
}
