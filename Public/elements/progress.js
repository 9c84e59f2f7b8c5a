import { percent as percentText, t } from '../i18n/index.js';
import { svg } from './dom.js';

const clamp = (value) => Math.min(1, Math.max(0, Number(value) || 0));
const share = (value) => `${Math.round(clamp(value) * 10_000) / 100}%`;

/**
 * Returns a bar that is filled to a share. `setValue` of the element changes the share.
 *
 * @param {number} value from 0 to 1
 * @param {{label?: string, kind?: string, thick?: boolean, isRunning?: boolean}} options without `label` the bar repeats
 *   what the text beside it says; `isRunning` is for work in progress, such as an upload
 * @returns {any}
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

/**
 * Returns the steps of a plan as segments of a bar; those up to the present percentage are filled.
 *
 * @param {(number | {percent: number})[]} plan
 * @param {number} percent the present percentage
 * @param {string} [kind]
 * @returns {any}
 */
export function stepsBar(plan, percent, kind = 'good') {
  const steps = plan?.length ? plan.map((step) => (typeof step === 'number' ? step : step.percent)) : [100];
  const gap = 4;
  const width = 132;
  const length = (width - gap * (steps.length - 1)) / steps.length;
  const done = steps.filter((step) => percent >= step).length;
  const text = plan?.length > 1 ? t('common.step-of', { percent: percentText(percent), step: Math.max(1, done), steps: steps.length }) : percentText(percent);
  return svg('svg', { class: 'steps-bar', width, height: 8, viewBox: `0 0 ${width} 8`, role: 'img', 'aria-label': text },
    steps.map((step, index) => {
      const before = index ? steps[index - 1] : 0;
      const part = clamp((percent - before) / (step - before || 1));
      const x = index * (length + gap);
      return [
        svg('rect', { class: 'track', x, width: length, height: 8, rx: 3 }),
        part > 0 ? svg('rect', { class: `fill ${kind}`, x, width: Math.max(3, length * part), height: 8, rx: 3 }) : null,
      ];
    }));
}
