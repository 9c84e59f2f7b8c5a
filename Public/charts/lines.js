import { svg } from '../elements/dom.js';
import { t } from '../i18n/index.js';
import { lineClass, pointMark } from './marks.js';
import { finish, isValue, xAxis } from './model.js';
import { niceTicks } from './scale.js';
import { drawnRuns, linePath, runs } from './shape.js';

/**
 * Returns what a chart of lines draws.
 *
 * @param {import('./types.js').ChartOptions} options
 * @param {{drawBands?: any, drawNotes?: any, drawEarlyLabels?: any}} parts the functions that draw what only some charts have
 * @returns {import('./types.js').Model}
 */
export function makeModel(options, { drawBands, drawNotes, drawEarlyLabels } = {}) {
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
  const values = /** @type {number[]} */ (series.flatMap(({ points }) => points.map(([, value]) => value)).filter(isValue));
  const highest = Math.max(0, ...values, ...limits.map(({ value }) => value));
  const widest = Math.max(0, ...series.flatMap(({ interval }) => interval.map(([, , high]) => high)));
  // The interval of a small sample can be wide enough to flatten the lines: it is cut at twice the highest value.
  const high = Math.max(highest, options.max ?? 0, highest > 0 ? Math.min(highest * 2, widest) : widest);
  const ticks = niceTicks(Math.min(0, ...values), high, { wholeNumbers: [...values, high].every(Number.isInteger) });
  const drawings = { under: [drawBands, drawLines].filter(Boolean), over: [drawNotes, drawEarlyLabels].filter(Boolean), endOf };
  return finish('line', options, axis, series, ticks, drawings);
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

function drawLines(model, x, y) {
  const strokes = model.series.map((series) => drawnRuns(series, model).map((run) => (run.length > 1
    ? svg('path', { class: lineClass(series), d: linePath(run.map(([at, value]) => [x(at), y(value)]), series.step) })
    : pointMark(series, x(run[0][0]), y(run[0][1])))));
  const ends = model.series.filter(({ dashed }) => !dashed).map((series) => {
    const last = runs(series.points).at(-1)?.at(-1);
    return last && !series.step ? pointMark(series, x(last[0]), y(last[1])) : null;
  });
  return [strokes.reverse(), ends.reverse()];
}

/** Returns the last point of a line, which its label points to. */
function endOf(series, model) {
  const last = drawnRuns(series, model).at(-1)?.at(-1);
  return last ? { x: last[0], value: last[1] } : null;
}
