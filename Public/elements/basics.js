import { h, newId } from './dom.js';
import { icon } from './icons.js';
import { announce, guarded } from './toast.js';

/**
 * Returns a button, or a link that looks like one.
 *
 * @param {any} label text or nodes; `null` for a button with an icon only
 * @param {import('../types.js').ButtonOptions} [options]
 */
export function button(label, options = {}) {
  const { icon: iconName, kind, small, href, onclick, reason, type = 'button', keys, name, class: more, ...attributes } = options;
  const isSquare = label == null || label === '';
  const classes = ['button', kind, small && 'small', isSquare && 'square', more].filter(Boolean).join(' ');
  const refuse = (event) => {
    event.preventDefault();
    event.stopPropagation();
    announce(reason ?? '');
  };
  const content = [iconName ? icon(iconName) : null, isSquare ? null : label, keys ? h('kbd', { 'aria-hidden': 'true' }, keys) : null];
  const common = {
    ...attributes, class: classes, 'aria-label': name, title: reason ?? (isSquare ? name : attributes.title), 'data-reason': reason || null,
    'aria-disabled': reason ? 'true' : attributes['aria-disabled'], 'aria-keyshortcuts': keys && keys.length === 1 ? keys : null,
    onclick: reason ? refuse : guarded(onclick ?? (() => {})),
  };
  if (href != null && !reason) return h('a', { ...common, href }, content);
  return h('button', { ...common, type: reason ? 'button' : type }, content);
}

/** Returns a short state: a word with an icon and the colour of its kind: `good`, `warn`, `bad` or `info`. */
export function badge(text, kind = '', iconName) {
  return h('span', { class: kind ? `badge ${kind}` : 'badge' }, iconName ? icon(iconName, 12) : null, text);
}

/** Returns a neutral label, such as the name of a build. */
export function tag(text) {
  return h('span', { class: 'tag' }, text);
}

/** Returns a square with an icon in the colour of a kind, to begin an entry of a list. */
export function mark(iconName, kind = '') {
  return h('span', { class: kind ? `icon-mark ${kind}` : 'icon-mark' }, icon(iconName));
}

/** Returns text of a program within a sentence. */
export function code(text) {
  return h('code', null, text);
}

/** Returns a coloured dot that stands beside a word. */
export function dot(kind = '') {
  return h('span', { class: `dot ${kind}`, 'aria-hidden': 'true' });
}

/** Returns a heading, and its id, by which it names a part of the page. */
export function heading(title) {
  const id = newId('heading');
  return { id, element: h('h2', { id }, title) };
}
