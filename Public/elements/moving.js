import { hasShortcuts } from './preferences.js';

/** Moves the focus among the links of the rows with `J` and `K`, and among the tabs of the page with `[` and `]`. */
export function moveByKey(event) {
  if (!hasShortcuts() || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest?.('input, textarea, select, [contenteditable], [role="menu"], [role="treegrid"]')) return;
  if (document.querySelector('dialog[open]')) return;
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

document.addEventListener('keydown', moveByKey);
