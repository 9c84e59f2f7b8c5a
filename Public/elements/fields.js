import { alias } from './alias.js';
import { h, newId } from './dom.js';
import { icon } from './icons.js';

/**
 * Returns a control with its label above, and a hint or an error below. `setError(text)` of the element shows an error,
 * `setError(null)` removes it; `control` is the control.
 *
 * @param {any} label
 * @param {any} control
 * @param {{hint?: any, required?: boolean}} options
 */
export function field(label, control, { hint, required } = {}) {
  const target = control.focusTarget ?? control;
  const isGroup = control.isGroup === true;
  if (!target.id) target.id = newId('field');
  const labelId = newId('label');
  const hintElement = hint ? h('div', { class: 'hint', id: newId('hint') }, hint) : null;
  const errorElement = h('p', { class: 'error', id: newId('error') });
  const element = h('div', { class: 'field' },
    isGroup ? h('span', { class: 'label', id: labelId }, label) : h('label', { for: target.id, id: labelId }, label),
    control, hintElement, errorElement);
  if (isGroup) control.setAttribute('aria-labelledby', labelId);
  if (required && !isGroup) target.setAttribute('aria-required', 'true');
  element.control = control;
  element.isRequired = Boolean(required);
  element.setError = (text) => {
    errorElement.replaceChildren(...(text ? [icon('warning', 12), h('span', null, text)] : []));
    errorElement.toggleAttribute('hidden', !text);
    if (text) target.setAttribute('aria-invalid', 'true');
    else target.removeAttribute('aria-invalid');
    const described = [text ? errorElement.id : null, hintElement?.id].filter(Boolean).join(' ');
    if (described) target.setAttribute('aria-describedby', described);
    else target.removeAttribute('aria-describedby');
  };
  element.setError(null);
  return element;
}

/**
 * Returns a check box with its label beside it. `checked` of the element is its state, and `control` the input.
 *
 * @param {any} label
 * @param {{checked?: boolean, name?: string, hint?: any, onchange?: (event: any) => void, [attribute: string]: any}} options
 */
export function checkbox(label, { checked = false, name, hint, ...attributes } = {}) {
  const id = newId('check');
  const hintId = hint ? newId('hint') : null;
  const input = h('input', { type: 'checkbox', id, name, 'aria-describedby': hintId, ...attributes });
  input.checked = checked;
  const element = h('div', { class: 'check' }, input,
    h('div', null, h('label', { for: id }, label), hint ? h('div', { class: 'hint', id: hintId }, hint) : null));
  element.control = input;
  return alias(element, 'checked', () => input.checked, (value) => { input.checked = value; });
}
