import { dateTime, t } from '../i18n/index.js';
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

/** The texts at present of an instant, by the element that shows it. */
const texts = {
  'relative-time': relative,
  'count-down': (moment) => (moment > Date.now() ? duration((moment - Date.now()) / 1_000) : t('common.now')),
};

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
    const text = texts[this.localName](new Date(this.getAttribute('datetime') ?? '').getTime());
    if (text !== this.textContent) this.textContent = text;
  }
}

for (const tag of Object.keys(texts)) customElements.define(tag, class extends TickingText {});

/** Returns an instant in the viewer's zone, with UTC as tooltip; `text` is another text, such as the time of day only. */
export function timeTag(instant, text = dateTime(instant)) {
  return h('time', { datetime: iso(instant), title: utc(instant) }, text);
}

/** Returns how long ago an instant was or in how long it will be, such as `5 minutes ago`; the text updates itself. */
export function relativeTime(instant) {
  return ticker('relative-time', instant);
}

/** Returns how much time is left until an instant, such as `17 hr 28 min`; the text updates itself. */
export function countdown(instant) {
  return ticker('count-down', instant);
}

function ticker(tag, instant) {
  return h(tag, { datetime: iso(instant), title: `${dateTime(instant)} · ${utc(instant)}` });
}

function utc(instant) {
  return `${iso(instant).replace('T', ' ').replace(/\.\d+Z$/, '')} UTC`;
}

function iso(instant) {
  return new Date(instant).toISOString();
}
