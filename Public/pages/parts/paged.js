import { textInput } from '../../elements/inputs.js';
import { h, icon } from '../../elements/index.js';
import { pager } from '../../elements/tabs.js';
import { t } from '../../i18n/index.js';

/** The rows of a page of a list. */
export const pageLength = 25;

/** The time in milliseconds after the last key before a search begins. */
const searchDelay = 200;

/**
 * Returns the position in a list that the server sends in pages. The position is in the address, so that a link leads to
 * the same page.
 *
 * @param {any} context
 * @param {() => void} reload loads the list at the new position
 */
export function listPosition(context, reload) {
  /** @type {(string | null)[]} The positions of the pages before the open one, as far as they were seen. */
  const trail = [];
  const move = (cursor) => {
    context.setQuery({ cursor }, { reload: false });
    reload();
  };
  return {
    /** The query of the request for the open page. */
    query: () => ({ limit: pageLength, cursor: context.query.get('cursor') }),
    /** Goes to the first page, with other filters in the address. */
    restart(changes = {}) {
      trail.length = 0;
      context.setQuery({ ...changes, cursor: null }, { reload: false });
      reload();
    },
    /**
     * Returns the buttons to the pages beside the open one, or `null` if the list has one page.
     *
     * @param {string | undefined} next the position of the next page
     * @param {number} rows the rows of the open page
     */
    pager(next, rows) {
      const cursor = context.query.get('cursor');
      if (!cursor && !next) return null;
      const isKnown = !cursor || trail.length > 0;
      const first = trail.length * pageLength + 1;
      return pager({
        hasPrevious: Boolean(cursor), hasNext: Boolean(next),
        onPrevious: () => move(trail.pop() ?? null),
        onNext: () => {
          trail.push(cursor);
          move(next);
        },
        text: isKnown && rows ? t('common.range', { first, last: first + rows - 1 }) : null,
      });
    },
  };
}

/**
 * Returns a function that makes a signal for each load, and aborts the load before it.
 *
 * @returns {(signal: AbortSignal) => AbortSignal}
 */
export function onlyLatest() {
  let own = new AbortController();
  return (signal) => {
    own.abort();
    own = new AbortController();
    return /** @type {any} */ (AbortSignal).any([own.signal, signal]);
  };
}

/**
 * Returns a search field that calls back shortly after the last key.
 *
 * @param {{label: string, value?: string | null, onsearch: (text: string) => void}} options
 * @returns {any}
 */
export function searchField({ label, value, onsearch }) {
  let timer;
  const input = textInput({
    type: 'search', value: value ?? '', placeholder: label, 'aria-label': label,
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(() => onsearch(input.value.trim()), searchDelay);
    },
  });
  return h('div', { class: 'search' }, icon('search'), input);
}
