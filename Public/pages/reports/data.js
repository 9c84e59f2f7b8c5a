/** The kinds of failures, with the events that show them. */
export const failureKinds = {
  whiteScreen: ['whiteScreen'], scriptError: ['scriptError'], crash: ['crash'], resourceMissing: ['resourceMissing'],
  download: ['downloadFailed', 'verifyFailed'], apply: ['applyFailed', 'failed', 'rolledBack'],
};

/** The events that show that a device uses a version. */
const usage = ['opened', 'pageLoad', 'activated'];

/** The kinds of failures by their events. */
export const kindOf = new Map(Object.entries(failureKinds).flatMap(([kind, events]) => events.map((event) => [event, kind])));

/**
 * Returns the statistics of each version, or of each package, over the whole range.
 *
 * @param {any[]} rows the rows of the statistics by `dimension` and event
 * @param {'version' | 'package'} dimension
 * @returns {import('../../types.js').Totals[]}
 */
export function totals(rows, dimension) {
  const found = new Map();
  for (const row of rows) {
    const entry = found.get(row[dimension]) ?? { name: row[dimension], opened: 0, kinds: {}, failures: 0, load: null };
    found.set(row[dimension], entry);
    const kind = kindOf.get(row.event);
    if (usage.includes(row.event)) entry.opened = Math.max(entry.opened, row.devices);
    if (kind) {
      entry.kinds[kind] = (entry.kinds[kind] ?? 0) + row.devices;
      entry.failures += row.devices;
    }
    if (row.event === 'pageLoad' && row.durations) entry.load = row.durations;
  }
  return [...found.values()].map((entry) => ({ ...entry, rate: share(entry.failures, entry.opened) }));
}

/**
 * Returns the failures of 100 devices at each time, by version or package.
 *
 * @returns {Map<string, [string, number | null][]>}
 */
export function rates(rows, dimension) {
  const starts = [...new Set(rows.map((row) => row.start))].sort();
  const byTime = new Map(starts.map((start) => [start, new Map(totals(rows.filter((row) => row.start === start), dimension).map((each) => [each.name, each.rate]))]));
  const names = new Set(rows.map((row) => row[dimension]));
  return new Map([...names].map((name) => [name, starts.map((start) => [start, byTime.get(start)?.get(name) ?? null])]));
}

/** Compares two versions by their numbers, the newer one first. */
export function compareVersions(one, other) {
  return other.localeCompare(one, 'en', { numeric: true });
}

/** Returns the entry whose failures stand out: at least twice those of all others together, on at least `least` devices. */
export function outlier(/** @type {import('../../types.js').Totals[]} */ entries, least = 30) {
  const known = entries.filter((entry) => entry.rate !== null && entry.opened >= least).sort((one, other) => (other.rate ?? 0) - (one.rate ?? 0));
  const [worst, ...rest] = known;
  if (!worst?.rate || worst.failures < 3) return null;
  const opened = rest.reduce((sum, entry) => sum + entry.opened, 0);
  const others = share(rest.reduce((sum, entry) => sum + entry.failures, 0), opened);
  return others !== null && worst.rate >= others * 2 ? { ...worst, others } : null;
}

function share(part, whole) {
  return whole > 0 ? part / whole * 100 : null;
}
