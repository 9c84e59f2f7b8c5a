import { h, newId } from './dom.js';
import { icon } from './icons.js';
import { guarded } from './toast.js';

/** The open menu of a button. */
export class MenuPopup {
  /**
   * @param {any} opener the button
   * @param {any[]} items
   * @param {{name?: string, onclose: () => void}} options
   */
  constructor(opener, items, { name, onclose }) {
    this.opener = opener;
    this.onclose = onclose;
    this.isOpen = true;
    this.element = h('div', {
      class: 'menu', id: newId('menu'), role: 'menu', popover: 'auto', 'aria-label': name, onkeydown: (event) => this.press(event),
      ontoggle: (event) => { if (event.newState === 'closed') this.close(false); },
    }, groups(items, () => this.close(true)));
    opener.after(this.element);
    this.element.showPopover();
    opener.setAttribute('aria-expanded', 'true');
    opener.setAttribute('aria-controls', this.element.id);
    placeBelow(this.element, opener);
  }

  close(returnsFocus) {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.onclose();
    const hadFocus = this.element.contains(document.activeElement);
    this.opener.setAttribute('aria-expanded', 'false');
    this.opener.removeAttribute('aria-controls');
    if (this.element.matches(':popover-open')) this.element.hidePopover();
    this.element.remove();
    if (returnsFocus || hadFocus) this.opener.focus({ preventScroll: true });
  }

  get entries() {
    return [...this.element.querySelectorAll('[role="menuitem"]')];
  }

  focusItem(index) {
    this.entries.at(index)?.focus();
  }

  press(event) {
    const all = this.entries;
    const own = all.indexOf(document.activeElement);
    const letter = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey ? event.key.toLowerCase() : null;
    const target = {
      ArrowDown: all[(own + 1) % all.length], ArrowUp: all.at(own - 1), Home: all[0], End: all.at(-1),
    }[event.key] ?? (letter ? [...all.slice(own + 1), ...all.slice(0, own + 1)].find((item) => item.textContent.trim().toLowerCase().startsWith(letter)) : null);
    if (event.key === 'Tab') return this.close(true);
    if (event.key === 'Escape') {
      event.stopPropagation();
      event.preventDefault();
      return this.close(true);
    }
    if (event.key === ' ') {
      event.preventDefault();
      all[own]?.click();
    }
    if (letter || target) event.preventDefault();
    if (letter) event.stopPropagation();
    target?.focus();
  }
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
