import { t } from '../i18n/index.js';
import { h } from './dom.js';
import { icon } from './icons.js';

/**
 * Returns the lines of a file list in order, with a line for each folder, from the paths of the files.
 *
 * @param {any[]} files each with `path`; other members are kept
 * @param {(folder: string, files: any[]) => Object<string, any>} [describe] returns the further members of a folder's line
 * @returns {any[]} the rows for `tree`
 */
export function treeRows(files, describe = () => ({})) {
  const rows = [];
  const open = [];
  const sorted = [...files].sort((one, other) => comparePaths(one.path, other.path));
  for (const file of sorted) {
    const folders = file.path.split('/').slice(0, -1);
    let same = 0;
    while (same < open.length && open[same] === folders[same]) same += 1;
    open.length = same;
    for (const name of folders.slice(same)) {
      open.push(name);
      const folder = `${open.join('/')}/`;
      rows.push({
        path: folder, depth: open.length - 1, isFolder: true, ...describe(folder, sorted.filter((each) => each.path.startsWith(folder))),
      });
    }
    rows.push({ ...file, depth: folders.length, isFolder: false });
  }
  return rows;
}

/** Returns whether a folder is within another one. */
export function isNested(folder) {
  return folder.indexOf('/') < folder.length - 1;
}

/** Compares two paths so that the folders of a folder come before its files. */
function comparePaths(one, other) {
  const [left, right] = [one.split('/'), other.split('/')];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const [isLeftFile, isRightFile] = [index === left.length - 1, index === right.length - 1];
    if (isLeftFile !== isRightFile) return isLeftFile ? 1 : -1;
    if (left[index] !== right[index]) return left[index] < right[index] ? -1 : 1;
  }
  return left.length - right.length;
}

const changes = { added: ['add', '+'], changed: ['mod', '~'], removed: ['del', '−'], moved: ['mov', '→'] };

/**
 * Returns the sign of a change to a file, with its name for screen readers.
 *
 * @param {'added' | 'changed' | 'removed' | 'moved'} kind
 * @returns {any}
 */
export function changeSign(kind) {
  const [name, sign] = changes[kind];
  return h('span', { class: `delta ${name}`, title: t(`tree.${kind}`) },
    h('span', { 'aria-hidden': 'true' }, sign), h('span', { class: 'visually-hidden' }, t(`tree.${kind}`)));
}

/**
 * Returns a list of files and folders as a tree. Folders open and close; arrow keys move; Enter opens a file.
 *
 * @param {{path: string, depth: number, isFolder: boolean, label?: any, before?: any, note?: any, isClosed?: boolean,
 *   cells?: any[], href?: string, onopen?: () => void, [cell: string]: any}[]} rows in the order of the tree; `before` stands
 *   between icon and name, such as the sign of a change
 * @param {{label: any, numeric?: boolean, key?: string, cell?: (row: any) => any}[]} columns the first is the file's; the
 *   content of another is `cell(row)`, `row[key]` or its place in `row.cells`
 * @param {{label?: string}} options the accessible name
 * @returns {any}
 */
export function tree(rows, columns, { label = t('tree.files') } = {}) {
  const closed = new Set(rows.filter((row) => row.isFolder && row.isClosed).map((row) => row.path));
  const lines = rows.map((row) => line(row, columns, () => toggle(row)));

  function show() {
    let hiddenBelow = Infinity;
    rows.forEach((row, index) => {
      if (row.depth <= hiddenBelow) hiddenBelow = Infinity;
      lines[index].toggleAttribute('hidden', row.depth > hiddenBelow);
      if (row.isFolder) lines[index].setAttribute('aria-expanded', String(!closed.has(row.path)));
      if (row.isFolder && closed.has(row.path)) hiddenBelow = Math.min(hiddenBelow, row.depth);
    });
  }

  function toggle(row, shouldClose = !closed.has(row.path)) {
    if (shouldClose) closed.add(row.path);
    else closed.delete(row.path);
    show();
  }

  function focus(index) {
    lines.forEach((each, other) => each.setAttribute('tabindex', other === index ? '0' : '-1'));
    lines[index].focus();
  }

  function move(from, step) {
    let index = from + step;
    while (lines[index]?.hasAttribute('hidden')) index += step;
    if (lines[index]) focus(index);
  }

  function press(event) {
    const index = lines.indexOf(event.target.closest('tr'));
    if (index < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[index];
    const isOpen = row.isFolder && !closed.has(row.path);
    const actions = {
      ArrowDown: () => move(index, 1), ArrowUp: () => move(index, -1), Home: () => move(-1, 1), End: () => move(lines.length, -1),
      ArrowRight: () => (row.isFolder && !isOpen ? toggle(row, false) : move(index, 1)),
      ArrowLeft: () => {
        if (isOpen) toggle(row, true);
        else for (let up = index - 1; up >= 0; up -= 1) if (rows[up].depth < row.depth) return focus(up);
      },
      Enter: () => {
        if (row.isFolder) toggle(row);
        else if (row.href) lines[index].querySelector('a').click();
        else row.onopen?.();
      },
    };
    if (!actions[event.key] || (event.key === 'Enter' && event.target.closest('a, button'))) return;
    event.preventDefault();
    actions[event.key]();
  }

  lines[0]?.setAttribute('tabindex', '0');
  show();
  return h('div', { class: 'table-wrap wide' }, h('table', { class: 'tree dense', role: 'treegrid', 'aria-label': label, onkeydown: press },
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' },
      columns.map((column) => h('th', { scope: 'col', role: 'columnheader', class: column.numeric ? 'num' : null }, column.label)))),
    h('tbody', { role: 'rowgroup' }, lines)));
}

function line(row, columns, toggle) {
  const name = row.label ?? (row.isFolder ? `${row.path.replace(/\/$/, '').split('/').pop()}/` : row.path.split('/').pop());
  const path = h('div', { class: 'path' },
    row.isFolder ? icon('chevron-down', 12) : h('span', { class: 'twist' }), icon(row.isFolder ? 'folder' : 'file'), row.before,
    row.href ? h('a', { href: row.href, tabindex: '-1' }, name)
      : row.onopen ? h('button', { type: 'button', class: 'link', tabindex: '-1', onclick: row.onopen }, name) : h('span', { class: 'name' }, name),
    row.note ? h('span', { class: 'muted' }, row.note) : null);
  path.style?.setProperty('--depth', String(row.depth));
  const cells = columns.slice(1).map((column, index) => h('td', { role: 'gridcell', class: column.numeric ? 'num' : null },
    column.cell ? column.cell(row) : column.key ? row[column.key] : row.cells?.[index]));
  return h('tr', {
    role: 'row', 'aria-level': row.depth + 1, tabindex: '-1', class: row.isFolder ? 'folder' : null, onclick: row.isFolder ? toggle : () => {},
  }, h('td', { role: 'gridcell' }, path), cells);
}
