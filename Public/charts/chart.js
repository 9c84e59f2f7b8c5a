import { h } from '../elements/dom.js';
import { later, loadFailureText } from '../elements/later.js';
import { toast } from '../elements/toast.js';
import { t } from '../i18n/index.js';
import { swatch } from './marks.js';
import { drawPlot } from './plot.js';

/** The keys that move the cursor to a value. */
const cursorKeys = ['ArrowLeft', 'ArrowRight', 'Home', 'End'];

/** The drawing of a chart, at each width, with a cursor once the pointer or the focus is on it. */
class LarderChart extends HTMLElement {
  /** @type {import('./types.js').Model | null} */
  model = null;
  /** @type {any} */
  drawn = null;
  /** @type {import('./cursor.js').Cursor | null} */
  cursor = null;
  width = 0;
  isStale = false;
  sizes = new ResizeObserver(([entry]) => this.resize(entry.contentRect.width));
  draw = () => this.drawIfVisible();
  /** @type {any[]} The events for the cursor while its code loads. */
  waiting = [];

  connectedCallback() {
    this.sizes.observe(this);
    document.addEventListener('visibilitychange', this.draw);
  }

  disconnectedCallback() {
    this.sizes.disconnect();
    document.removeEventListener('visibilitychange', this.draw);
  }

  show(model) {
    this.model = model;
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
    const old = this.drawn?.node;
    const hadFocus = old && document.activeElement === old;
    this.isStale = false;
    this.drawn = drawPlot(this.model, this.width, measurer(this));
    const { node } = this.drawn;
    for (const name of ['pointerenter', 'pointerdown', 'pointermove', 'pointerleave', 'focus', 'keydown']) node.addEventListener(name, (event) => this.take(event));
    node.addEventListener('blur', (event) => { if (this.drawn.node === node) this.take(event); });
    if (old) old.replaceWith(node);
    else this.prepend(node);
    if (hadFocus) node.focus({ preventScroll: true });
    this.cursor?.select(this.cursor.selected);
  }

  /** Passes an event to the cursor. The first one that would show it loads its code; those that arrive meanwhile follow. */
  async take(event) {
    if (this.cursor) return this.cursor.take(event);
    const isLoading = this.waiting.length > 0;
    const isKey = cursorKeys.includes(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isLoading && !isKey && !['pointerenter', 'pointerdown', 'focus'].includes(event.type)) return;
    // The page does not scroll by a key that the cursor takes.
    if (isKey) event.preventDefault();
    if (isKey || event.type !== 'keydown') this.waiting.push(event);
    if (isLoading) return;
    let module = null;
    let failure;
    try {
      module = await import('./cursor.js');
    } catch (problem) {
      failure = problem;
    }
    const events = this.waiting;
    this.waiting = [];
    // A pointer that passes by and the focus ask for nothing.
    if (!module && events.some(({ type }) => type === 'keydown' || type === 'pointerdown')) toast(loadFailureText(failure), { kind: 'bad' });
    if (!module) return;
    this.cursor = new module.Cursor(this);
    for (const each of events) this.cursor.take(each);
  }
}

customElements.define('larder-chart', LarderChart);

let context;

/** @returns {import('./types.js').Measure} measures in the font of an element */
function measurer(element) {
  const { fontFamily } = getComputedStyle(element);
  context ??= document.createElement('canvas').getContext('2d');
  return (text, isLabel) => {
    context.font = `${isLabel ? '600 12px' : '11px'} ${fontFamily}`;
    return context.measureText(text).width;
  };
}

/**
 * Returns the figure of a chart: the drawing, the legend, and a button that shows the same values as a table.
 *
 * @param {import('./types.js').ChartOptions} options
 * @param {any} parts what the modules of this kind of chart export
 */
export function figure(options, parts) {
  const model = parts.makeModel(options, parts);
  let values = null;
  const drawing = h('larder-chart');
  const content = h('div', { class: 'chart-content' });
  const legend = h('ul', { class: 'chart-legend' }, legendItems(model));
  const toggle = h('button', { class: 'chart-toggle', type: 'button', onclick: later(() => import('./table.js'), ({ valueTable }) => {
    values = values ? null : valueTable(model);
    show();
  }) });

  function show() {
    legend.hidden = values !== null;
    toggle.textContent = values ? t('chart.show-chart') : t('chart.show-table');
    content.replaceChildren(values ?? drawing);
    if (!values) drawing.show(model);
  }

  if (model.isEmpty) content.append(h('p', { class: 'chart-empty' }, options.empty ?? t('chart.empty')));
  else show();
  return h('figure', { class: 'chart' }, h('figcaption', { class: 'visually-hidden' }, model.title), content,
    model.isEmpty ? null : h('div', { class: 'chart-foot' }, legend, toggle));
}

function legendItems(model) {
  const hasIntervals = model.series.some(({ interval }) => interval.length > 0);
  if (model.kind === 'line' && model.series.length === 1 && !hasIntervals) return [];
  return model.series.map((series) => h('li', null, swatch(series, model.kind), series.legendText));
}
