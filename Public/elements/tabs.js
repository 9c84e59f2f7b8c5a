import { t } from '../i18n/index.js';
import { button } from './basics.js';
import { h } from './dom.js';

/**
 * Returns links between the parts of a page.
 *
 * @param {{label: any, href: string, current?: boolean, count?: any}[]} entries
 * @param {{label?: string}} options the accessible name
 * @returns {any}
 */
export function tabs(entries, { label = t('common.tabs') } = {}) {
  return h('nav', { class: 'tabs', 'aria-label': label }, entries.map((entry) => h('a', {
    href: entry.href, 'aria-current': entry.current ? 'page' : null,
  }, entry.label, entry.count != null && entry.count !== '' ? h('span', { class: 'count' }, entry.count) : null)));
}

/**
 * Returns the buttons to the pages before and after the one that a list shows.
 *
 * @param {{hasPrevious: boolean, hasNext: boolean, onPrevious: () => void, onNext: () => void, text?: any}} options
 * @returns {any}
 */
export function pager({ hasPrevious, hasNext, onPrevious, onNext, text }) {
  const step = (iconName, name, isPossible, onclick) => button(null, {
    icon: iconName, name, small: true, onclick: isPossible ? onclick : undefined, 'aria-disabled': isPossible ? null : 'true', 'data-key': iconName,
  });
  return h('nav', { class: 'pager', 'aria-label': t('common.pages') }, text ? h('span', null, text) : null,
    step('chevron-left', t('common.previous'), hasPrevious, onPrevious), step('chevron-right', t('common.next'), hasNext, onNext));
}
