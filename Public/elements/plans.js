import { percent, t } from '../i18n/index.js';
import { h } from './dom.js';
import { icon } from './icons.js';
import { progress } from './progress.js';

/**
 * Returns events in the order of time.
 *
 * @param {{kind?: string, when: any, text: any, note?: any}[]} entries
 * @returns {any}
 */
export function timeline(entries) {
  return h('ol', { class: 'timeline' }, entries.map((entry) => h('li', { class: entry.kind || null },
    h('span', { class: 'when' }, entry.when), h('span', { class: `dot ${entry.kind ?? ''}`, 'aria-hidden': 'true' }),
    h('div', null, entry.text, entry.note ? h('small', null, entry.note) : null))));
}

/**
 * Returns the steps of a rollout plan with what happened or will happen at each.
 *
 * @param {{percent: number, state: 'done' | 'current' | 'next', title?: any, lines?: any[], share?: number, kind?: string}[]} steps
 *   `share` is how much of the current step is over, from 0 to 1
 * @returns {any}
 */
export function planView(steps) {
  return h('ol', { class: 'plan' }, steps.map((step) => h('li', { class: step.state, 'aria-current': step.state === 'current' ? 'step' : null },
    progress(step.state === 'done' ? 1 : step.state === 'current' ? step.share ?? 0.5 : 0, { thick: true, kind: step.kind }),
    h('b', null, step.state === 'done' ? icon('check') : null, step.title ?? percent(step.percent),
      h('span', { class: 'visually-hidden' }, ` (${t(`plan.${step.state}`)})`)),
    (step.lines ?? []).filter(Boolean).map((line) => h('p', null, line)))));
}
