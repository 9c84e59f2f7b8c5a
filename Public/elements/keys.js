import { hasShortcuts } from './preferences.js';

/** The time in milliseconds within which the second key of a sequence has to follow `G`. */
const sequenceTime = 1_500;

/** When `G` was pressed, if the last key was `G`. */
let prefixAt = -Infinity;

/** @typedef {Object<string, () => void>} Bindings */

/**
 * Runs what a key is bound to: on every page (`frame`), on the open one (`page`), or after `G` (`places`). A key that is bound to
 * nothing may move the focus.
 *
 * @param {KeyboardEvent} event
 * @param {{frame: Bindings, page: Bindings, places: Bindings}} bindings
 */
export function press(event, { frame, page, places }) {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') return run(event, frame['ctrl-k']);
  if (!hasShortcuts() || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isEntry(event.target) || document.querySelector('dialog[open]')) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const isSecond = event.timeStamp - prefixAt < sequenceTime;
  prefixAt = key === 'g' ? event.timeStamp : -Infinity;
  const action = (isSecond && places[key]) || page[key] || frame[key];
  if (action) return run(event, action);
  move(event);
}

function run(event, action) {
  event.preventDefault();
  action?.();
}

/** Returns whether keys that are pressed in an element are text. */
function isEntry(target) {
  return target instanceof HTMLElement
    && (target.isContentEditable || target.matches('input:not([type=checkbox]):not([type=radio]):not([type=button]), textarea, select'));
}

/** Moves the focus among the links of the rows with `J` and `K`, and among the tabs of the page with `[` and `]`. */
function move(event) {
  if (event.target.closest?.('input, [role="menu"], [role="treegrid"]')) return;
  if (event.key === 'j' || event.key === 'k') moveRow(event, event.key === 'j' ? 1 : -1);
  if (event.key === ']' || event.key === '[') moveTab(event, event.key === ']' ? 1 : -1);
}

function moveRow(event, step) {
  /** @type {any[]} */
  const links = [...document.querySelectorAll('main .row-link')].filter((link) => link.checkVisibility?.() ?? true);
  if (links.length === 0) return;
  const own = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
  const next = own < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, own + step));
  event.preventDefault();
  links[next].focus();
}

function moveTab(event, step) {
  /** @type {any[]} */
  const links = [...document.querySelectorAll('main .tabs a')];
  const own = links.findIndex((link) => link.hasAttribute('aria-current'));
  const next = links[own + step];
  if (own < 0 || !next) return;
  event.preventDefault();
  next.click();
}
