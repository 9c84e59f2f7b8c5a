import { svg } from '../elements/dom.js';
import { at, drawnRuns, linePath, runs } from './shape.js';

/** Returns the intervals of the lines, and the areas below them. */
export function drawBands(model, x, y) {
  const between = (kind, series, points) => svg('path', {
    class: `${kind} c-${series.colour}`,
    d: bandPath(points.map(([time, low, high]) => [x(time), y(low), y(high)]), series.step),
  });
  const bands = model.series.map((series) => runs(series.interval).map((run) => between('band', series, run)));
  const areas = model.series.filter(({ area }) => area).map((series) => drawnRuns(series, model)
    .map((run) => between('area', series, run.map(([time, value]) => [time, 0, value]))));
  return [bands, areas];
}

/** Returns the path data of the area between two lines; a point has its x, and the y of the lower and of the upper line. */
export function bandPath(points, step = false) {
  if (points.length === 0) return '';
  const upper = points.map(([x, , y]) => [x, y]);
  const lower = points.map(([x, y]) => [x, y]).reverse();
  if (!step) return `${linePath(upper)}${linePath(lower).replace('M', 'L')}Z`;
  // On the way back, the value of the point at the left holds up to the point at the right.
  const back = lower.map(([x, y], index) => (index === 0 ? `V${at(y)}` : `V${at(y)}H${at(x)}`)).join('');
  return `${linePath(upper, true)}${back}Z`;
}
