import { h } from './dom.js';

/**
 * Returns events in the order of time.
 *
 * @param {{kind?: string, when: any, text: any, note?: any}[]} entries
 * @returns {any}
 */
export function timeline(entries) {
  return h('ol', { class: 'timeline' }, entries.map((entry) => h('li', { class: entry.kind || null },
    h('span', { class: 'when' }, entry.when), h('span', { class: `dot ${entry.kind ?? ''}`, 'aria-hidden': 'true' }),
    h('div', null, entry.text, entry.note ? h('small', null, entry.note) : null))));
}
