import { api, environment, path, Problem, queryText } from './api/client.js';
import { forgetFlight } from './api/flight.js';
import { session } from './api/session.js';
import { Frame } from './elements/frame.js';
import { h, isLoadFailure, later, loadFailureText, problemNotice, skeleton } from './elements/index.js';
import { applyPreferences, hasShortcuts } from './elements/preferences.js';
import { stylesheet, withStyle } from './elements/stylesheet.js';
import { loadLanguage, preferredLanguage, problemText, t } from './i18n/index.js';
import { findRoute } from './pages/index.js';

const root = /** @type {HTMLElement} */ (document.getElementById('root'));

/** @type {import('./types.js').State} What outlives a page. */
const state = { apps: [], channels: [], app: null, channel: null, stream: null, visit: null, context: null, frame: null };

/** The reasons for asking before the window is closed, such as an upload in progress. */
const guards = new Set();
/** Called back when the person signs out. */
const endings = new Set();
/** The number of addresses that were opened: the newest one decides what is shown. */
let openings = 0;
/** Whether a page has begun to read since the app was opened. */
let hasRead = false;
/** @type {any[] | null} The events while a page reads, before which it may not listen. */
let missed = null;
/** The time in milliseconds between attempts to fetch the code of the event stream. */
const streamRetryInterval = 5_000;
let streamTimer;
/** What keys do on every page, on the open one, and after `G`. */
const keys = { frame: {}, page: {}, places: {} };

/** @type {any} What the first page needs. */
let early = null;

function askEarly() {
  const { app = remembered().app, route } = findRoute(location.hash);
  const options = { isSignIn: true };
  early = {
    session: session.open(), apps: api.get('apps', options), app,
    channels: app ? api.get(path('apps', app, 'channels'), options) : Promise.reject(new Error('no app is known')),
  };
  // A failure shows where the answer is used.
  for (const answer of [early.session, early.apps, early.channels, route?.load(), import('./api/stream.js')]) answer?.catch?.(() => {});
}

async function start() {
  applyPreferences();
  askEarly();
  await loadLanguage(preferredLanguage());
  Object.assign(environment, {
    text: t, codeText: problemText, reached: (isReached) => state.frame?.setReached(isReached),
    signInAgain: async () => (await gate()).signInAgain(shell),
  });
  addEventListener('hashchange', () => open());
  addEventListener('offline', () => state.frame?.setReached(false));
  addEventListener('online', () => {
    if (state.stream) state.stream.retryNow();
    else if (state.app) openStream(state.app);
    state.frame?.retry();
  });
  loadAtFirstKey();
  loadAtFirstAction();
  addEventListener('beforeunload', (event) => { if (guards.size) event.preventDefault(); });
  await open({ isFirst: true });
}

/** Opens the page of the address. */
async function open({ isFirst = false } = {}) {
  const found = findRoute(location.hash);
  openings += 1;
  const opening = openings;
  const isOutdated = () => opening !== openings;
  const asked = early;
  early = null;
  try {
    if (!session.user) await (asked?.session ?? session.open());
    if (!state.apps.length) state.apps = (await (asked?.apps ?? api.get('apps'))).apps;
    if (isOutdated()) return;
    if (!state.apps.length) return showFailure(null);
    const app = choose(state.apps.map(({ id }) => id), found.app, remembered().app);
    if (app !== state.app) {
      const { channels } = await (asked && asked.app === app ? asked.channels : api.get(path('apps', app, 'channels')));
      if (isOutdated()) return;
      openApp(app, channels);
    }
    const channel = choose(state.channels.map(({ name }) => name), found.channel, remembered().channel, 'production');
    if (app !== found.app || channel !== found.channel) {
      const rest = found.rest ?? location.hash.replace(/^#\/(apps\/[^/?]*|[^/?]*(\/[^/?]*)?)/, '');
      return location.replace(`#/${path(app, channel)}${rest}`);
    }
    state.channel = channel ?? null;
    localStorage.setItem('larder-place', JSON.stringify({ app, channel }));
  } catch (problem) {
    if (isOutdated()) return;
    if (problem.status === 401 && !session.user) return showSignIn();
    // The texts of such a problem may have been missing.
    if (asked) return open({ isFirst });
    return showFailure(problem);
  }
  await show(found, isFirst);
}

function remembered() {
  try {
    return JSON.parse(localStorage.getItem('larder-place') ?? '{}');
  } catch {
    return {};
  }
}

/** Returns the first wanted name that exists, or else the first name. */
function choose(names, ...wanted) {
  return wanted.find((name) => names.includes(name)) ?? names[0];
}

function openApp(app, channels) {
  state.channels = channels;
  state.app = app;
  state.stream?.close();
  state.stream = null;
  hasRead = false;
  openStream(app);
}

/** Opens the event stream of an app; tries again later if its code cannot be fetched. */
async function openStream(app) {
  const { EventStream } = await import('./api/stream.js').catch(() => ({ EventStream: null }));
  if (app !== state.app || state.stream) return;
  if (!EventStream) {
    clearTimeout(streamTimer);
    streamTimer = setTimeout(() => openStream(app), streamRetryInterval);
    return;
  }
  state.stream = new EventStream(app, {
    event: (entry) => publish(entry),
    gap: () => publish({ isGap: true }),
    state: (name, since) => state.frame?.setConnection(name, since),
  }, hasRead);
}

/** Passes an entry of the event stream to the frame and the open page. */
function publish(entry) {
  state.frame?.onEvent(entry);
  // The next page reads them again if this fails.
  if (entry.action?.startsWith('channel.')) refreshChannels().catch(() => {});
  missed?.push(entry);
  for (const callback of state.context?.listeners ?? []) callback(entry);
}

async function refreshChannels() {
  const { app } = state;
  const { channels } = await api.get(path('apps', app ?? '', 'channels'));
  if (app !== state.app) return;
  state.channels = channels;
  state.frame?.setPlace(state);
}

async function show(found, isFirst) {
  state.visit?.abort();
  const visit = new AbortController();
  state.visit = visit;
  if (!state.frame) {
    state.frame = new Frame({ leave, openPalette, keys, recovered: () => publish({ isGap: true }) });
    root.replaceChildren(state.frame.element);
  }
  const frame = state.frame;
  keys.page = {};
  const context = makeContext(found, visit.signal);
  state.context = context;
  frame.setPlace(state, context);
  frame.setCurrent(found.route?.nav);
  frame.main.setAttribute('aria-busy', 'true');
  const waiting = setTimeout(() => frame.showPage({ title: t('page.loading'), content: [skeleton(6)] }, { isWaiting: true }), 150);
  visit.signal.addEventListener('abort', () => clearTimeout(waiting));
  let page;
  try {
    const module = await (found.route ? found.route.load() : import('./pages/not-found.js'));
    if (visit.signal.aborted) return;
    hasRead = true;
    missed = [];
    page = await module.open(context);
  } catch (problem) {
    if (visit.signal.aborted) return;
    page = failed(problem, context);
  }
  clearTimeout(waiting);
  if (visit.signal.aborted) return;
  for (const dialog of document.querySelectorAll('dialog')) dialog.close();
  frame.showPage(page, { takesFocus: !isFirst });
  const entries = missed ?? [];
  missed = null;
  for (const entry of entries) for (const callback of context.listeners) callback(entry);
}

function makeContext(found, signal) {
  const { app, channel } = state;
  /** @type {import('./types.js').Context} */
  const context = {
    app, channel, apps: state.apps, channels: state.channels, params: found.params, query: found.query, signal, session,
    isProtected: (state.channels.find((each) => each.name === channel)?.approvals ?? 0) > 0,
    listeners: new Set(),
    scope: { app, channel },
    href: (page = '', query = {}) => address(app, channel, page, query),
    onEvent: (callback) => { context.listeners.add(callback); },
    setQuery: (changes, { reload = true } = {}) => {
      if (signal.aborted) return;
      for (const [name, value] of Object.entries(changes)) {
        if (value == null || value === '') found.query.delete(name);
        else found.query.set(name, value);
      }
      const search = found.query.toString();
      const hash = location.hash.replace(/\?.*$/s, '') + (search ? `?${search}` : '');
      history.replaceState(null, '', hash);
      if (reload) open({ isFirst: true });
    },
    reload: () => open({ isFirst: true }),
    go: (page, query) => { location.hash = address(app, channel, page, query ?? {}); },
    keys: (bindings) => { Object.assign(keys.page, bindings); },
    get: (parts, query) => api.get(path('apps', app, ...parts), { signal, query }),
    guard: () => {
      const token = {};
      guards.add(token);
      return () => guards.delete(token);
    },
    whenSignedOut: (callback) => { endings.add(callback); },
    openPalette,
    changed: () => {
      forgetFlight();
      state.frame?.refreshFlight();
    },
  };
  return context;
}

function address(app, channel, page, query) {
  const search = queryText(query);
  return `#/${path(app, channel, ...(page ? page.split('/') : []))}${search ? `?${search}` : ''}`;
}

function failed(problem, context) {
  const isLoad = isLoadFailure(problem);
  if (!isLoad && !problem.status && problem.name !== 'Error') console.error(problem);
  return { title: t('page.failed'), content: [problemNotice(isLoad ? new Problem(loadFailureText(problem)) : problem, () => context.reload())] };
}

function showFailure(problem) {
  state.visit?.abort();
  state.frame?.close();
  state.frame = null;
  root.replaceChildren(h('main', { class: 'gate' }, h('div', { class: 'card' },
    h('h1', null, t('page.failed')),
    problem ? problemNotice(problem, () => open({ isFirst: true })) : h('p', null, t('page.no-app')))));
  document.title = 'Larder';
}

/** Forgets what belongs to the person. */
function close() {
  state.visit?.abort();
  state.stream?.close();
  state.frame?.close();
  for (const forget of endings) forget();
  endings.clear();
  Object.assign(state, { apps: [], channels: [], app: null, channel: null, stream: null, context: null, frame: null });
}

/** What signing in changes. */
const shell = { root, state, close, open };
const gate = () => import('./pages/gate.js');
const showSignIn = async (/** @type {string | undefined} */ notice = undefined) => (await gate()).showSignIn(shell, notice);

const leave = later(() => import('./pages/leave.js'), async (module) => {
  if (await module.leave(guards.size > 0)) await showSignIn(t('sign-in.signed-out'));
}, { isOfEveryPage: true });

const openPalette = later(() => withStyle(import('./elements/palette.js'), 'overlays.css'), ({ palette }, start = '') => {
  if (state.context) palette(state.context, start);
});

/** At the first click or key, loads what most actions need, so that they open at once, also without a network. */
function loadAtFirstAction() {
  const listening = new AbortController();
  const prepare = () => {
    listening.abort();
    Promise.all([
      import('./elements/toast-area.js'), import('./elements/dialog.js'), import('./elements/menu-popup.js'), import('./elements/keys.js'),
      stylesheet('overlays.css'),
    ]).catch(loadAtFirstAction);
  };
  for (const name of ['pointerdown', 'keydown']) addEventListener(name, prepare, { capture: true, signal: listening.signal });
}

/** Loads what keys do at the first one. Further ones wait for it, up to one that opens the search, into which the rest is typed. */
function loadAtFirstKey() {
  /** @type {{event: KeyboardEvent, page: any}[]} */
  let waiting = [];
  let press;
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented) return;
    if (press) return press(event, keys);
    // The search of the browser does not open.
    if (isSearch(event)) event.preventDefault();
    if (waiting.some((each) => isSearch(each.event))) return;
    waiting.push({ event, page: keys.page });
    if (waiting.length > 1) return;
    import('./elements/keys.js').then((module) => {
      press = module.press;
      for (const each of waiting) if (each.page === keys.page || isSearch(each.event)) press(each.event, keys);
    }, () => {
      // It says that it cannot be loaded.
      if (waiting.some((each) => isSearch(each.event))) openPalette();
      waiting = [];
    });
  });
}

function isSearch({ key, ctrlKey, metaKey, target }) {
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k';
  return key === '/' && hasShortcuts() && Boolean(state.context) && !document.querySelector('dialog[open]') && !target.closest('input, textarea, select');
}

start();
