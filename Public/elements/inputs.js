import { h } from './dom.js';

/**
 * Returns a field for one line of text. Other members of the options become attributes, here and below.
 *
 * @param {{value?: any, [attribute: string]: any}} options
 */
export function textInput({ value, ...attributes } = {}) {
  const element = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', ...attributes, class: join('input', attributes.class) });
  element.value = value ?? '';
  return element;
}

/**
 * Returns a field for several lines of text.
 *
 * @param {{value?: any, [attribute: string]: any}} options
 */
export function textArea({ value, ...attributes } = {}) {
  const element = h('textarea', { rows: 3, ...attributes, class: join('input', attributes.class) });
  element.value = value ?? '';
  return element;
}

/**
 * Returns a list to choose from.
 *
 * @param {any[]} options each a value with its label, or a value that is its own label
 * @param {{value?: any, [attribute: string]: any}} attributes
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
