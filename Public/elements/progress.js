import { svg } from './dom.js';

const clamp = (value) => Math.min(1, Math.max(0, Number(value) || 0));
const share = (value) => `${Math.round(clamp(value) * 10_000) / 100}%`;

/**
 * Returns a bar that is filled to a share. `setValue` of the element changes the share.
 *
 * @param {number} value from 0 to 1
 * @param {{label?: string, kind?: string, thick?: boolean, isRunning?: boolean}} options without `label` the bar repeats
 *   what the text beside it says; `isRunning` is for work in progress, such as an upload
 */
export function progress(value, { label, kind = 'good', thick, isRunning } = {}) {
  const fill = svg('rect', { class: `fill ${kind}`, height: '100%', width: share(value) });
  const role = isRunning ? { role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-label': label }
    : label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' };
  const element = svg('svg', { class: thick ? 'bar thick' : 'bar', ...role },
    svg('rect', { class: 'track', width: '100%', height: '100%' }), fill);
  element.setValue = (next) => {
    fill.setAttribute('width', share(next));
    if (isRunning) element.setAttribute('aria-valuenow', String(Math.round(clamp(next) * 100)));
  };
  element.setValue(value);
  return element;
}
