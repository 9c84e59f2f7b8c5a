import { h } from './dom.js';

/**
 * Returns a list of terms and values; an entry that is `null` is left out, and a value that is missing is shown as a dash.
 *
 * @param {any[]} entries each `[term, value]`, or nothing
 * @returns {any}
 */
export function facts(entries) {
  return h('dl', { class: 'facts' }, entries.filter(Boolean).map(([term, value]) => h('div', null, h('dt', null, term), h('dd', null, value ?? '–'))));
}

/**
 * Returns large numbers side by side.
 *
 * @param {{label: any, value: any, note?: any}[]} entries
 * @returns {any}
 */
export function tiles(entries) {
  return h('dl', { class: 'tiles' }, entries.map(({ label, value, note }) => h('div', { class: 'tile' },
    h('dt', null, label), h('dd', null, value), note ? h('dd', { class: 'note' }, note) : null)));
}
