import { alias } from './alias.js';
import { h } from './dom.js';
import { icon } from './icons.js';


/**
 * Returns filters to switch on and off. With `values` several can be on; with `value` one is, and a press on it selects the
 * option with the value `''`, or none. `value` of the element is the list of values, or the value.
 *
 * @param {{label: any, value: any, count?: any, icon?: string}[]} options
 * @param {{values?: any[], value?: any, label?: string, name?: string, onchange?: (value: any) => void}} settings
 * @returns {any}
 */
export function chips(options, { values, value, label, name, onchange } = {}) {
  const isSingle = values === undefined && value !== undefined;
  let chosen = new Set(isSingle ? [value] : values ?? []);
  const current = () => (isSingle ? [...chosen][0] ?? null : [...chosen]);
  const rest = options.some((option) => option.value === '') ? [''] : [];
  const buttons = options.map((option) => h('button', {
    type: 'button', class: 'chip', 'data-key': `chip-${option.value}`,
    onclick: () => {
      const isOn = chosen.has(option.value);
      if (isSingle) chosen = new Set(isOn ? rest : [option.value]);
      else if (isOn) chosen.delete(option.value);
      else chosen.add(option.value);
      show();
      onchange?.(current());
    },
  }, option.icon ? icon(option.icon, 12) : null, option.label, option.count != null ? h('span', { class: 'count' }, option.count) : null));
  const show = () => buttons.forEach((each, index) => each.setAttribute('aria-pressed', String(chosen.has(options[index].value))));
  show();
  const element = h('div', { class: 'chips', role: 'group', 'aria-label': label, 'data-name': name }, buttons);
  element.isGroup = true;
  return alias(element, 'value', current, (next) => {
    chosen = new Set(isSingle ? [next] : next);
    show();
  });
}
