import { getAll, onUnauthorized, path, token } from './api.js';
import { announce, empty, h, setTitle, showLateOutcomes } from './dom.js';
import { problemBox } from './form.js';
import { packageView } from './package.js';
import { packagesView } from './packages.js';
import { closeSession, hasSession, openSession, sessionText } from './session.js';
import { signInAgain, signInView } from './signin.js';

const main = document.getElementById('main');
const tools = document.getElementById('tools');

/** The number of pages opened; a response that arrives after a change of page is dropped. */
let visit = 0;
let apps = [];
/** The open app and page. */
let shownApp = null;
let shownPage = null;

const routes = [
  { pattern: /^#\/apps\/([^/]+)\/packages\/([^/]+)$/, view: packageView },
  { pattern: /^#\/apps\/([^/]+)$/, view: packagesView },
];

async function open({ takesFocus = true } = {}) {
  const own = ++visit;
  if (!token.get()) return show(signInView(enter), { takesFocus: false });
  main.setAttribute('aria-busy', 'true');
  let page;
  let current = null;
  try {
    const known = apps.length ? apps : (await getAll('apps', 'apps')).map((app) => app.id);
    if (!hasSession()) await openSession();
    if (own !== visit) return;
    apps = known;
    const { view, parameters, fallback } = find(location.hash);
    if (fallback) return location.replace(`#/${path('apps', fallback)}`);
    page = await view(...parameters);
    [current] = parameters;
  } catch (problem) {
    if (problem.status === 401) return leave(problemBox(problem));
    page = failure(problem);
  }
  if (own !== visit) return;
  shownApp = current;
  showTools(current);
  show(page, { takesFocus });
}

/** Returns the view of an address and its parameters, or without a view the app to open, preferably `default`. */
function find(hash) {
  for (const { pattern, view } of routes) {
    const match = pattern.exec(hash);
    if (match) return { view, parameters: match.slice(1).map(decode) };
  }
  if (apps.length === 0) return { view: noApp, parameters: [] };
  return { fallback: apps.includes('default') ? 'default' : apps[0] };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function noApp() {
  return { title: 'No app yet', content: [empty('An admin makes one: PUT /api/v1/apps/{app}.')] };
}

/** @param page the title, the content below the heading, and the parent */
function show(page, { takesFocus = true } = {}) {
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
  main.removeAttribute('aria-busy');
  shownPage = page;
  const heading = h('h1', { tabindex: '-1' });
  const trail = page.parent
    ? h('nav', { class: 'trail', 'aria-label': 'Breadcrumb' }, h('a', { href: page.parent.href }, page.parent.title))
    : null;
  main.replaceChildren(...[trail, heading, page.content].flat().filter(Boolean));
  setTitle(page.title);
  showLateOutcomes();
  if (takesFocus) heading.focus({ preventScroll: true });
  main.querySelector('[data-autofocus]')?.focus();
  window.scrollTo(0, 0);
}

function failure(problem) {
  return {
    title: 'This cannot be shown',
    content: [
      problemBox(problem),
      h('div', { class: 'actions' },
        h('button', { type: 'button', onclick: () => open() }, 'Try again'), ' ',
        h('a', { href: '#/' }, 'All packages')),
    ],
  };
}

function showTools(current) {
  const options = apps.map((app) => h('option', { value: app, selected: app === current }, app));
  const picker = h('select', {
    id: 'app-picker', onchange: (event) => { location.hash = `#/apps/${encodeURIComponent(event.target.value)}`; },
  }, options);
  tools.replaceChildren(
    h('label', { for: 'app-picker' }, 'App'), picker,
    hasSession() ? h('span', { class: 'muted' }, sessionText()) : '',
    h('button', { type: 'button', onclick: signOut }, 'Sign out'));
}

function enter() {
  announce('Signed in.');
  open();
}

function signOut() {
  leave(h('p', { class: 'notice good', role: 'status' }, 'Signed out.'));
}

/** Removes the token and opens the sign-in page. */
function leave(notice) {
  token.clear();
  closeSession();
  apps = [];
  visit += 1;
  tools.replaceChildren();
  show(signInView(enter, notice), { takesFocus: false });
}

/** Asks for another token in a dialog once the server rejects the current one; the open page keeps its entries. */
onUnauthorized(() => {
  if (!hasSession() || main.getAttribute('aria-busy')) return;
  signInAgain(async () => {
    await openSession();
    // The other token may have another name and another role.
    showTools(shownApp);
    shownPage.permit?.();
    announce('Signed in again. Repeat what you were doing.');
  });
});
const offline = document.getElementById('offline');
addEventListener('offline', () => {
  offline.textContent = `Offline since ${new Date().toLocaleTimeString(undefined, { timeStyle: 'short' })}. This page may be out of date; your entries stay.`;
});
addEventListener('online', () => { offline.textContent = ''; });
addEventListener('hashchange', () => open());
// The fragment of the address is the open page, so the link to the content must not change it.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
open({ takesFocus: false });
