import { h } from '../elements/dom.js';
import { stylesheet } from '../elements/stylesheet.js';
import { whenVisible } from '../elements/visible.js';

/** @typedef {import('./model.js').ChartOptions} ChartOptions */

/** The height in pixels of what stands below a drawing: the legend and the button. */
const footHeight = 40;

/** @type {any} The function that makes a figure, once a chart has been in view. */
let figure = null;

/** @type {Object<string, (options: ChartOptions) => any>} The functions that make the models of the charts that have been in view. */
const models = {};

/** Loads what draws a kind of chart. */
const loads = {
  line: async () => { models.line = (await import('./model.js')).lineModel; },
  stack: async () => { models.stack = (await import('./stacks.js')).stackModel; },
};

async function load(kind) {
  const [module] = await Promise.all([import('./chart.js'), loads[kind](), stylesheet('charts.css')]);
  figure = module.figure;
}

/** Returns a chart, or the space for it until it is in view. */
function chart(kind, options) {
  const make = () => figure(options, models[kind](options));
  if (models[kind] && figure) return make();
  const place = h('div');
  place.style.setProperty('min-height', `${(options.height ?? 220) + footHeight}px`);
  return whenVisible(place, async () => {
    await load(kind);
    return make();
  });
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
 * Returns a chart of lines whose values hold until the next one, up to the end of the axis, such as the percentage of a
 * rollout plan. A series with `step: false` is an ordinary line.
 *
 * @param {ChartOptions} options
 * @returns {HTMLElement}
 */
export function stepChart(options) {
  return chart('line', { ...options, series: options.series.map((series) => ({ step: true, ...series })) });
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
