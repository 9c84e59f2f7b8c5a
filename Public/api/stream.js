import { environment } from './client.js';

/** The times in milliseconds after which a lost stream is opened again. */
const backoff = [500, 1_000, 2_000, 5_000, 10_000];

/** The failed attempts in a row after which the server counts as unreachable. */
const failuresUntilOffline = 2;

/** The silence in milliseconds after which a stream counts as lost; the server sends a comment every 25 s. */
const patience = 40_000;

/** The time in milliseconds after which a hidden tab gives its stream back. */
const hiddenPatience = 60_000;

/** The stream of an app's changes. It opens again after a loss, and continues after the last event that it has seen. */
export class EventStream {
  /**
   * @param {string} app
   * @param {import('../types.js').StreamHandlers} handlers
   * @param {boolean} hasGap whether changes before the stream opens may be missing
   */
  constructor(app, handlers, hasGap) {
    this.hasGap = hasGap;
    this.app = app;
    this.handlers = handlers;
    /** @type {string | undefined} */
    this.lastID = undefined;
    this.failures = 0;
    this.isClosed = false;
    this.onVisibility = () => this.visibilityChanged();
    document.addEventListener('visibilitychange', this.onVisibility);
    this.connect();
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.hiddenTimer);
    clearTimeout(this.retryTimer);
    this.abort?.abort();
    document.removeEventListener('visibilitychange', this.onVisibility);
  }

  visibilityChanged() {
    clearTimeout(this.hiddenTimer);
    if (document.hidden) {
      this.hiddenTimer = setTimeout(() => {
        this.isAsleep = true;
        this.abort?.abort();
      }, hiddenPatience);
    } else if (this.isAsleep) {
      this.isAsleep = false;
      this.connect();
    }
  }

  /** Opens a lost stream at once. */
  retryNow() {
    if (this.isOpen || this.isClosed || this.isAsleep) return;
    clearTimeout(this.retryTimer);
    this.connect();
  }

  async connect() {
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    let silence;
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(() => abort.abort(), patience);
    };
    listen();
    try {
      const url = new URL(`../api/v1/apps/${encodeURIComponent(this.app)}/events`, document.baseURI);
      if (this.lastID) url.searchParams.set('after', this.lastID);
      const response = await fetch(url, { signal: abort.signal, headers: { Accept: 'text/event-stream' } });
      if (response.status === 401 && !this.isClosed) {
        if (await environment.signInAgain()) this.failures = 0;
        throw new Error('The session has ended.');
      }
      if (!response.ok || !response.body) throw new Error(`The stream has status ${response.status}.`);
      this.isOpen = true;
      if (this.hasGap) this.handlers.gap();
      this.hasGap = false;
      this.failures = 0;
      environment.reached(true);
      this.handlers.state('live');
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const parser = new EventParser((event) => this.take(event));
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        listen();
        parser.push(value);
      }
      this.isOpen = false;
      if (this.abort === abort) this.schedule(0);
    } catch {
      this.isOpen = false;
      if (this.abort !== abort || this.isClosed || this.isAsleep) return;
      if (this.failures === 0) this.lostAt = new Date();
      this.failures += 1;
      this.hasGap = true;
      if (this.failures === failuresUntilOffline) environment.reached(false);
      this.handlers.state('reconnecting', this.lostAt);
      this.schedule(backoff[Math.min(this.failures, backoff.length) - 1]);
    } finally {
      clearTimeout(silence);
    }
  }

  schedule(delay) {
    if (this.isClosed || this.isAsleep) return;
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => this.connect(), delay);
  }

  take(/** @type {Fields} */ { id, data }) {
    if (id) this.lastID = id;
    if (!data) return;
    try {
      this.handlers.event(JSON.parse(data));
    } catch (error) {
      console.warn('An event could not be read.', error);
    }
  }
}

/** @typedef {{id?: string, event?: string, data?: string}} Fields the fields of an event */

/** Reads the lines of an event stream as they arrive, in pieces of any length. */
export class EventParser {
  rest = '';
  /** @type {Fields} */
  fields = {};

  /** @param {(event: Fields) => void} onEvent */
  constructor(onEvent) {
    this.onEvent = onEvent;
  }

  /** @param {string} text */
  push(text) {
    const lines = (this.rest + text).split(/\r?\n/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.line(line);
  }

  line(line) {
    if (line === '') {
      if (Object.keys(this.fields).length) this.onEvent(this.fields);
      this.fields = {};
      return;
    }
    const [, name, value = ''] = /^(data|id|event)(?:$|: ?(.*))/s.exec(line) ?? [];
    if (name === 'data' && this.fields.data !== undefined) this.fields.data += `\n${value}`;
    else if (name) this.fields[name] = value;
  }
}
