import { dateTime, t, utc } from '../i18n/index.js';
import { duration, relative } from '../i18n/times.js';
import { h } from './dom.js';

/** The elements on the page whose text depends on the present time. */
const ticking = new Set();
/** @type {any} */
let timer = null;

function tick() {
  if (document.hidden) return;
  for (const element of ticking) element.update();
}

/** A text that depends on the present time, and is updated while it is on the page. */
class TickingText extends HTMLElement {
  connectedCallback() {
    ticking.add(this);
    timer ??= setInterval(tick, 1_000);
    this.update();
  }

  disconnectedCallback() {
    ticking.delete(this);
    if (ticking.size > 0) return;
    clearInterval(timer);
    timer = null;
  }

  update() {
    const text = this.text(new Date(this.getAttribute('datetime') ?? '').getTime());
    if (text !== this.textContent) this.textContent = text;
  }

  /**
   * Returns the text at present.
   *
   * @param {number} moment
   * @returns {string}
   */
  text(moment) {
    return String(moment);
  }
}

/** An instant as the time since then or until then, such as `5 minutes ago`. */
class RelativeTime extends TickingText {
  text(moment) {
    return relative(moment);
  }
}

/** The time that is left until an instant, such as `17 hr 28 min`. */
class CountDown extends TickingText {
  text(moment) {
    const seconds = (moment - Date.now()) / 1_000;
    return seconds > 0 ? duration(seconds) : t('common.now');
  }
}

customElements.define('relative-time', RelativeTime);
customElements.define('count-down', CountDown);

/**
 * Returns an instant in the viewer's zone, with UTC as tooltip.
 *
 * @param {string | number | Date} instant
 * @param {any} [text] another text, such as the time of day only
 * @returns {any}
 */
export function timeTag(instant, text) {
  return h('time', { datetime: iso(instant), title: utc(instant) }, text ?? dateTime(instant));
}

/**
 * Returns how long ago an instant was or in how long it will be; the text updates itself.
 *
 * @param {string | number | Date} instant
 * @returns {any}
 */
export function relativeTime(instant) {
  return ticker('relative-time', instant);
}

/**
 * Returns how much time is left until an instant; the text updates itself.
 *
 * @param {string | number | Date} instant
 * @returns {any}
 */
export function countdown(instant) {
  return ticker('count-down', instant);
}

function ticker(tag, instant) {
  return h(tag, { datetime: iso(instant), title: `${dateTime(instant)} · ${utc(instant)}` });
}

function iso(instant) {
  return new Date(instant).toISOString();
}
