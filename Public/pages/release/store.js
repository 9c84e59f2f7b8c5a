/** The time in milliseconds after which a release in flight is read again, since verdicts change without an event. */
const refreshTime = 30_000;

/** The time in milliseconds for which events are collected before the release is read again. */
const settleTime = 250;

/** The time in milliseconds after a release takes effect until it is read again, for clocks that differ a little. */
const effectDelay = 500;

/** The time in milliseconds for which panels of a page share what one of them has read. */
const sharedTime = 5_000;

/**
 * Returns a function that reads a value, and returns the last one again for a few seconds or until the next event.
 *
 * @param {any} context
 * @param {() => Promise<any>} read
 * @returns {() => Promise<any>}
 */
export function shared(context, read) {
  let last = /** @type {Promise<any> | null} */ (null);
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

/**
 * A release or a release set that a page shows. It is read again after each event that concerns it, when it takes effect or
 * its next step is due, and every half minute while it is in flight.
 */
export class ReleaseStore {
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
    /** @type {((value: any) => void)[]} */
    this.listeners = [];
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

  /** Reads the value again at its next instant, unless the half minute comes first. */
  wait() {
    clearTimeout(this.due);
    const { state, activeTime, nextStepAt } = this.value;
    const left = Date.parse(state === 'scheduled' ? activeTime : nextStepAt) - Date.now();
    if (left > 0 && left < refreshTime) this.due = setTimeout(() => this.refresh(), left + effectDelay);
  }

  /** Reads the value again; a failure leaves the last one, since the frame shows that the server cannot be reached. */
  async refresh() {
    try {
      const value = await this.read();
      if (this.signal.aborted) return;
      const isSame = JSON.stringify(value) === JSON.stringify(this.value);
      this.value = value;
      this.wait();
      if (!isSame) for (const listener of this.listeners) listener(value);
    } catch {
      return;
    }
  }

  /** Returns an element whose content follows the value. */
  fill(element, render) {
    const show = (value) => {
      const focused = element.contains(document.activeElement) ? document.activeElement?.getAttribute('data-key') : null;
      const nodes = [render(value)].flat(Infinity).filter((node) => node != null && node !== false);
      if (element.setBody) element.setBody(...nodes);
      else element.replaceChildren(...nodes);
      element.toggleAttribute('hidden', nodes.length === 0);
      if (focused) element.querySelector(`[data-key="${focused}"]`)?.focus();
    };
    show(this.value);
    this.listeners.push(show);
    return element;
  }
}
