import { number } from '../../i18n/index.js';

/** The rows of a table before `Show all`. */
export const shownRows = 10;

/** The ranges in hours. */
export const ranges = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24, '90d': 90 * 24 };

/** The time in milliseconds after which the numbers are read again. */
export const refreshTime = 60_000;

/** The time in milliseconds for which panels share a response. */
const sharedTime = 5_000;

/** Reads statistics, of which panels share the request. */
export function read(page, query) {
  const { context } = page;
  const bucket = query.bucket ?? (page.range === '24h' ? 'hour' : 'day');
  const all = { from: new Date(Date.now() - ranges[page.range] * 3_600_000).toISOString(), ...page.filters, ...query, bucket };
  const key = JSON.stringify(query);
  const known = page.cache.get(key);
  if (known && Date.now() - known.at < sharedTime) return known.value;
  const value = context.get(page.package ? ['packages', page.package, 'stats'] : ['stats'], all);
  page.cache.set(key, { at: Date.now(), value });
  return value;
}

/** Reads the statistics of each day, or each hour. */
export function readSeries(page) {
  return read(page, { groupBy: `${page.dimension},event` });
}

/** Reads the statistics of the whole range. */
export function readTotals(page) {
  return read(page, { groupBy: `${page.dimension},event`, bucket: 'all' });
}

/** Returns a length of time in milliseconds, or in seconds from one second on. */
export function milliseconds(value) {
  return value < 1000 ? number(value, { style: 'unit', unit: 'millisecond' })
    : number(value / 1000, { style: 'unit', unit: 'second', maximumFractionDigits: 1 });
}
