import { stylesheet } from '../elements/stylesheet.js';
import { chartsOf } from './place.js';

/** @typedef {import('./types.js').ChartOptions} ChartOptions */

/** Load the parts of charts: what all have, a kind of chart, and what only some show. */
const loads = {
  figure: () => import('./chart.js'), line: () => import('./lines.js'), stack: () => import('./stacks.js'),
  bands: () => import('./bands.js'), notes: () => import('./notes.js'),
};

/** @type {Object<string, ReturnType<typeof chartsOf>>} The functions that make charts, by the parts that they need. */
const makers = {};

function chart(kind, options) {
  const hasBands = options.series.some(({ area, interval }) => area || interval);
  const hasNotes = options.limits?.length || options.marks?.length || (kind === 'line' && mayEndEarly(options));
  const names = ['figure', kind, hasBands && 'bands', hasNotes && 'notes'].filter(Boolean);
  makers[names.join()] ??= chartsOf(async () => {
    const parts = await Promise.all([...names.map((name) => loads[name]()), stylesheet('charts.css')]);
    return Object.assign({}, ...parts);
  });
  return makers[names.join()]((/** @type {any} */ parts) => parts.figure(options, parts), options.height);
}

/** Returns whether a line may end before the axis. */
function mayEndEarly({ series, to }) {
  const ends = series.map(({ points }) => String(points.findLast(([, value]) => value != null)?.[0]));
  return to !== undefined || new Set(ends).size > 1;
}

/** Returns a chart of lines. */
export function lineChart(/** @type {ChartOptions} */ options) {
  return chart('line', options);
}

/** Returns a chart of series stacked on each other, the first on top. */
export function stackedChart(/** @type {ChartOptions} */ options) {
  return chart('stack', options);
}
