import { stylesheet } from '../elements/stylesheet.js';
import { chartsOf } from './place.js';

/** @typedef {import('./types.js').ChartOptions} ChartOptions */

/** Load the parts of charts: those that all have, a kind of chart, and what only some charts show. */
const loads = {
  figure: () => import('./chart.js'), line: () => import('./lines.js'), stack: () => import('./stacks.js'),
  bands: () => import('./bands.js'), notes: () => import('./notes.js'),
};

/** @type {Object<string, ReturnType<typeof chartsOf>>} The functions that make charts, by the parts that they need. */
const makers = {};

function chart(kind, options) {
  const names = [
    'figure', kind, options.series.some(({ area, interval }) => area || interval) && 'bands',
    [options.limits, options.marks].some((each) => each?.length) && 'notes',
  ].filter(Boolean);
  makers[names.join()] ??= chartsOf(async () => {
    const parts = await Promise.all([...names.map((name) => loads[name]()), stylesheet('charts.css')]);
    return Object.assign({}, ...parts);
  });
  return makers[names.join()]((/** @type {any} */ parts) => parts.figure(options, parts), options.height);
}

/**
 * Returns a chart of lines. A series can have an interval, a filled area or dashes; limits are horizontal lines.
 *
 * @param {ChartOptions} options
 * @returns {HTMLElement}
 */
export function lineChart(options) {
  return chart('line', options);
}

/**
 * Returns a chart of series stacked on each other, the first on top, as areas or with `bars` as bars. With `share`,
 * the layers are percentages of the sum; the values are then counts, and `formatValue` writes a count.
 *
 * @param {ChartOptions} options
 * @returns {HTMLElement}
 */
export function stackedChart(options) {
  return chart('stack', options);
}
