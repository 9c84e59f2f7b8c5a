import { stackedChart } from '../../charts/index.js';
import { number, t } from '../../i18n/index.js';

/** The number of versions that the chart shows by name. */
const namedVersions = 4;

/** Returns the versions that the chart shows by name, the newest first: the released one, and those with most devices on a day. */
function namedInChart(rows, released) {
  const most = new Map();
  for (const row of rows) most.set(row.version, Math.max(most.get(row.version) ?? 0, row.version === released ? Infinity : row.devices));
  return [...most].sort(([, one], [, other]) => other - one).slice(0, namedVersions).map(([version]) => version)
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
}

/**
 * Returns the chart of the share of each version by day.
 *
 * @param {{day: string, version: string, devices: number}[]} rows of at least two days
 * @param {string | null} released the version that is released to everyone
 * @param {string} summary
 * @returns {HTMLElement}
 */
export function sharesChart(rows, released, summary) {
  const dates = [...new Set(rows.map((row) => row.day))].sort();
  const named = namedInChart(rows, released);
  const at = new Map(rows.map((row) => [`${row.day} ${row.version}`, row.devices]));
  const series = named.map((version, index) => ({
    name: version, colour: /** @type {any} */ (index + 1), points: dates.map((day) => /** @type {[string, number]} */ ([day, at.get(`${day} ${version}`) ?? 0])),
    solid: version === released,
  }));
  const rest = dates.map((day) => /** @type {[string, number]} */ ([day, rows
    .filter((row) => row.day === day && !named.includes(row.version)).reduce((sum, row) => sum + row.devices, 0)]));
  if (rest.some(([, value]) => value > 0)) series.push({ name: t('package.others'), colour: 5, points: rest, solid: false });
  return stackedChart({ title: t('package.share'), summary, series, share: true, x: 'day', formatValue: (value) => number(value) });
}
