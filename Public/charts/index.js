import { figure } from './chart.js';
import { lineModel, stackModel } from './model.js';

export { barRow, sparkline } from './small.js';

/** @typedef {import('./model.js').ChartOptions} ChartOptions */
/** @typedef {ReturnType<typeof figure>} Chart */

/**
 * Returns a chart of lines. A series can have an interval, a filled area or dashes; limits are horizontal lines.
 *
 * @param {ChartOptions} options
 * @returns {Chart} a figure; its method `update(options)` shows other values
 */
export function lineChart(options) {
  return figure(options, lineModel);
}

/**
 * Returns a chart of lines whose values hold until the next one, up to the end of the axis, such as the percentage of a
 * rollout plan. A series with `step: false` is an ordinary line.
 *
 * @param {ChartOptions} options
 * @returns {Chart} a figure; its method `update(options)` shows other values
 */
export function stepChart(options) {
  return figure(options, (given) => lineModel({
    ...given, series: given.series.map((series) => ({ step: true, ...series })),
  }));
}

/**
 * Returns a chart of series stacked on each other, the first on top, as areas or with `bars` as bars. With `share`,
 * the layers are percentages of the sum; the values are then counts, and `formatValue` writes a count.
 *
 * @param {ChartOptions} options
 * @returns {Chart} a figure; its method `update(options)` shows other values
 */
export function stackedChart(options) {
  return figure(options, stackModel);
}
