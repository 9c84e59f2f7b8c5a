import { dateTime, day, number } from '../i18n/index.js';

const dayLength = 86_400_000;

/**
 * Returns what a chart draws: series with numeric x values, the axes, and the texts of each value.
 *
 * @param {'line' | 'stack' | 'bars'} kind
 * @param {import('./types.js').ChartOptions} options
 * @param {ReturnType<typeof xAxis>} axis
 * @param {any[]} series
 * @param {number[]} ticks of the y axis
 * @param {{under: any[], over: any[], endOf: (series: any, model: any) => {x: number, value: number} | null}} drawings `under` draws
 *   what the box of the plot clips, `over` what stands over it, and `endOf` returns where the label of a series points to
 */
export function finish(kind, options, axis, series, ticks, drawings) {
  const all = union(series.map(({ points }) => points.filter(([, value]) => isValue(value)).map(([x]) => x)));
  const to = options.to === undefined ? all[all.length - 1] : axis.read(options.to);
  const xs = all.filter((x) => x <= to);
  return {
    kind,
    title: options.title,
    summary: options.summary,
    height: options.height ?? 220,
    series,
    xs,
    isEmpty: xs.length === 0,
    hasDays: axis.hasDays,
    from: all[0],
    to,
    ticks,
    limits: options.limits ?? [],
    marks: (options.marks ?? []).map(({ x, label }) => ({ x: axis.read(x), label })),
    formatTick: options.formatTick ?? axis.formatValue,
    formatValue: axis.formatValue,
    formatX: axis.formatX,
    ...drawings,
  };
}

/** Returns how to read the x values, and how to write all values. */
export function xAxis(options) {
  const all = options.series.flatMap(({ points }) => points.map(([x]) => x));
  // Statistics by day begin at midnight of UTC. Elsewhere they would seem to belong to another day or to an hour of it.
  const hasDays = options.x === 'day' || (all.length > 0
    && all.every((x) => (all.length > 1 ? new Date(x).getTime() % dayLength === 0 : /^\d+-\d+-\d+$/.test(String(x)))));
  const read = (/** @type {string | number | Date} */ x) => {
    const date = new Date(x);
    return hasDays && date.getTime() % dayLength === 0
      ? new Date(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()).getTime() : date.getTime();
  };
  return {
    hasDays,
    read,
    formatX: (/** @type {number} */ x) => (hasDays ? day : dateTime)(x),
    formatValue: (/** @type {number} */ value) => (options.formatValue ?? number)(value),
  };
}

export function isValue(value) {
  return value != null && Number.isFinite(value);
}

export function union(lists) {
  return [...new Set(/** @type {number[]} */ (lists.flat()))].sort((a, b) => a - b);
}
