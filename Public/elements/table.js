import { h } from './dom.js';
import { icon } from './icons.js';

/**
 * Returns the order after a press on a column's heading: the other direction for the column in use, and for another column
 * the largest first if it has numbers.
 */
export function nextSort(sort, column) {
  return { key: column.sort, descending: sort?.key === column.sort ? !sort.descending : Boolean(column.numeric) };
}

/**
 * Returns a table. Below 760 px its rows are cards, unless `cards` is false.
 *
 * @param {import('../types.js').TableOptions} options
 */
export function table({ caption, columns, rows, sort, onSort, cards = true, dense = false }) {
  const head = h('tr', { role: 'row' }, columns.map((column) => headCell(column, sort, onSort)));
  const body = h('tbody', { role: 'rowgroup', onclick: openRow }, rows.map((row) => bodyRow(row, columns)));
  return h('div', { class: cards ? 'table-wrap' : 'table-wrap wide' },
    h('table', { role: 'table', class: [cards && 'cards', dense && 'dense'].filter(Boolean).join(' ') || null },
      h('caption', { class: 'visually-hidden' }, caption), h('thead', { role: 'rowgroup' }, head), body));
}

function headCell(column, sort, onSort) {
  const isSorted = column.sort && sort?.key === column.sort;
  const attributes = {
    scope: 'col', role: 'columnheader', class: column.numeric ? 'num' : null,
    'aria-sort': isSorted ? (sort.descending ? 'descending' : 'ascending') : null,
  };
  if (column.hidden) return h('th', attributes, h('span', { class: 'visually-hidden' }, column.label));
  if (!column.sort || !onSort) return h('th', attributes, column.label);
  return h('th', attributes, h('button', {
    type: 'button', class: 'sort', 'data-key': `sort-${column.sort}`, onclick: () => onSort(nextSort(sort, column)),
  }, column.label, icon(isSorted ? 'chevron-down' : 'sort', 12)));
}

function bodyRow(row, columns) {
  const cells = columns.map((column, index) => {
    const content = row.cells[index];
    const classes = [column.numeric && 'num', column.full && 'full', column.hidden && 'act', index === 0 && 'lead'].filter(Boolean).join(' ');
    const label = index > 0 && !column.hidden && !column.full && typeof column.label === 'string' ? column.label : null;
    return h('td', { role: 'cell', class: classes || null, 'data-label': label },
      index === 0 && row.href ? h('a', { class: 'row-link', href: row.href }, content) : content);
  });
  const classes = [row.href && 'opens', row.selected && 'selected', row.class].filter(Boolean).join(' ');
  return h('tr', { role: 'row', class: classes || null, 'data-key': row.key, 'aria-current': row.selected ? 'true' : null }, cells);
}

/** Opens the row that was clicked, unless the click was for something in it or selected text. */
function openRow(event) {
  if (event.defaultPrevented || event.target.closest('a, button, input, label, select, summary')) return;
  if (getSelection()?.toString()) return;
  const link = event.target.closest('tr')?.querySelector('.row-link');
  if (!link) return;
  if (event.ctrlKey || event.metaKey) window.open(link.href, '_blank', 'noopener');
  else link.click();
}
