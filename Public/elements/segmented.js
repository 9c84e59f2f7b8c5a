import { alias } from './alias.js';
import { h, newId } from './dom.js';

/**
 * Returns a choice of one among a few, all visible. `value` of the element is the choice.
 *
 * @param {{label: any, value: any, reason?: string}[]} options
 * @param {{value?: any, name?: string, label?: string, onchange?: (value: any) => void}} settings `label` is the accessible
 *   name where no `field` gives one
 */
export function segmented(options, { value = options[0]?.value, name, label, onchange } = {}) {
  const group = newId('segment');
  const inputs = options.map((option) => {
    const input = h('input', {
      type: 'radio', class: 'visually-hidden', id: newId('segment'), 'data-group': group, disabled: Boolean(option.reason), name: group,
      onchange: () => onchange?.(option.value),
    });
    input.checked = option.value === value;
    return input;
  });
  const element = h('div', { class: 'segmented', role: 'radiogroup', 'aria-label': label, 'data-name': name },
    options.map((option, index) => [inputs[index], h('label', { for: inputs[index].id, title: option.reason }, option.label)]));
  element.isGroup = true;
  return alias(element, 'value', () => options[inputs.findIndex((input) => input.checked)]?.value ?? null,
    (next) => inputs.forEach((input, index) => { input.checked = options[index].value === next; }));
}
