import { baseEvents } from './statistics.js';

/** The events of devices that each signal counts. */
export const eventsOf = {
  failures: ['downloadFailed', 'verifyFailed', 'applyFailed', 'failed'],
  crashes: ['crash'],
  whiteScreens: ['whiteScreen'],
  scriptErrors: ['scriptError'],
  missingResources: ['resourceMissing'],
  loadTime: [],
};

/** The z value of a 95% interval. */
const z = 1.96;

/** Returns the share of devices with an event and its 95% interval by Wilson's formula, in percent. */
export function shareWithInterval(affected, devices) {
  const p = Math.min(1, affected / devices);
  const scale = 1 + z * z / devices;
  const middle = (p + z * z / (2 * devices)) / scale;
  const half = z * Math.sqrt(p * (1 - p) / devices + z * z / (4 * devices * devices)) / scale;
  return { value: p * 100, low: Math.max(0, middle - half) * 100, high: Math.min(1, middle + half) * 100 };
}

/**
 * Returns, by hour, the share of devices with a signal for a version and for all others.
 *
 * @param {any[]} rows statistics by hour, version and event
 * @param {string} version
 * @param {string} metric
 * @returns {{own: {x: string, value: number, low: number, high: number}[], control: {x: string, value: number}[]}}
 */
export function failureSeries(rows, version, metric) {
  const hours = new Map();
  for (const row of rows) {
    const hour = hours.get(row.start) ?? { own: { base: 0, bad: 0 }, others: new Map() };
    hours.set(row.start, hour);
    let sums = hour.own;
    if (row.version !== version) {
      sums = hour.others.get(row.version) ?? { base: 0, bad: 0 };
      hour.others.set(row.version, sums);
    }
    if (baseEvents.includes(row.event)) sums.base = Math.max(sums.base, row.devices);
    if (eventsOf[metric]?.includes(row.event)) sums.bad += row.devices;
  }
  const own = [];
  const control = [];
  for (const [x, hour] of [...hours].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (hour.own.base > 0) own.push({ x, ...shareWithInterval(hour.own.bad, Math.max(hour.own.base, hour.own.bad)) });
    const others = [...hour.others.values()].reduce((sum, each) => ({ base: sum.base + each.base, bad: sum.bad + each.bad }), { base: 0, bad: 0 });
    if (others.base > 0) control.push({ x, value: Math.min(100, others.bad / others.base * 100) });
  }
  return { own, control };
}

/**
 * Returns the devices that applied a version since a time, added up by hour.
 *
 * @returns {[string, number][]}
 */
export function appliedSeries(rows, version) {
  let sum = 0;
  return rows.filter((row) => row.version === version && row.event === 'applied').sort((one, other) => (one.start < other.start ? -1 : 1))
    .map((row) => {
      sum += row.devices;
      return [row.start, sum];
    });
}
