import { h } from './dom.js';

/**
 * Returns a field for one line of text. Other members of the options become attributes.
 *
 * @param {{name?: string, value?: any, type?: string, [attribute: string]: any}} options
 * @returns {any}
 */
export function textInput({ value, ...attributes } = {}) {
  const element = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', ...attributes, class: join('input', attributes.class) });
  element.value = value ?? '';
  return element;
}

/**
 * Returns a field for several lines of text. Other members of the options become attributes.
 *
 * @param {{name?: string, value?: any, rows?: number, [attribute: string]: any}} options
 * @returns {any}
 */
export function textArea({ value, ...attributes } = {}) {
  const element = h('textarea', { rows: 3, ...attributes, class: join('input', attributes.class) });
  element.value = value ?? '';
  return element;
}

/**
 * Returns a list to choose from. Other members of the options become attributes.
 *
 * @param {any[]} options each a value with its label, or a value that is its own label
 * @param {{name?: string, value?: any, onchange?: (event: any) => void, [attribute: string]: any}} attributes
 * @returns {any}
 */
export function select(options, { value, ...attributes } = {}) {
  const pairs = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  const element = h('select', { ...attributes, class: join('input', attributes.class) },
    pairs.map(([each, label]) => h('option', { value: each ?? '', selected: String(each ?? '') === String(value ?? '') }, label)));
  element.value = String(value ?? pairs[0]?.[0] ?? '');
  return element;
}

function join(...classes) {
  return classes.filter(Boolean).join(' ');
}
