import { h, svg } from '../elements/dom.js';
import { list, t } from '../i18n/index.js';
import { pointMark, swatch } from './marks.js';
import { drawPlot } from './plot.js';
import { nearest } from './shape.js';

/** @typedef {import('./model.js').Model} Model */
/** @typedef {import('./model.js').ChartOptions} ChartOptions */

/** The drawing of a chart: drawn again at each width, with a cursor for the pointer and the keyboard. */
class LarderChart extends HTMLElement {
  /** @type {Model | null} */
  model = null;
  drawn = null;
  width = 0;
  selected = -1;
  isStale = false;
  tooltip = h('div', { class: 'chart-tooltip', hidden: true, 'aria-hidden': 'true' });
  spoken = h('p', { class: 'visually-hidden', 'aria-live': 'polite' });
  sizes = new ResizeObserver(([entry]) => this.resize(entry.contentRect.width));
  draw = () => this.drawIfVisible();

  connectedCallback() {
    if (!this.firstChild) this.append(this.tooltip, this.spoken);
    this.sizes.observe(this);
    document.addEventListener('visibilitychange', this.draw);
  }

  disconnectedCallback() {
    this.sizes.disconnect();
    document.removeEventListener('visibilitychange', this.draw);
  }

  /** Shows a model in place of the last one; the cursor and the focus stay. */
  show(model) {
    const at = this.model?.xs[this.selected];
    this.model = model;
    this.selected = at === undefined ? -1 : nearest(model.xs, at);
    this.isStale = true;
    this.draw();
  }

  resize(width) {
    const whole = Math.floor(width);
    if (whole === this.width || whole === 0) return;
    this.width = whole;
    this.isStale = true;
    this.draw();
  }

  drawIfVisible() {
    if (document.hidden || !this.isStale || !this.model || this.width === 0) return;
    const { selected } = this;
    const old = this.drawn?.node;
    const hadFocus = old !== undefined && document.activeElement === old;
    this.isStale = false;
    this.drawn = drawPlot(this.model, this.width, measurer(this));
    const { node } = this.drawn;
    node.addEventListener('pointermove', (event) => this.point(event));
    node.addEventListener('pointerdown', (event) => this.point(event));
    node.addEventListener('pointerleave', (event) => { if (event.pointerType === 'mouse') this.select(-1); });
    node.addEventListener('keydown', (event) => this.press(event));
    node.addEventListener('focus', () => {
      if (this.selected < 0 && node.matches(':focus-visible')) this.select(this.last);
    });
    node.addEventListener('blur', () => { if (this.drawn.node === node) this.select(-1); });
    if (old) old.replaceWith(node);
    else this.prepend(node);
    if (hadFocus) node.focus({ preventScroll: true });
    this.select(selected);
  }

  get last() {
    return (this.model?.xs.length ?? 0) - 1;
  }

  point(event) {
    const { x, box, node } = this.drawn;
    const offset = event.clientX - node.getBoundingClientRect().left;
    const share = (offset - x(x.low)) / (x(x.high) - x(x.low) || 1);
    const index = nearest(this.model?.xs ?? [], x.low + share * (x.high - x.low));
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
    const model = /** @type {Model} */ (this.model);
    const at = model.xs[index];
    const values = model.series.map((series) => t('chart.spoken', { name: series.name, value: series.textAt(at) }));
    return t('chart.values', { x: model.formatX(at), values: list(values) });
  }

  /** Moves the cursor to a position; −1 removes it. */
  select(index) {
    this.selected = index;
    if (!this.drawn || !this.model) return;
    const { cursor, box, x, y } = this.drawn;
    const at = this.model.xs[index];
    this.tooltip.hidden = at === undefined;
    if (at === undefined) {
      cursor.replaceChildren();
      return;
    }
    const { kind, series } = this.model;
    const left = Math.round(x(at)) + 0.5;
    const marks = kind === 'bars' ? [] : series.map((one) => {
      const value = one.valueAt(at);
      return value == null ? null : pointMark(one, left, y(value));
    }).filter((mark) => mark !== null);
    cursor.replaceChildren(svg('path', { class: 'crosshair', d: `M${left},${box.top}V${box.bottom}` }), ...marks);
    this.tooltip.replaceChildren(h('b', null, this.model.formatX(at)), h('dl', null, series.map((one) => h('div', null,
      h('dt', null, swatch(one, kind), one.name), h('dd', null, one.textAt(at))))));
    const width = this.tooltip.offsetWidth;
    const space = left + 12 + width <= this.width ? left + 12 : left - 12 - width;
    this.tooltip.style.setProperty('left', `${Math.max(0, Math.min(space, this.width - width))}px`);
    this.tooltip.style.setProperty('top', `${box.top}px`);
  }
}

customElements.define('larder-chart', LarderChart);

let context;

/** Returns a function that measures texts in the font of an element. */
function measurer(element) {
  const { fontFamily } = getComputedStyle(element);
  context ??= document.createElement('canvas').getContext('2d');
  return (/** @type {string} */ text, isLabel = false) => {
    context.font = `${isLabel ? '600 12px' : '11px'} ${fontFamily}`;
    return context.measureText(text).width;
  };
}

/**
 * Returns the figure of a chart: the drawing, the legend, and a button that shows the same values as a table.
 *
 * @param {ChartOptions} options
 * @param {(options: ChartOptions) => Model} read the function that makes the model
 * @returns {HTMLElement & {update(options: ChartOptions): void}} `update` shows other values and keeps the focus
 */
export function figure(options, read) {
  let model = read(options);
  let hasTable = false;
  const drawing = /** @type {LarderChart} */ (document.createElement('larder-chart'));
  const caption = h('figcaption', { class: 'visually-hidden' });
  const content = h('div', { class: 'chart-content' });
  const legend = h('ul', { class: 'chart-legend' });
  const toggle = h('button', { class: 'chart-toggle', type: 'button', onclick: () => {
    hasTable = !hasTable;
    show();
  } });
  const foot = h('div', { class: 'chart-foot' }, legend, toggle);
  const node = h('figure', { class: 'chart' }, caption, content, foot);

  function show() {
    caption.textContent = model.title;
    foot.hidden = model.isEmpty;
    legend.hidden = hasTable;
    toggle.textContent = hasTable ? t('chart.show-chart') : t('chart.show-table');
    legend.replaceChildren(...legendItems(model));
    if (model.isEmpty) content.replaceChildren(h('p', { class: 'chart-empty' }, options.empty ?? t('chart.empty')));
    else if (hasTable) content.replaceChildren(valueTable(model));
    else if (drawing.parentNode !== content) content.replaceChildren(drawing);
    if (!model.isEmpty && !hasTable) drawing.show(model);
  }

  show();
  return Object.assign(node, {
    update(/** @type {ChartOptions} */ next) {
      options = next;
      model = read(next);
      show();
    },
  });
}

function legendItems(model) {
  const hasIntervals = model.series.some(({ interval }) => interval.length > 0);
  if (model.kind === 'line' && model.series.length === 1 && !hasIntervals) return [];
  return model.series.map((series) => h('li', null, swatch(series, model.kind), series.legendText));
}

function valueTable(model) {
  return h('div', { class: 'chart-table', tabindex: 0, role: 'region', 'aria-label': model.title },
    h('table', null,
      h('caption', { class: 'visually-hidden' }, model.title),
      h('thead', null, h('tr', null,
        h('th', { scope: 'col' }, xTitle(model)),
        model.series.map(({ name }) => h('th', { scope: 'col' }, name)))),
      h('tbody', null, model.xs.map((x) => h('tr', null,
        h('th', { scope: 'row' }, model.formatX(x)),
        model.series.map((series) => h('td', null, series.textAt(x))))))));
}

function xTitle(model) {
  if (!model.isTime) return t('chart.position');
  return model.hasDays ? t('chart.day') : t('chart.time');
}
