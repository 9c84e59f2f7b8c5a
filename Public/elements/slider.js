import { percent as percentText, t } from '../i18n/index.js';
import { h, newId } from './dom.js';

/** The positions of the native range input. */
const positions = 1_000;

/** The percentages at equal distances along the slider: most rollouts begin below 10%. */
const marks = [0, 1, 10, 50, 100];

/** The percentages that Page Up and Page Down go to. */
const stops = [0, 0.1, 1, 5, 10, 25, 50, 75, 100];

/**
 * Returns the percentage at a position of the slider, rounded as finely as the position allows.
 *
 * @param {number} position from 0 to 1000
 * @returns {number}
 */
export function percentAt(position) {
  const part = positions / (marks.length - 1);
  const index = Math.min(marks.length - 2, Math.floor(position / part));
  const value = marks[index] + (marks[index + 1] - marks[index]) * (position / part - index);
  const step = [0.01, 0.1, 1, 1][index];
  return Number((Math.round(value / step) * step).toFixed(2));
}

/**
 * Returns the position of a percentage on the slider.
 *
 * @param {number} value from 0 to 100
 * @returns {number}
 */
export function positionOf(value) {
  const part = positions / (marks.length - 1);
  const index = Math.max(0, marks.findLastIndex((mark, place) => value >= mark && place < marks.length - 1));
  return (index + (value - marks[index]) / (marks[index + 1] - marks[index])) * part;
}

/**
 * Returns the percentage after a key: arrows move by 0.1, Page Up and Page Down to the next stop.
 *
 * @param {string} key
 * @param {number} value
 * @returns {number | null} `null` for other keys
 */
export function percentAfterKey(key, value) {
  if (key === 'ArrowRight' || key === 'ArrowUp') return Number((value + 0.1).toFixed(2));
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Number((value - 0.1).toFixed(2));
  if (key === 'PageUp') return stops.find((stop) => stop > value) ?? 100;
  if (key === 'PageDown') return stops.findLast((stop) => stop < value) ?? 0;
  if (key === 'Home') return 0;
  return key === 'End' ? 100 : null;
}

/** A slider for a percentage with a stretched scale, and a field for the exact number. */
class PercentSlider extends HTMLElement {
  /** @param {any} options */
  setUp({ value = 10, min = 0, name, label, describe = percentText, onchange }) {
    this.min = min;
    this.describe = describe;
    // Not `onchange`: the browser would call that one with each `change` event of the fields inside.
    this.changed = onchange;
    this.current = this.limit(value);
    const id = newId('percent');
    this.text = h('output', { class: 'slider-text', for: id });
    this.range = h('input', {
      type: 'range', id, min: 0, max: positions, step: 1, class: 'slider', 'aria-label': label, onkeydown: (event) => this.press(event),
      oninput: () => this.change(percentAt(Number(this.range.value)), 'range'),
    });
    this.exact = h('input', {
      type: 'number', class: 'input', min, max: 100, step: 'any', inputmode: 'decimal', 'aria-label': t('slider.exact'),
      oninput: () => { if (this.exact.value !== '') this.change(Number(this.exact.value), 'exact'); },
      onchange: () => this.show(),
    });
    const scale = h('div', { class: 'slider-marks', 'aria-hidden': 'true' }, marks.map((mark) => h('span', null, percentText(mark))));
    this.focusTarget = this.range;
    if (name) this.setAttribute('data-name', name);
    this.replaceChildren(this.text, h('div', { class: 'slider-row' }, h('div', { class: 'slider-track' }, this.range, scale),
      h('div', { class: 'joined' }, this.exact, h('span', { class: 'zone', 'aria-hidden': 'true' }, '%'))));
    this.show();
  }

  get value() {
    return this.current;
  }

  set value(next) {
    this.current = this.limit(next);
    this.show();
  }

  limit(value) {
    return Math.min(100, Math.max(this.min, Number.isFinite(value) ? value : this.min));
  }

  press(event) {
    const next = percentAfterKey(event.key, this.current);
    if (next === null) return;
    event.preventDefault();
    this.change(next);
  }

  change(value, source) {
    this.current = this.limit(value);
    this.show(source);
    this.changed?.(this.current);
  }

  /** Shows another text than the description of the value, such as an estimate that has just arrived. */
  setDescription(text) {
    this.text.replaceChildren(text);
    this.range.setAttribute('aria-valuetext', this.text.textContent);
  }

  show(source) {
    const position = positionOf(this.current);
    if (source !== 'range' || percentAt(Number(this.range.value)) !== this.current) this.range.value = String(position);
    if (source !== 'exact') this.exact.value = String(this.current);
    this.range.style.setProperty('--fill', `${position / 10}%`);
    this.range.style.setProperty('--min', `${positionOf(this.min) / 10}%`);
    this.setDescription(this.describe(this.current));
  }
}

customElements.define('percent-slider', PercentSlider);

/**
 * Returns a slider for a percentage. `value` of the element is the percentage, and `setDescription(text)` replaces the text
 * above the slider.
 *
 * @param {{value?: number, min?: number, name?: string, label?: string, describe?: (value: number) => string,
 *   onchange?: (value: number) => void}} options `min` is the least percentage, for a share that only grows
 * @returns {any}
 */
export function percentSlider(options) {
  const element = h('percent-slider');
  element.setUp(options);
  return element;
}
