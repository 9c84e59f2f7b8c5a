import { newId, svg } from '../elements/dom.js';
import { day, time } from '../i18n/index.js';
import { linearScale } from './scale.js';
import { spread } from './shape.js';
import { timeTicks } from './time.js';

/** The least distance in pixels between two labels of series. */
export const labelGap = 15;

/**
 * Draws a model at a width in pixels.
 *
 * @param {import('./types.js').Model} model
 * @param {number} width
 * @param {import('./types.js').Measure} measure
 * @returns {import('./types.js').Drawing}
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
  const node = svg('svg', {
    class: 'plot', role: 'img', 'aria-label': model.summary, tabindex: 0, width, height: model.height,
    viewBox: `0 0 ${width} ${model.height}`,
  },
  svg('clipPath', { id: clip }, svg('rect', {
    x: box.left - 6, y: box.top - 6, width: Math.max(0, box.right - box.left + 12), height: box.bottom - box.top + 12,
  })),
  model.kind === 'stack' ? null : grid(ticks, y, box),
  svg('g', { 'clip-path': `url(#${clip})` }, model.under.map((draw) => draw(model, x, y, box))),
  model.kind === 'stack' ? grid(ticks, y, box) : null,
  xLabels(model, x, box, width, measure),
  model.over.map((draw) => draw(model, x, y, box, measure)),
  placeLabels(labels, y, box),
  cursor);
  return { node, cursor, box, x, y };
}

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
  const most = Math.min(7, Math.max(3, Math.floor(length / (measure(day(model.from)) + 28))));
  if (model.kind === 'bars' || model.xs.length === 1) {
    const step = Math.ceil(model.xs.length / most);
    return model.xs.filter((_, index) => (model.xs.length - 1 - index) % step === 0)
      .map((value) => ({ value, text: model.formatX(value) }));
  }
  const { instants, unit } = timeTicks(model.from, model.to, most);
  return instants.filter((value) => !model.hasDays || unit === 'day' || isMidnight(value))
    .map((value) => ({ value, text: unit === 'day' || isMidnight(value) ? day(value) : time(value) }));
}

function isMidnight(instant) {
  const date = new Date(instant);
  return date.getHours() === 0 && date.getMinutes() === 0;
}

/** Returns the labels at the right end: of the lines that reach it, and of the layers that are there. */
function endLabels(model, width, measure) {
  return model.series.flatMap((series) => {
    const end = model.endOf(series, model);
    if (end === null || isEarly(end.x, model)) return [];
    // One line needs no name, and a long name is in the legend alone.
    const isAlone = model.kind === 'line' && model.series.length === 1;
    const text = isAlone ? model.formatValue(end.value) : series.name;
    if (measure(text, true) > Math.min(width * 0.24, 140)) return [];
    return [{ text, colour: series.colour, value: end.value }];
  });
}

/** Returns whether a series ends before the right end, so that its label stands elsewhere. */
export function isEarly(x, model) {
  return x < model.from + (model.to - model.from) * 0.9;
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
