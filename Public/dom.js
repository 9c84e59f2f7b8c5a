/**
 * Creates an element. Children are nodes or text, which is never parsed as HTML. `on…` attributes are listeners;
 * `true` sets an attribute without a value, `false` and `null` set none.
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

/** Announces a text of the page to screen readers. */
export function announce(text) {
  document.getElementById('live').textContent = text;
}

/** The outcomes that arrived while the next page was loading, and that it shows as well. */
let lateOutcomes = [];

/** Shows the outcome of an action in its element, or below the heading of the open page if the operator has left the element's page. */
export function showOutcome(element, box) {
  if (document.getElementById('main').hasAttribute('aria-busy')) lateOutcomes.push(box);
  if (element.isConnected) element.replaceChildren(box);
  else document.querySelector('h1').after(h('div', { class: 'outcome' }, box));
}

/** Moves the outcomes that arrived while this page loaded below its heading. */
export function showLateOutcomes() {
  const late = lateOutcomes;
  lateOutcomes = [];
  if (late.length) document.querySelector('h1').after(h('div', { class: 'outcome' }, late));
}

/** Sets the title of the open page, in its heading and in the tab. */
export function setTitle(text) {
  document.querySelector('h1').textContent = text;
  document.title = `${text} – Larder`;
}

let lastId = 0;

/** Returns a label with its control and hint. */
export function field(label, control, hint) {
  control.id ||= `field-${++lastId}`;
  const parts = [h('label', { for: control.id }, label), control];
  if (hint) {
    control.setAttribute('aria-describedby', `${control.id}-hint`);
    parts.push(h('p', { id: `${control.id}-hint`, class: 'hint' }, hint));
  }
  return h('div', { class: 'field' }, parts);
}

/** Returns a checkbox with its label after it. */
export function check(label, control, hint) {
  const whole = field(label, control, hint);
  whole.className = 'field check';
  whole.prepend(control);
  return whole;
}

/**
 * Returns a table that becomes a list of cards on a narrow screen and stays a table for screen readers.
 *
 * @param caption the subject of the table
 * @param columns names; an empty one is for buttons
 * @param rows arrays of cells: text, a node or several nodes
 */
export function table(caption, columns, rows) {
  const head = columns.map((name) =>
    h('th', { role: 'columnheader', scope: 'col' }, name || h('span', { class: 'visually-hidden' }, 'Actions')));
  const body = rows.map((cells) => h('tr', { role: 'row' }, cells.map((cell, index) =>
    h('td', { role: 'cell', 'data-label': columns[index] || null }, cell))));
  return h('table', { role: 'table' },
    h('caption', { class: 'visually-hidden' }, caption),
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, head)),
    h('tbody', { role: 'rowgroup' }, body));
}

/** Returns the text of an empty section, with the next step. */
export function empty(text, ...more) {
  return h('p', { class: 'empty' }, text, ...more);
}
