import { dateTime, day, number, t } from '../i18n/index.js';
import { niceTicks } from './scale.js';

/**
 * A series as a page passes it. The instants are ISO 8601 texts, dates or milliseconds since 1970.
 * @typedef {object} Series
 * @property {string} name
 * @property {any} colour 1 to 5 or `bad`: 1 is the newest version, 5 the control group or an old version
 * @property {[string | number | Date, number | null][]} points in ascending order; `null` is a gap
 * @property {[string | number | Date, number, number][]} [interval] the lower and the upper bound at an x
 * @property {boolean} [dashed] whether the line is dashed and thin, for a plan or a reference
 * @property {boolean} [area] whether the area below the line is filled
 * @property {boolean} [step] whether a value holds until the next one
 * @property {boolean} [solid] whether a layer of a stacked chart has the full colour instead of the tint
 * @property {string | false} [label] the text at the right end instead of the name; `false` for none
 */

/**
 * The options of a chart.
 * @typedef {object} ChartOptions
 * @property {string} title the caption of the table, and of the figure for screen readers
 * @property {string} summary a sentence that says what the chart shows; the accessible name of the drawing
 * @property {Series[]} series
 * @property {{value: number, label: string, kind: 'bad' | 'plain'}[]} [limits] horizontal lines
 * @property {{x: string | number | Date, label: string}[]} [marks] vertical lines
 * @property {(value: number) => string} [formatValue] with the unit; used by the tooltip, the labels and the table
 * @property {(value: number) => string} [formatTick] by default `formatValue`
 * @property {(x: number) => string} [formatX] used by the tooltip and the table, and by the axis of numbers
 * @property {'time' | 'day' | 'number'} [x] the x values: instants (the default), days of UTC, or numbers
 * @property {string | number | Date} [from] the start of the x axis, by default the first point
 * @property {string | number | Date} [to] the end of the x axis, by default the last point
 * @property {number} [max] the value at the top of the y axis if no point is higher
 * @property {number} [unit] the ticks are round multiples of it, such as 60 for seconds that are written as minutes
 * @property {number} [height] in pixels, by default 220
 * @property {boolean} [share] of a stacked chart: whether the layers are percentages of the sum
 * @property {boolean} [bars] of a stacked chart: whether each x has a bar
 * @property {string} [empty] the sentence without data
 */

/** @typedef {ReturnType<typeof lineModel>} Model */

const dayLength = 86_400_000;

/**
 * Returns what a chart of lines draws: series with numeric x values, the axes, and the texts of each value.
 *
 * @param {ChartOptions} options
 */
export function lineModel(options) {
  const axis = xAxis(options);
  const series = options.series.map((given) => {
    const points = /** @type {[number, number | null][]} */ (given.points.map(([x, value]) => [axis.read(x), value]));
    const interval = (given.interval ?? []).map(([x, low, high]) => [axis.read(x), low, high]);
    const byX = new Map(points);
    const bounds = new Map(interval.map(([x, low, high]) => [x, [low, high]]));
    const valueAt = (/** @type {number} */ x) => (given.step ? held(points, x) : byX.get(x) ?? null);
    return {
      ...given,
      points,
      interval,
      layer: /** @type {([number, number] | null)[]} */ ([]),
      valueAt,
      legendText: given.interval ? t('chart.with-interval', { name: given.name }) : given.name,
      textAt(/** @type {number} */ x) {
        const value = valueAt(x);
        if (value == null) return t('chart.none');
        const bound = bounds.get(x);
        if (bound === undefined) return axis.formatValue(value);
        const [low, high] = bound.map(axis.formatValue);
        return t('chart.interval', { value: axis.formatValue(value), low, high });
      },
    };
  });
  const limits = options.limits ?? [];
  const values = series.flatMap(({ points }) => points.map(([, value]) => value)).filter(isValue);
  const highest = Math.max(0, ...values, ...limits.map(({ value }) => value));
  const widest = Math.max(0, ...series.flatMap(({ interval }) => interval.map(([, , high]) => high)));
  // The interval of a small sample can be wide enough to flatten the lines: it is cut at twice the highest value.
  const high = Math.max(highest, options.max ?? 0, highest > 0 ? Math.min(highest * 2, widest) : widest);
  const ticks = yTicks(options, Math.min(0, ...values), high, [...values, high].every(Number.isInteger));
  return finish('line', options, axis, series, ticks);
}

export function finish(kind, options, axis, series, ticks) {
  const all = union(series.map(({ points }) => points.filter(([, value]) => isValue(value)).map(([x]) => x)));
  const from = options.from === undefined ? all[0] : axis.read(options.from);
  const to = options.to === undefined ? all[all.length - 1] : axis.read(options.to);
  const xs = all.filter((x) => x >= from && x <= to);
  return {
    kind: /** @type {'line' | 'stack' | 'bars'} */ (kind),
    title: options.title,
    summary: options.summary,
    height: options.height ?? 220,
    series,
    xs,
    isEmpty: xs.length === 0,
    isTime: options.x !== 'number',
    hasDays: axis.hasDays,
    from,
    to,
    ticks,
    limits: options.limits ?? [],
    marks: (options.marks ?? []).map(({ x, label }) => ({ x: axis.read(x), label })),
    /** The function that draws the layers of a stacked chart. */
    drawLayers: /** @type {any} */ (null),
    formatTick: options.formatTick ?? axis.formatValue,
    formatValue: axis.formatValue,
    formatX: axis.formatX,
  };
}

/** Returns how to read and to write the x values, and how to write the y values. */
export function xAxis(options) {
  const all = options.series.flatMap(({ points }) => points.map(([x]) => x));
  // Statistics by day begin at midnight of UTC. Elsewhere they would seem to belong to another day or to an hour of it.
  const hasDays = options.x === 'day' || (options.x !== 'number' && all.length > 0
    && all.every((x) => (all.length > 1 ? new Date(x).getTime() % dayLength === 0 : /^\d+-\d+-\d+$/.test(String(x)))));
  const read = (/** @type {string | number | Date} */ x) => {
    if (options.x === 'number') return Number(x);
    const date = new Date(x);
    return hasDays && date.getTime() % dayLength === 0
      ? new Date(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()).getTime() : date.getTime();
  };
  const written = options.x === 'number' ? number : hasDays ? day : dateTime;
  return {
    hasDays,
    read,
    formatX: (/** @type {number} */ x) => (options.formatX ?? written)(x),
    formatValue: (/** @type {number} */ value) => (options.formatValue ?? number)(value),
  };
}

export function yTicks({ height = 220, unit = 1 }, low, high, wholeNumbers) {
  return niceTicks(low / unit, high / unit, { most: height < 160 ? 5 : 6, wholeNumbers: wholeNumbers && unit === 1 })
    .map((tick) => tick * unit);
}

function isValue(value) {
  return value != null && Number.isFinite(value);
}

export function union(lists) {
  return [...new Set(/** @type {number[]} */ (lists.flat()))].sort((a, b) => a - b);
}

/** Returns the last value at or before x. */
function held(points, x) {
  let value = null;
  for (const [at, next] of points) {
    if (at > x) break;
    value = next;
  }
  return value;
}
