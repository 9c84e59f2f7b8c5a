import { t } from '../i18n/index.js';
import { button, h, icon, newId, skeleton } from './index.js';
import { actionItems, deviceItems, pageItems, recentItems, remember, searchItems } from './palette/items.js';

/** The time in milliseconds after the last key before the server is searched. */
const searchDelay = 150;

/** The palette that is open. @type {any} */
let opened = null;

/**
 * Opens the palette: it finds packages, versions, releases, pages and actions, and goes there.
 *
 * @param {any} context the context of the open page
 * @param {string} [start] the text to begin with: `>` shows actions only, `@` finds a device by its id
 */
export function palette(context, start = '') {
  if (opened) return;
  const abort = new AbortController();
  const listId = newId('list');
  /** @type {any[]} The items that are shown, in their order. */
  let items = [];
  let chosen = -1;
  let timer;
  /** @type {AbortController | null} */
  let search = null;

  const input = h('input', {
    type: 'text', role: 'combobox', autocomplete: 'off', spellcheck: 'false', 'aria-label': t('nav.jump'), 'aria-autocomplete': 'list',
    'aria-expanded': 'true', 'aria-controls': listId, placeholder: t('palette.placeholder'), value: start, oninput: () => show(), onkeydown: press,
  });
  input.value = start;
  const list = h('div', { role: 'listbox', id: listId, 'aria-label': t('palette.results') });
  const status = h('p', { class: 'visually-hidden', role: 'status' });
  const hint = (keys, text) => h('span', null, keys.map((key) => [h('kbd', null, key), ' ']), text);
  const element = h('dialog', {
    class: 'palette', 'aria-label': t('nav.jump'), onclose: () => {
      opened = null;
      abort.abort();
      clearTimeout(timer);
      element.remove();
    },
    onclick: (event) => { if (event.target === element) element.close(); },
  }, h('div', { class: 'query' }, icon('search'), input, button(null, { icon: 'cross', small: true, kind: 'quiet', name: t('common.close'), onclick: () => element.close() })),
  list, status, h('footer', null, hint(['↑', '↓'], t('palette.choose')), hint(['Enter'], t('palette.open')), hint(['>'], t('palette.actions-only')), hint(['@'], t('palette.devices'))));

  /** Shows what the text finds: at once what is known, then what the server finds. */
  function show() {
    clearTimeout(timer);
    search?.abort();
    const text = input.value.trim();
    if (text.startsWith('@')) return draw([{ title: t('palette.devices'), items: deviceItems(context, text.slice(1).trim()) }]);
    if (text.startsWith('>')) return later(text.slice(1).trim(), true);
    if (text === '') return draw([{ title: t('palette.recent'), items: recentItems(context) }, { title: t('palette.pages'), items: pageItems(context, '') }]);
    return later(text, false);
  }

  function later(text, hasActionsOnly) {
    const own = search = new AbortController();
    const signal = /** @type {any} */ (AbortSignal).any([own.signal, abort.signal]);
    const pages = hasActionsOnly ? [] : pageItems(context, text);
    timer = setTimeout(async () => {
      if (items.length === 0) list.replaceChildren(skeleton(3));
      const [actions, found] = await Promise.all([
        settle(actionItems(context, text, signal)), hasActionsOnly ? [] : settle(searchItems(context, text, signal)),
      ]);
      if (signal.aborted) return;
      // The server does not search among the devices: a text that may be an id leads to the device of this id.
      const devices = hasActionsOnly || /\s/.test(text) ? [] : deviceItems(context, text);
      draw([{ title: t('palette.actions'), items: actions }, { title: t('palette.go'), items: [...found, ...pages] }, { title: t('palette.devices'), items: devices }]);
    }, items.length === 0 ? 0 : searchDelay);
  }

  /** Shows the items in their groups, and chooses the first one. */
  function draw(groups) {
    items = groups.flatMap((group) => group.items);
    list.replaceChildren(...groups.filter((group) => group.items.length > 0).map((group) => h('div', { role: 'group', 'aria-label': group.title },
      h('h3', { 'aria-hidden': 'true' }, group.title), group.items.map((item) => option(item)))));
    if (items.length === 0) list.replaceChildren(h('div', { class: 'empty' }, h('p', { role: 'option', 'aria-disabled': 'true' }, t('palette.none'))));
    status.textContent = t('palette.found', { n: items.length });
    choose(items.findIndex((item) => !item.reason));
  }

  function option(item) {
    item.element = h('div', {
      role: 'option', id: newId('option'), class: 'row nowrap', 'aria-selected': 'false', 'aria-disabled': item.reason ? 'true' : null,
      onclick: () => run(item), onmousemove: () => { if (items[chosen] !== item) choose(items.indexOf(item), false); },
    }, icon(item.icon), h('span', { class: 'grow clip' }, item.label, ' ', item.note ? h('small', null, item.note) : null),
    item.reason ? h('small', null, item.reason) : item.end ? h('small', null, item.end) : item.keys ? h('kbd', null, item.keys) : null);
    return item.element;
  }

  function choose(index, scrolls = true) {
    items[chosen]?.element?.setAttribute('aria-selected', 'false');
    chosen = index;
    const item = items[chosen];
    if (!item) return input.removeAttribute('aria-activedescendant');
    item.element.setAttribute('aria-selected', 'true');
    input.setAttribute('aria-activedescendant', item.element.id);
    if (scrolls) item.element.scrollIntoView({ block: 'nearest' });
  }

  function press(event) {
    const count = items.length;
    const moves = { ArrowDown: (chosen + 1) % count, ArrowUp: (chosen - 1 + count) % count, PageDown: Math.min(count - 1, chosen + 8), PageUp: Math.max(0, chosen - 8) };
    if (event.key in moves && count > 0) {
      event.preventDefault();
      choose(moves[event.key]);
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      if (items[chosen]) run(items[chosen]);
    }
  }

  function run(item) {
    if (item.reason) return;
    element.close();
    if (item.href) {
      remember(context, item);
      location.hash = item.href.slice(1);
    } else item.run();
  }

  /** Returns the items of a request, or an item that says why there are none. */
  async function settle(promise) {
    try {
      return await promise;
    } catch (/** @type {any} */ problem) {
      return abort.signal.aborted ? [] : [{ icon: 'warning', label: t('palette.failed'), reason: problem.message }];
    }
  }

  opened = element;
  document.body.append(element);
  element.showModal();
  input.focus();
  input.setSelectionRange(start.length, start.length);
  show();
}
