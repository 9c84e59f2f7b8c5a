import { h, newId } from './dom.js';
import { icon } from './icons.js';
import { button } from './basics.js';
import { guarded } from './toast.js';

/**
 * Returns a button that opens a menu.
 *
 * @param {any} label text or nodes; `null` for a button with an icon only, which needs a `name`
 * @param {any[] | (() => any[])} items each `{label, icon, onclick, href, danger, reason, current, group, keys}`, or `null` for a
 *   line between items; `reason` says why an item is not possible; items of one `group` follow its name
 * @param {{icon?: string, class?: string, name?: string, kind?: any, small?: boolean, reason?: string | null}} options
 * @returns {any} an element with the button and, while it is open, the menu
 */
export function menu(label, items, { class: classes, name, kind, small, icon: iconName, reason } = {}) {
  const id = newId('menu');
  const isPlain = Boolean(classes);
  const open = () => (popup ? close(true) : show(0));
  const attributes = { 'aria-haspopup': 'menu', 'aria-expanded': 'false', onclick: open, onkeydown: (event) => pressButton(event) };
  const opener = isPlain
    ? h('button', { type: 'button', class: classes, 'aria-label': name, ...attributes }, iconName ? icon(iconName) : null, typeof label === 'string' ? h('span', null, label) : label)
    : button(label, { icon: iconName ?? (label == null ? 'more' : undefined), name, kind, small, reason, ...attributes });
  if (!isPlain && label != null && !reason) opener.append(icon('chevron-down', 12));
  const element = h('span', { class: 'menu-place' }, opener);
  /** @type {any} */
  let popup = null;

  function pressButton(event) {
    if (reason || popup || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    show(event.key === 'ArrowDown' ? 0 : -1);
  }

  function show(start) {
    const list = typeof items === 'function' ? items() : items;
    popup = h('div', {
      class: 'menu', id, role: 'menu', popover: 'auto', 'aria-label': name ?? (typeof label === 'string' ? label : null), onkeydown: press,
      ontoggle: (event) => { if (event.newState === 'closed') close(false); },
    }, groups(list, () => close(true)));
    element.append(popup);
    popup.showPopover();
    opener.setAttribute('aria-expanded', 'true');
    opener.setAttribute('aria-controls', id);
    placeBelow(popup, opener);
    focusItem(start);
  }

  function close(returnsFocus) {
    const old = popup;
    if (!old) return;
    const hadFocus = old.contains(document.activeElement);
    popup = null;
    opener.setAttribute('aria-expanded', 'false');
    opener.removeAttribute('aria-controls');
    if (old.matches(':popover-open')) old.hidePopover();
    old.remove();
    if (returnsFocus || hadFocus) opener.focus({ preventScroll: true });
  }

  const entries = () => [...popup.querySelectorAll('[role="menuitem"]')];

  function focusItem(index) {
    entries().at(index)?.focus();
  }

  function press(event) {
    const all = entries();
    const own = all.indexOf(document.activeElement);
    const letter = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey ? event.key.toLowerCase() : null;
    const target = {
      ArrowDown: all[(own + 1) % all.length], ArrowUp: all.at(own - 1), Home: all[0], End: all.at(-1),
    }[event.key] ?? (letter ? [...all.slice(own + 1), ...all.slice(0, own + 1)].find((item) => item.textContent.trim().toLowerCase().startsWith(letter)) : null);
    if (event.key === 'Tab') return close(true);
    if (event.key === 'Escape') {
      event.stopPropagation();
      event.preventDefault();
      return close(true);
    }
    if (event.key === ' ') {
      event.preventDefault();
      all[own]?.click();
    }
    if (letter || target) event.preventDefault();
    if (letter) event.stopPropagation();
    target?.focus();
  }

  return element;
}

function groups(items, close) {
  const nodes = [];
  /** @type {any} */
  let group = null;
  for (const item of items) {
    if (!item) {
      nodes.push(h('hr', { role: 'separator' }));
      continue;
    }
    if (!item.group) nodes.push(entry(item, close));
    else {
      if (group?.getAttribute('aria-label') !== item.group) {
        group = h('div', { role: 'group', 'aria-label': item.group }, h('p', { 'aria-hidden': 'true' }, item.group));
        nodes.push(group);
      }
      group.append(entry(item, close));
    }
  }
  return nodes;
}

function entry(item, close) {
  const attributes = {
    role: 'menuitem', tabindex: '-1', class: item.danger ? 'danger' : null, 'aria-current': item.current ? 'true' : null,
    'aria-disabled': item.reason ? 'true' : null,
    onclick: (event) => {
      if (item.reason) return event.preventDefault();
      close();
      if (item.onclick) guarded(item.onclick)(event);
    },
  };
  const content = [item.icon ? icon(item.icon) : h('span', { class: 'icon' }), h('span', null, item.label, item.reason ? h('small', null, item.reason) : null),
    item.current ? icon('check', 12) : null, item.keys ? h('kbd', null, item.keys) : null];
  return item.href != null && !item.reason ? h('a', { ...attributes, href: item.href }, content) : h('button', { ...attributes, type: 'button' }, content);
}

/** Places a popup at an element: below it, above it if there is more space, and within the window. */
function placeBelow(popup, anchor) {
  const margin = 8;
  const box = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popup;
  const isAbove = box.bottom + height + margin > innerHeight && box.top > innerHeight - box.bottom;
  const isRight = box.left + width + margin > innerWidth;
  const left = isRight ? box.right - width : box.left;
  popup.style.setProperty('left', `${Math.max(margin, Math.min(left, innerWidth - width - margin))}px`);
  popup.style.setProperty('top', `${isAbove ? Math.max(margin, box.top - height - 4) : box.bottom + 4}px`);
  popup.style.setProperty('min-width', `${Math.min(box.width, 320)}px`);
}
