import { baseEvents } from './statistics.js';

/** The events of devices that each signal counts. */
const eventsOf = {
  failures: ['downloadFailed', 'verifyFailed', 'applyFailed', 'failed'],
  crashes: ['crash'],
  whiteScreens: ['whiteScreen'],
  scriptErrors: ['scriptError'],
  missingResources: ['resourceMissing'],
  loadTime: [],
};

/** The z value of a 95% interval. */
const z = 1.96;

/**
 * Returns the share of devices with an event and its 95% interval by Wilson's formula, in percent.
 *
 * @param {number} affected
 * @param {number} devices
 * @returns {{value: number, low: number, high: number}}
 */
export function shareWithInterval(affected, devices) {
  const p = Math.min(1, affected / devices);
  const scale = 1 + z * z / devices;
  const middle = (p + z * z / (2 * devices)) / scale;
  const half = z * Math.sqrt(p * (1 - p) / devices + z * z / (4 * devices * devices)) / scale;
  return { value: p * 100, low: Math.max(0, middle - half) * 100, high: Math.min(1, middle + half) * 100 };
}

/**
 * Returns the bytes per second of each full hour in which devices downloaded a version, as if all had taken the full archive.
 * Days are left out, because their mean hides an hour over the limit.
 *
 * @param {{start: string, reports: number, span?: string}[]} rows the statistics of the downloads by hour
 * @param {number} archiveBytes
 * @param {number} [now]
 * @returns {[string, number][]}
 */
export function downloadRates(rows, archiveBytes, now = Date.now()) {
  const hours = rows.filter((row) => row.span !== 'day' && Date.parse(row.start) + 3_600_000 <= now);
  return hours.map((row) => [row.start, row.reports * archiveBytes / 3_600]);
}

/**
 * Returns the time until which the download slots of a release are in force: as long after its activeTime as before it.
 *
 * @param {string} from the beginning of the first slot
 * @param {string} activeTime
 * @returns {number}
 */
export function slotsEnd(from, activeTime) {
  return 2 * Date.parse(activeTime) - Date.parse(from);
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
 * @param {any[]} rows statistics by hour, version and event
 * @param {string} version
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

/**
 * Returns the groups of devices with the share that has a signal, the largest share first.
 *
 * @param {any[]} rows statistics by a dimension and event
 * @param {string} dimension such as `platform`
 * @param {string} metric
 * @returns {{name: string, affected: number, devices: number, percent: number}[]}
 */
export function sharesBy(rows, dimension, metric) {
  const groups = new Map();
  for (const row of rows) {
    const sums = groups.get(row[dimension]) ?? { affected: 0, devices: 0 };
    groups.set(row[dimension], sums);
    if (baseEvents.includes(row.event)) sums.devices = Math.max(sums.devices, row.devices);
    if (eventsOf[metric]?.includes(row.event)) sums.affected += row.devices;
  }
  return [...groups].filter(([name, sums]) => name && sums.devices > 0)
    .map(([name, sums]) => ({ name, ...sums, percent: Math.min(100, sums.affected / sums.devices * 100) }))
    .sort((one, other) => other.percent - one.percent || other.devices - one.devices);
}
