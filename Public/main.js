import { api, environment, path, Problem } from './api/client.js';
import { forgetFlight } from './api/flight.js';
import { session } from './api/session.js';
import { EventStream } from './api/stream.js';
import { Frame } from './elements/frame.js';
import { announce, emptyState, h, isLoadFailure, later, loadFailureText, problemNotice, skeleton } from './elements/index.js';
import { applyPreferences } from './elements/preferences.js';
import { KeyBindings } from './elements/keys.js';
import { stylesheet, withStyle } from './elements/stylesheet.js';
import { loadLanguage, preferredLanguage, problemText, t } from './i18n/index.js';
import { findRoute } from './pages/index.js';

const root = /** @type {HTMLElement} */ (document.getElementById('root'));

/** The state of the console that outlives a page. */
const state = {
  /** @type {any[]} */
  apps: [],
  /** @type {any[]} The channels of the open app. */
  channels: [],
  /** @type {string | null} */
  app: null,
  /** @type {string | null} */
  channel: null,
  /** @type {EventStream | null} */
  stream: null,
  /** @type {AbortController | null} */
  visit: null,
  /** @type {any} */
  context: null,
  /** @type {Frame | null} */
  frame: null,
};

/** The reasons, by page, for asking before the page is left, such as an upload in progress. */
const guards = new Set();
/** What the pages forget when somebody signs out. */
const endings = new Set();
/** The number of times that an address was opened; the newest one decides what is shown. */
let openings = 0;
const keys = new KeyBindings();

/**
 * What the first page needs, asked for at once: the person, the apps, and the channels of the app in the address.
 *
 * @type {{session: Promise<any>, apps: Promise<any>, channels: Promise<any>, app?: string} | null}
 */
let early = null;

function askEarly() {
  const { app = remembered().app, route } = findRoute(location.hash);
  const options = { isSignIn: true };
  early = {
    session: session.open(), apps: api.get('apps', options), app,
    channels: app ? api.get(path('apps', app, 'channels'), options) : Promise.reject(new Error('no app is known')),
  };
  // A failure shows where the answer is used.
  for (const answer of [early.session, early.apps, early.channels, route?.load()]) answer?.catch?.(() => {});
}

async function start() {
  applyPreferences();
  askEarly();
  await loadLanguage(preferredLanguage());
  environment.text = (key) => t(key);
  environment.codeText = problemText;
  environment.reached = (isReached) => state.frame?.setReached(isReached);
  environment.signInAgain = signInAgain;
  addEventListener('hashchange', () => open());
  addEventListener('offline', () => state.frame?.setReached(false));
  addEventListener('online', () => {
    state.stream?.retryNow();
    state.frame?.retry();
  });
  addEventListener('keydown', prepareForKeys, { once: true });
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
  } catch (problem) {
    if (isOutdated()) return;
    if (problem.status === 401) return showSignIn();
    // The texts of such a problem may have been missing.
    if (asked) return open({ isFirst });
    return showFailure(problem);
  }
  try {
    if (!state.apps.length) state.apps = (await (asked?.apps ?? api.get('apps'))).apps;
    if (isOutdated()) return;
    if (!state.apps.length) return showFailure(null);
    const app = state.apps.some((each) => each.id === found.app) ? found.app : rememberedApp();
    if (app !== state.app) {
      const { channels } = await (asked && asked.app === app ? asked.channels : api.get(path('apps', app, 'channels')));
      if (isOutdated()) return;
      openApp(app, channels);
    }
    const channel = state.channels.some((each) => each.name === found.channel) ? found.channel : rememberedChannel();
    if (app !== found.app || channel !== found.channel) {
      const rest = found.rest ?? location.hash.replace(/^#\/(apps\/)?[^/?]*(\/[^/?]*)?/, '');
      const isOld = /^#\/apps\//.test(location.hash);
      return location.replace(`#/${path(app, channel)}${isOld ? location.hash.replace(/^#\/apps\/[^/?]*/, '') : rest}`);
    }
    state.channel = channel ?? null;
    localStorage.setItem('larder-place', JSON.stringify({ app, channel }));
  } catch (problem) {
    if (isOutdated()) return;
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

function rememberedApp() {
  const { app } = remembered();
  return state.apps.some((each) => each.id === app) ? app : state.apps[0].id;
}

function rememberedChannel() {
  const { channel } = remembered();
  const names = state.channels.map((each) => each.name);
  return [channel, 'production', names[0]].find((name) => names.includes(name));
}

function openApp(app, channels) {
  state.channels = channels;
  state.app = app;
  state.stream?.close();
  state.stream = new EventStream(app, {
    event: (entry) => publish(entry),
    gap: () => publish({ isGap: true }),
    state: (name, since) => state.frame?.setConnection(name, since),
  });
}

/** Gives an entry of the event stream to the frame and the open page. */
function publish(entry) {
  state.frame?.onEvent(entry);
  // The next page reads them again if this fails.
  if (entry.action?.startsWith('channel.')) refreshChannels().catch(() => {});
  for (const callback of state.context?.listeners ?? []) callback(entry);
}

async function refreshChannels() {
  const { app } = state;
  const { channels } = await api.get(path('apps', app ?? '', 'channels'));
  if (app !== state.app) return;
  state.channels = channels;
  state.frame?.setPlace(state);
}

/** Shows the page of a route in the frame. */
async function show(found, isFirst) {
  state.visit?.abort();
  const visit = new AbortController();
  state.visit = visit;
  if (!state.frame) {
    state.frame = new Frame({ leave, openPalette, keys, recovered: () => publish({ isGap: true }) });
    root.replaceChildren(state.frame.element);
  }
  const frame = state.frame;
  keys.clearPage();
  const context = makeContext(found, visit.signal);
  state.context = context;
  frame.setPlace(state, context);
  frame.setCurrent(found.route?.nav);
  frame.main.setAttribute('aria-busy', 'true');
  const waiting = setTimeout(() => frame.showPage({ title: t('page.loading'), content: [skeleton(6)] }, { isWaiting: true }), 150);
  visit.signal.addEventListener('abort', () => clearTimeout(waiting));
  let page;
  try {
    if (!found.route) page = notFound(context);
    else page = await (await found.route.load()).open(context);
  } catch (problem) {
    if (visit.signal.aborted) return;
    page = failed(problem, context);
  }
  clearTimeout(waiting);
  if (visit.signal.aborted) return;
  for (const each of document.querySelectorAll('dialog[open]')) /** @type {HTMLDialogElement} */ (each).close();
  frame.showPage(page, { takesFocus: !isFirst });
}

function makeContext(found, signal) {
  const { app, channel } = state;
  const context = {
    app, channel, apps: state.apps, channels: state.channels, params: found.params, query: found.query, signal, session,
    isProtected: (state.channels.find((each) => each.name === channel)?.approvals ?? 0) > 0,
    /** @type {Set<(event: any) => void>} */
    listeners: new Set(),
    scope: { app, channel },
    /** Returns the address of a page of this app and channel. */
    href: (page = '', query = {}) => address(app, channel, page, query),
    /** Calls back with each entry of the event stream while the page is open; after a loss with `{isGap: true}`. */
    onEvent: (callback) => { context.listeners.add(callback); },
    /** Changes the query of the address; `null` removes a name. Without `reload` the page stays as it is. */
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
    /** Binds single keys while the page is open. */
    keys: (bindings) => keys.setPage(bindings),
    /** Reads an object of the app: `context.get(['packages', id])`. */
    get: (parts, query) => api.get(path('apps', app, ...parts), { signal, query }),
    /** Makes the browser ask before the page is closed, until the returned function is called. */
    guard: () => {
      const token = {};
      guards.add(token);
      return () => guards.delete(token);
    },
    /** Calls back once when the person signs out. */
    whenSignedOut: (callback) => { endings.add(callback); },
    openPalette,
    changed: () => {
      forgetFlight();
      state.frame?.refreshFlight();
    },
  };
  return context;
}

/** Returns the address of a page. */
function address(app, channel, page, query) {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value != null && value !== '')).toString();
  return `#/${path(app, channel)}${page ? `/${page.split('/').map(encodeURIComponent).join('/')}` : ''}${search ? `?${search}` : ''}`;
}

function notFound(context) {
  return {
    title: t('page.not-found'),
    content: [emptyState({
      icon: 'search', title: t('page.not-found-title'), text: t('page.not-found-text'),
      actions: [h('a', { class: 'button', href: context.href() }, t('nav.overview'))],
    })],
  };
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

async function showSignIn(notice) {
  close();
  const { signInPage } = await import('./pages/sign-in.js');
  root.replaceChildren(signInPage({
    notice,
    entered: async () => {
      announce(t('sign-in.done'));
      await open({ isFirst: true });
    },
  }));
  /** @type {HTMLElement | null} */ (root.querySelector('[autofocus]'))?.focus();
  document.title = `${t('sign-in.title')} – Larder`;
}

/** Forgets what belongs to the person who was signed in. */
function close() {
  state.visit?.abort();
  state.stream?.close();
  state.frame?.close();
  for (const forget of endings) forget();
  endings.clear();
  Object.assign(state, { apps: [], channels: [], app: null, channel: null, stream: null, context: null, frame: null });
}

/** @type {Promise<boolean> | null} */
let signingIn = null;

/** Asks for the password in a dialog once the session has ended; the open page keeps its entries. */
function signInAgain() {
  if (!state.frame || !session.user) return Promise.resolve(false);
  const user = session.user;
  signingIn ??= withStyle(import('./pages/sign-in.js'), 'overlays.css').then((module) => module.signInDialog(user)).then(async (isSignedIn) => {
    // A request of one person is never sent again in the name of another.
    if (isSignedIn && session.user !== user) {
      location.reload();
      return false;
    }
    if (!isSignedIn) await showSignIn();
    return isSignedIn;
  }).finally(() => { signingIn = null; });
  return signingIn;
}

/** Signs out; see `leave.js`. */
const leave = later(() => import('./pages/leave.js'), async (module) => {
  if (await module.leave(guards.size > 0)) await showSignIn(t('sign-in.signed-out'));
}, { isOfEveryPage: true });

/** Finds a page, an object or an action. */
const openPalette = later(() => withStyle(import('./elements/palette.js'), 'overlays.css'), ({ palette }, start = '') => {
  if (state.context) palette(state.context, start);
});

/**
 * At the first click or key, loads what most actions need, so that they open at once and also without a network. After a failure
 * the next click or key tries again.
 */
function loadAtFirstAction() {
  const listening = new AbortController();
  const prepare = () => {
    listening.abort();
    Promise.all([
      import('./elements/toast-area.js'), import('./elements/dialog.js'), import('./elements/menu-popup.js'), stylesheet('overlays.css'),
    ]).catch(loadAtFirstAction);
  };
  for (const name of ['pointerdown', 'keydown']) addEventListener(name, prepare, { capture: true, signal: listening.signal });
}

/** Loads the keys that move among rows and tabs, at the first key, which may be one of them. */
function prepareForKeys(event) {
  import('./elements/moving.js').then(({ moveByKey }) => moveByKey(event)).catch(() => addEventListener('keydown', prepareForKeys, { once: true }));
}

start();
