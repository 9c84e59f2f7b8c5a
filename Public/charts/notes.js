import { svg } from '../elements/dom.js';
import { isEarly, labelGap } from './plot.js';
import { runs } from './shape.js';

/** The least distance in pixels between the labels of two moments. */
const markGap = 6;

/** Returns the limits and the moments of a chart with their labels. */
export function drawNotes(model, x, y, box, measure) {
  return [model.limits.map((limit) => limitLine(limit, y, box)), markLines(model.marks, x, box, measure)];
}

function limitLine({ value, label, kind }, y, box) {
  const at = Math.round(y(value)) + 0.5;
  return [
    svg('path', { class: `limit ${kind}`, d: `M${box.left},${at}H${box.right}` }),
    svg('text', {
      class: 'halo', x: box.right - 2, y: at < box.top + 16 ? at + 14 : at - 6, 'text-anchor': 'end',
    }, label),
  ];
}

/** Returns lines at moments. A label moves to the right of the one before it, and is left out where it has no space. */
function markLines(marks, x, box, measure) {
  let end = -Infinity;
  return [...marks].sort((one, other) => one.x - other.x).map(({ x: value, label }) => {
    const half = measure(label) / 2;
    const at = Math.round(x(value)) + 0.5;
    const middle = Math.max(Math.min(Math.max(at, box.left + half), box.right - half), end + half + markGap);
    const hasSpace = middle <= at + half + markGap && middle + half <= box.right;
    if (hasSpace) end = middle + half;
    return [
      svg('path', { class: 'moment', d: `M${at},${box.top - 6}V${box.bottom}` }),
      hasSpace ? svg('text', { x: middle, y: box.top - 11, 'text-anchor': 'middle' }, label) : null,
    ];
  });
}

/** Returns the labels of the lines that end before the right end, at their highest points, if they do not overlap. */
export function drawEarlyLabels(model, x, y, box, measure) {
  let taken = [];
  return model.series.map((series) => {
    const end = model.endOf(series, model);
    if (end === null || !isEarly(end.x, model)) return null;
    const half = measure(series.name, true) / 2;
    const [at, value] = runs(series.points).flat().reduce((best, point) => (point[1] > best[1] ? point : best));
    const left = Math.min(Math.max(x(at), box.left + half), box.right - half);
    const top = Math.max(box.top + 8, y(value) - 8);
    const overlaps = taken.some((other) =>
      Math.abs(other.left - left) < other.half + half + 8 && Math.abs(other.top - top) < labelGap);
    if (overlaps) return null;
    taken = [...taken, { left, top, half }];
    return svg('text', { class: 'label halo', x: left, y: top, 'text-anchor': 'middle' }, series.name);
  });
}
