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

/** Returns the instant of a time of day. A day on which the clock changes has 23 or 25 hours. */
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
