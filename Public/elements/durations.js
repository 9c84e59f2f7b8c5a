import { t } from '../i18n/index.js';
import { alias } from './alias.js';
import { h } from './dom.js';
import { select, textInput } from './inputs.js';

/** The units of a duration in seconds, the largest first. */
const units = { d: 86_400, h: 3_600, m: 60, s: 1 };

/**
 * Returns a duration as a number and its largest whole unit.
 *
 * @param {string | null | undefined} text such as `2h`, `90m` or `1h30m`
 * @returns {{count: number | null, unit: string}}
 */
export function splitDuration(text) {
  let seconds = 0;
  let rest = text ?? '';
  for (const [part, count, unit] of (text ?? '').matchAll(/(\d+)([dhms])/g)) {
    seconds += Number(count) * units[unit];
    rest = rest.replace(part, '');
  }
  if (!text || rest !== '') return { count: null, unit: 'h' };
  const single = /^(\d+)([dhms])$/.exec(text);
  if (single) return { count: Number(single[1]), unit: single[2] };
  const unit = Object.keys(units).find((each) => seconds % units[each] === 0) ?? 's';
  return { count: seconds / units[unit], unit };
}

/**
 * Returns a field for a duration. `value` of the element is its text, such as `2h`, or `null` if the field is empty.
 *
 * @param {{value?: string | null, name?: string, units?: string[], onchange?: (value: string | null) => void,
 *   [attribute: string]: any}} options
 */
export function durationInput({ value = null, name, units: offered = ['m', 'h', 'd'], onchange, ...attributes } = {}) {
  const start = splitDuration(value);
  const change = () => onchange?.(current());
  const count = textInput({ type: 'number', min: 0, step: 1, inputmode: 'numeric', ...attributes, value: start.count ?? '', oninput: change });
  const options = Object.keys(units).filter((unit) => offered.includes(unit) || unit === start.unit).reverse();
  const unit = select(options.map((each) => [each, t(`duration.${each}`)]), { value: start.unit, 'aria-label': t('duration.unit'), onchange: change });
  const current = () => (String(count.value) === '' ? null : `${Math.max(0, Math.round(Number(count.value)))}${unit.value}`);
  const element = h('div', { class: 'joined duration', 'data-name': name }, count, unit);
  element.focusTarget = count;
  return alias(element, 'value', current, (next) => {
    const parts = splitDuration(next);
    count.value = parts.count ?? '';
    unit.value = parts.unit;
  });
}
