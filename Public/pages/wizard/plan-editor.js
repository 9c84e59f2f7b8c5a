import { textInput } from '../../elements/inputs.js';
import { button, h } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { durationInput } from '../../elements/durations.js';
import { dateTime, number, percent, t } from '../../i18n/index.js';
import { courseOf, devicesAt } from './draft.js';

/** The most steps of a plan. */
const stepLimit = 50;

/** The delays that new steps suggest, by the percentage before them. */
const nextPercents = [1, 5, 10, 25, 50, 100];

/**
 * Returns the editor of a plan with its times and its devices.
 *
 * @param {any} wizard
 * @returns {{body: any, footer: any[]}}
 */
export function planEditor(wizard) {
  const { draft } = wizard;
  const place = h('div', { class: 'plan-edit flush' });
  /** @type {any[]} */
  let whens = [];
  /** @type {any[]} */
  let counts = [];
  const show = (focus) => {
    whens = draft.plan.map(() => h('span', { class: 'small ink2 nowrap' }));
    counts = draft.plan.map(() => h('span', null));
    place.replaceChildren(table({
      caption: t('wizard.plan'),
      columns: [{ label: t('wizard.plan-share') }, { label: t('wizard.plan-after') }, { label: t('wizard.plan-when') }, { label: t('wizard.plan-devices'), numeric: true }, { label: t('wizard.plan-remove'), hidden: true }],
      rows: draft.plan.map((step, index) => ({ cells: [
        h('span', { class: 'joined' }, percentInput(step, index), h('span', { class: 'zone', 'aria-hidden': 'true' }, '%')),
        index === 0 && step.after === '0s' ? t('wizard.plan-start') : durationInput({
          value: step.after, 'aria-label': t('wizard.plan-after-of', { n: index + 1 }), onchange: (value) => {
            step.after = value ?? '0s';
            wizard.change();
          },
        }),
        whens[index], counts[index],
        draft.plan.length > 1 ? button(null, { icon: 'cross', kind: 'quiet', small: true, name: t('wizard.plan-remove-of', { n: index + 1 }), onclick: () => {
          draft.plan.splice(index, 1);
          if (index === 0) draft.plan[0].after = '0s';
          wizard.change();
          show(Math.max(0, index - 1));
        } }) : null,
      ] })),
    }));
    fill();
    if (focus !== undefined) place.querySelectorAll('input[data-percent]')[focus]?.focus();
  };
  const percentInput = (step, index) => {
    const input = textInput({
      type: 'number', min: 0, max: 100, step: 'any', inputmode: 'decimal', value: step.percent, 'data-percent': '', 'aria-label': t('wizard.plan-share-of', { n: index + 1 }),
      oninput: () => {
        if (input.value === '') return;
        step.percent = Number(input.value);
        wizard.change();
      },
    });
    return input;
  };
  const fill = () => {
    courseOf(draft).forEach((step, index) => {
      if (!whens[index]) return;
      whens[index].textContent = Number.isFinite(step.time) ? dateTime(step.time) : t('common.none');
      counts[index].textContent = wizard.estimate?.all === undefined ? t('common.none') : number(devicesAt(wizard.estimate, step.percent));
    });
  };
  const add = button(t('wizard.plan-add'), { icon: 'plus', small: true, onclick: () => {
    const last = draft.plan[draft.plan.length - 1];
    if (draft.plan.length >= stepLimit) return;
    if (last.percent >= 100) draft.plan.splice(-1, 0, { percent: middle(draft.plan), after: last.after });
    else draft.plan.push({ percent: nextPercents.find((each) => each > last.percent) ?? 100, after: later(last.after) });
    if (last.percent >= 100) last.after = later(last.after);
    wizard.change();
    show(draft.plan.length - (last.percent >= 100 ? 2 : 1));
  } });
  show();
  wizard.listeners.push(fill);
  wizard.onEstimate(fill);
  return { body: place, footer: [add, h('span', { class: 'end' }, draft.health === 'none' ? t('wizard.plan-unwatched') : t('wizard.plan-note', { percent: percent(100) }))] };
}

/** Returns a percentage between the last two steps. */
function middle(plan) {
  const before = plan.length > 1 ? plan[plan.length - 2].percent : 0;
  return nextPercents.find((each) => each > before && each < 100) ?? Number(((before + 100) / 2).toFixed(2));
}

/** Returns a duration a day after another one. */
function later(text) {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [null, '0', 'h'];
  if (unit === 'd') return `${Number(count) + 1}d`;
  return unit === 'h' ? `${Number(count) + 24}h` : '1d';
}
