import { newId, svg } from '../elements/dom.js';
import { day, time } from '../i18n/index.js';
import { lineClass, pointMark } from './marks.js';
import { linearScale, ticksWithin } from './scale.js';
import { bandPath, linePath, runs, spread } from './shape.js';
import { timeTicks } from './time.js';

/** @typedef {import('./model.js').Model} Model */
/** @typedef {(text: string, isLabel?: boolean) => number} Measure the width of a text of an axis or of a label */

const labelGap = 15;

/** The least distance in pixels between the labels of two moments. */
const markGap = 6;

/**
 * Draws a model at a width.
 *
 * @param {Model} model
 * @param {number} width in pixels
 * @param {Measure} measure
 * @returns {{node: SVGSVGElement, cursor: SVGGElement, box: Box, x: import('./scale.js').Scale,
 *   y: import('./scale.js').Scale}} the drawing, the group for the cursor, the plot's box and the scales
 */
export function drawPlot(model, width, measure) {
  const ticks = model.ticks.map((value) => ({ value, text: model.formatTick(value) }));
  const labels = model.kind === 'bars' ? [] : endLabels(model, width, measure);
  const labelWidth = Math.max(...labels.map(({ text }) => measure(text, true)));
  const box = {
    left: Math.ceil(Math.max(...ticks.map(({ text }) => measure(text)))) + 10,
    right: width - (labels.length > 0 ? Math.ceil(labelWidth) + 18 : 10),
    top: model.marks.length > 0 ? 24 : 12,
    bottom: model.height - 24,
  };
  // A bar needs space on both sides of its x.
  const inset = model.kind === 'bars' ? (box.right - box.left) / (model.xs.length * 2) : 0;
  const x = linearScale(model.from, model.to, box.left + inset, box.right - inset);
  const y = linearScale(model.ticks[0], model.ticks[model.ticks.length - 1], box.bottom, box.top);
  const clip = newId('plot');
  const cursor = svg('g', { class: 'cursor' });
  const shapes = model.kind === 'line' ? lines(model, x, y) : model.drawLayers(model, x, y, box);
  const node = svg('svg', {
    class: 'plot', role: 'img', 'aria-label': model.summary, tabindex: 0, width, height: model.height,
    viewBox: `0 0 ${width} ${model.height}`,
  },
  svg('clipPath', { id: clip }, svg('rect', {
    x: box.left - 6, y: box.top - 6, width: Math.max(0, box.right - box.left + 12), height: box.bottom - box.top + 12,
  })),
  model.kind === 'stack' ? null : grid(ticks, y, box),
  svg('g', { 'clip-path': `url(#${clip})` }, shapes),
  model.kind === 'stack' ? grid(ticks, y, box) : null,
  xLabels(model, x, box, width, measure),
  model.limits.map((limit) => limitLine(limit, y, box)),
  markLines(model.marks, x, box, measure),
  placeLabels(labels, y, box),
  model.kind === 'line' ? earlyLabels(model, x, y, box, measure) : null,
  cursor);
  return { node, cursor, box, x, y };
}

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */

function grid(ticks, y, box) {
  return ticks.map(({ value, text }, index) => [
    svg('path', {
      class: value === 0 || index === 0 ? 'axis' : 'rule', d: `M${box.left},${Math.round(y(value)) + 0.5}H${box.right}`,
    }),
    svg('text', { x: box.left - 8, y: y(value) + 4, 'text-anchor': 'end' }, text),
  ]);
}

function xLabels(model, x, box, width, measure) {
  let end = -Infinity;
  return xTicks(model, box.right - box.left, measure).map(({ value, text }) => {
    const half = measure(text) / 2;
    const middle = Math.min(Math.max(x(value), half), width - half);
    if (middle - half < end + 8) return null;
    end = middle + half;
    return [
      svg('path', { class: 'axis', d: `M${Math.round(x(value)) + 0.5},${box.bottom}v4` }),
      svg('text', { x: middle, y: box.bottom + 17, 'text-anchor': 'middle' }, text),
    ];
  });
}

function xTicks(model, length, measure) {
  const sample = model.isTime ? day(model.from) : model.formatX(model.to);
  const most = Math.min(7, Math.max(3, Math.floor(length / (measure(sample) + 28))));
  if (model.kind === 'bars' || model.xs.length === 1) {
    const step = Math.ceil(model.xs.length / most);
    return model.xs.filter((_, index) => (model.xs.length - 1 - index) % step === 0)
      .map((value) => ({ value, text: model.isTime && model.hasDays ? day(value) : model.formatX(value) }));
  }
  if (!model.isTime) {
    return ticksWithin(model.from, model.to, most).map((value) => ({ value, text: model.formatX(value) }));
  }
  const { instants, unit } = timeTicks(model.from, model.to, most);
  return instants.filter((value) => !model.hasDays || unit === 'day' || isMidnight(value))
    .map((value) => ({ value, text: unit === 'day' || isMidnight(value) ? day(value) : time(value) }));
}

function isMidnight(instant) {
  const date = new Date(instant);
  return date.getHours() === 0 && date.getMinutes() === 0;
}

function lines(model, x, y) {
  const between = (kind, series, points) => svg('path', {
    class: `${kind} c-${series.colour}`,
    d: bandPath(points.map(([at, low, high]) => [x(at), y(low), y(high)]), series.step),
  });
  const bands = model.series.map((series) => runs(series.interval).map((run) => between('band', series, run)));
  const areas = model.series.filter(({ area }) => area).map((series) => drawnRuns(series, model)
    .map((run) => between('area', series, run.map(([at, value]) => [at, 0, value]))));
  const strokes = model.series.map((series) => drawnRuns(series, model).map((run) => (run.length > 1
    ? svg('path', { class: lineClass(series), d: linePath(run.map(([at, value]) => [x(at), y(value)]), series.step) })
    : pointMark(series, x(run[0][0]), y(run[0][1])))));
  const ends = model.series.filter(({ dashed }) => !dashed).map((series) => {
    const last = runs(series.points).at(-1)?.at(-1);
    return last && !series.step ? pointMark(series, x(last[0]), y(last[1])) : null;
  });
  return [bands, areas, strokes.reverse(), ends.reverse()];
}

/** Returns the runs of a series; the last value of a step holds up to the end of the axis. */
function drawnRuns(series, model) {
  const found = runs(series.points);
  const last = series.points.at(-1);
  if (series.step && last?.[1] != null && last[0] < model.to) found.at(-1)?.push([model.to, last[1]]);
  return found;
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

/** Returns the labels at the right end: of the lines that reach it, and of the layers that are there. */
function endLabels(model, width, measure) {
  return model.series.flatMap((series) => {
    const end = endOf(series, model);
    if (series.label === false || end === null || isEarly(end.x, model)) return [];
    // One line needs no name, and a long name is in the legend alone.
    const isAlone = model.kind === 'line' && model.series.length === 1;
    const text = series.label ?? (isAlone ? model.formatValue(end.value) : series.name);
    if (measure(text, true) > Math.min(width * 0.24, 140)) return [];
    return [{ text, colour: series.colour, value: end.value }];
  });
}

function isEarly(x, model) {
  return x < model.from + (model.to - model.from) * 0.9;
}

/** Returns the labels of the lines that end before the right end, at their highest points, if they do not overlap. */
function earlyLabels(model, x, y, box, measure) {
  let taken = [];
  return model.series.map((series) => {
    const end = endOf(series, model);
    if (series.label === false || end === null || !isEarly(end.x, model)) return null;
    const text = series.label ?? series.name;
    const half = measure(text, true) / 2;
    const [at, value] = runs(series.points).flat().reduce((best, point) => (point[1] > best[1] ? point : best));
    const left = Math.min(Math.max(x(at), box.left + half), box.right - half);
    const top = Math.max(box.top + 8, y(value) - 8);
    const overlaps = taken.some((other) =>
      Math.abs(other.left - left) < other.half + half + 8 && Math.abs(other.top - top) < labelGap);
    if (overlaps) return null;
    taken = [...taken, { left, top, half }];
    return svg('text', { class: 'label halo', x: left, y: top, 'text-anchor': 'middle' }, text);
  });
}

/** Returns where a label points to: the last point of a line, or the middle of a layer's end. */
function endOf(series, model) {
  if (model.kind !== 'line') {
    const [low, high] = series.layer[series.layer.length - 1] ?? [0, 0];
    return high > low ? { x: model.to, value: (low + high) / 2 } : null;
  }
  const last = drawnRuns(series, model).at(-1)?.at(-1);
  return last ? { x: last[0], value: last[1] } : null;
}

function placeLabels(labels, y, box) {
  const places = spread(labels.map(({ value }) => y(value)), labelGap, box.top, box.bottom - 2);
  return labels.map(({ text, value, colour }, index) => {
    const place = places[index];
    if (place === null) return null;
    const leader = `M${box.right + 4},${y(value)}L${box.right + 11},${place}`;
    return [
      Math.abs(place - y(value)) > 5 ? svg('path', { class: `leader c-${colour}`, d: leader }) : null,
      svg('text', { class: 'label', x: box.right + 13, y: place + 4 }, text),
    ];
  });
}
