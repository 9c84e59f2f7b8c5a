import { keepFocus, nodesOf } from '../../elements/dom.js';

/** The time in milliseconds after which a release is read again, since verdicts change without an event. */
const refreshTime = 30_000;

/** The time in milliseconds for which events are collected. */
const settleTime = 250;

/** The time in milliseconds by which the clock of the server may be late. */
const effectDelay = 500;

/** The time in milliseconds for which panels share a response. */
const sharedTime = 5_000;

/** Returns a function that reads a value, and returns the last one again for a few seconds or until the next event. */
export function shared(context, /** @type {() => Promise<any>} */ read) {
  /** @type {Promise<any> | null} */
  let last = null;
  let at = 0;
  context.onEvent(() => { last = null; });
  return () => {
    if (last && Date.now() - at < sharedTime) return last;
    at = Date.now();
    const value = read();
    last = value;
    value.catch(() => { if (last === value) last = null; });
    return value;
  };
}

/** A release or a release set. It is read again after each event that concerns it, when a step is due, and every half minute. */
export class ReleaseStore {
  /** @type {((value: any) => void)[]} */
  listeners = [];

  /**
   * @param {any} context
   * @param {any} value
   * @param {() => Promise<any>} read
   * @param {(value: any, event: any) => boolean} concerns
   */
  constructor(context, value, read, concerns) {
    this.value = value;
    this.read = read;
    this.signal = context.signal;
    let settling;
    context.onEvent((event) => {
      if (!event.isGap && !concerns(this.value, event)) return;
      clearTimeout(settling);
      settling = setTimeout(() => this.refresh(), settleTime);
    });
    const timer = setInterval(() => { if (!document.hidden && this.value.state !== 'rolled-back') this.refresh(); }, refreshTime);
    context.signal.addEventListener('abort', () => {
      clearTimeout(settling);
      clearTimeout(this.due);
      clearInterval(timer);
    });
    this.wait();
  }

  /** Waits for the next step, unless the half minute comes first. */
  wait() {
    clearTimeout(this.due);
    const { state, activeTime, nextStepAt, nextStepFrom } = this.value;
    const left = Date.parse(state === 'scheduled' ? activeTime : nextStepAt ?? nextStepFrom) - Date.now();
    // A time reads differently once it has passed.
    if (left > 0 && left < refreshTime) this.due = setTimeout(() => this.refresh().then(() => { if (!this.signal.aborted) this.update(); }), left + effectDelay);
  }

  /** Reads the value again; after a failure the last one stays, since the frame shows that the server cannot be reached. */
  async refresh() {
    try {
      const value = await this.read();
      if (this.signal.aborted) return;
      const isSame = JSON.stringify(value) === JSON.stringify(this.value);
      this.value = value;
      this.wait();
      if (!isSame) this.update();
    } catch {
      return;
    }
  }

  /** Shows the value again, after a panel has learned something about it. */
  update() {
    for (const listener of this.listeners) listener(this.value);
  }

  /** Makes the content of an element follow the value; returns the element. */
  fill(element, /** @type {(value: any) => any} */ render) {
    const show = (value) => keepFocus(element, () => {
      const nodes = nodesOf(render(value));
      if (element.setBody) element.setBody(...nodes);
      else element.replaceChildren(...nodes);
      element.toggleAttribute('hidden', nodes.length === 0);
    });
    show(this.value);
    this.listeners.push(show);
    return element;
  }
}
