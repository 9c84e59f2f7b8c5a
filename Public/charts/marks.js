import { svg } from '../elements/dom.js';

/** The outlines of the marks around a point, by colour: the shape tells series apart where colours do not. */
const outlines = {
  1: 'M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z',
  2: 'M-3.5,-3.5h7v7h-7Z',
  3: 'M0,-4.5L4.5,3.5H-4.5Z',
  4: 'M0,-5L5,0L0,5L-5,0Z',
  5: 'M-3,0a3,3 0 1,0 6,0a3,3 0 1,0 -6,0Z',
  bad: 'M0,4.5L4.5,-3.5H-4.5Z',
};

/** Returns the mark of a point. */
export function pointMark(series, x, y) {
  return svg('path', {
    class: `mark c-${series.colour}`, d: outlines[series.colour], transform: `translate(${x},${y})`,
  });
}

/** Returns the classes of the line of a series. */
export function lineClass(series) {
  return `line c-${series.colour}${series.dashed ? ' dashed' : ''}`;
}

/** Returns the sample of a series for a legend or a tooltip. */
export function swatch(series, kind) {
  const sample = kind === 'line'
    ? [svg('path', { class: lineClass(series), d: 'M0,6H20' }), series.dashed ? null : pointMark(series, 10, 6)]
    : svg('rect', { class: layerClass(series, kind), x: 1.5, y: 1.5, width: 15, height: 9, rx: 2 });
  return svg('svg', { class: 'swatch', width: kind === 'line' ? 20 : 18, height: 12, 'aria-hidden': 'true' }, sample);
}

/** Returns the classes of a layer of a stacked chart. */
export function layerClass(series, kind) {
  return `layer ${series.solid || kind === 'bars' ? 'solid' : 'tint'} c-${series.colour}`;
}
