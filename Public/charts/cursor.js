import { h, svg } from '../elements/dom.js';
import { list, t } from '../i18n/index.js';
import { pointMark, swatch } from './marks.js';

/** The cursor of a chart, which the pointer and the arrow keys move: a line, the marks of the values, and a tooltip. */
export class Cursor {
  /** @param {any} chart */
  constructor(chart) {
    this.chart = chart;
    this.selected = -1;
    this.tooltip = h('div', { class: 'chart-tooltip', hidden: true, 'aria-hidden': 'true' });
    this.spoken = h('p', { class: 'visually-hidden', 'aria-live': 'polite' });
    chart.append(this.tooltip, this.spoken);
  }

  /** Handles an event of the drawing. */
  take(event) {
    const { node } = this.chart.drawn;
    if (event.type === 'keydown') this.press(event);
    else if (event.type === 'blur' || (event.type === 'pointerleave' && event.pointerType === 'mouse')) this.select(-1);
    else if (event.type === 'focus') {
      if (this.selected < 0 && document.activeElement === node && node.matches(':focus-visible')) this.select(this.last);
    } else if (event.type !== 'pointerleave') this.point(event);
  }

  get last() {
    return this.chart.model.xs.length - 1;
  }

  point(event) {
    const { drawn: { x, box, node }, model } = this.chart;
    const offset = event.clientX - node.getBoundingClientRect().left;
    const share = (offset - x(x.low)) / (x(x.high) - x(x.low) || 1);
    const index = nearest(model.xs, x.low + share * (x.high - x.low));
    this.select(offset < box.left - 12 || offset > box.right + 12 ? -1 : index);
  }

  press(event) {
    const { last } = this;
    const moves = {
      ArrowLeft: this.selected < 0 ? last : Math.max(0, this.selected - 1),
      ArrowRight: this.selected < 0 ? 0 : Math.min(last, this.selected + 1),
      Home: 0,
      End: last,
      Escape: -1,
    };
    if (!Object.hasOwn(moves, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && this.selected < 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.select(moves[event.key]);
    if (this.selected >= 0) this.spoken.textContent = this.sentence(this.selected);
  }

  /** Returns the values at a position as one text. */
  sentence(index) {
    const { model } = this.chart;
    const at = model.xs[index];
    const values = model.series.map((series) => t('chart.spoken', { name: series.name, value: series.textAt(at) }));
    return t('chart.values', { x: model.formatX(at), values: list(values) });
  }

  /** Moves the cursor to a position; −1 removes it. */
  select(index) {
    this.selected = index;
    const { drawn: { cursor, box, x, y }, model: { kind, series, xs, formatX }, width: chartWidth } = this.chart;
    const at = xs[index];
    this.tooltip.hidden = at === undefined;
    if (at === undefined) {
      cursor.replaceChildren();
      return;
    }
    const left = Math.round(x(at)) + 0.5;
    const marks = kind === 'bars' ? [] : series.map((one) => {
      const value = one.valueAt(at);
      return value == null ? null : pointMark(one, left, y(value));
    }).filter((mark) => mark !== null);
    cursor.replaceChildren(svg('path', { class: 'crosshair', d: `M${left},${box.top}V${box.bottom}` }), ...marks);
    this.tooltip.replaceChildren(h('b', null, formatX(at)), h('dl', null, series.map((one) => h('div', null,
      h('dt', null, swatch(one, kind), one.name), h('dd', null, one.textAt(at))))));
    const width = this.tooltip.offsetWidth;
    const space = left + 12 + width <= chartWidth ? left + 12 : left - 12 - width;
    this.tooltip.style.setProperty('left', `${Math.max(0, Math.min(space, chartWidth - width))}px`);
    this.tooltip.style.setProperty('top', `${box.top}px`);
  }
}

/** Returns the index of the value that is nearest to a target, or −1 without values. */
export function nearest(values, target) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < target) low = middle + 1;
    else high = middle;
  }
  if (low === values.length) return values.length - 1;
  return low > 0 && target - values[low - 1] <= values[low] - target ? low - 1 : low;
}
