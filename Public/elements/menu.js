import { button } from './basics.js';
import { h } from './dom.js';
import { icon } from './icons.js';
import { later } from './later.js';
import { withStyle } from './stylesheet.js';

/**
 * Returns a button that opens a menu.
 *
 * @param {any} label text or nodes; `null` for a button with an icon only
 * @param {any[] | (() => any[] | Promise<any[]>)} items see `MenuItem`
 * @param {import('../types.js').MenuOptions} options
 * @returns {any} an element with the button and, while it is open, the menu
 */
export function menu(label, items, { class: classes, name, kind, small, icon: iconName, reason } = {}) {
  const isPlain = Boolean(classes);
  /** @type {any} The menu while it is open. */
  let popup = null;
  const load = () => Promise.all([withStyle(import('./menu-popup.js'), 'overlays.css'), typeof items === 'function' ? items() : items]);
  const show = later(load, ([{ MenuPopup }, list], start) => {
    if (!opener.isConnected) return;
    popup = new MenuPopup(opener, list, { name: name ?? (typeof label === 'string' ? label : undefined), onclose: () => { popup = null; } });
    popup.focusItem(start);
  });
  const press = (event) => {
    if (reason || popup || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    show(event.key === 'ArrowDown' ? 0 : -1);
  };
  const attributes = { 'aria-haspopup': 'menu', 'aria-expanded': 'false', onclick: () => (popup ? popup.close(true) : show(0)), onkeydown: press };
  const opener = isPlain
    ? h('button', { type: 'button', class: classes, 'aria-label': name, ...attributes }, iconName ? icon(iconName) : null, typeof label === 'string' ? h('span', null, label) : label)
    : button(label, { icon: iconName ?? (label == null ? 'more' : undefined), name, kind, small, reason, ...attributes });
  if (!isPlain && label != null && !reason) opener.append(icon('chevron-down', 12));
  return h('span', { class: 'menu-place' }, opener);
}
