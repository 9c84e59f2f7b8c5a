import { textInput } from '../../elements/inputs.js';
import { button, h, later } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { durationInput } from '../../elements/durations.js';
import { dateTime, number, percent, t } from '../../i18n/index.js';
import { courseOf, devicesAt, planOf } from './draft.js';

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
    const plan = planOf(draft);
    const shares = plan.filter((step) => !step.withoutRules).length;
    whens = plan.map(() => h('span', { class: 'small ink2 nowrap' }));
    counts = plan.map(() => h('span', null));
    everyone.replaceChildren(everyoneButton(shares < plan.length ? t('wizard.plan-everyone-there') : draft.rules.length ? undefined : t('wizard.plan-everyone-none')));
    place.replaceChildren(table({
      caption: t('wizard.plan'),
      columns: [{ label: t('wizard.plan-share') }, { label: t('wizard.plan-after') }, { label: t('wizard.plan-when') }, { label: t('wizard.plan-devices'), numeric: true }, { label: t('wizard.plan-remove'), hidden: true }],
      rows: plan.map((step, index) => ({ cells: [
        step.withoutRules ? [t('wizard.plan-everyone-step'), ' ', h('small', { class: 'nowrap' }, t('wizard.plan-everyone-rules'))]
          : h('span', { class: 'joined' }, percentInput(step, index), h('span', { class: 'zone', 'aria-hidden': 'true' }, '%')),
        index === 0 && step.after === '0s' ? t('wizard.plan-start') : durationInput({
          value: step.after, 'aria-label': t('wizard.plan-after-of', { n: index + 1 }), onchange: (value) => {
            step.after = value ?? '0s';
            wizard.change();
          },
        }),
        whens[index], counts[index],
        step.withoutRules || shares > 1 ? button(null, { icon: 'cross', kind: 'quiet', small: true, name: t('wizard.plan-remove-of', { n: index + 1 }), onclick: () => {
          draft.plan.splice(draft.plan.indexOf(step), 1);
          if (index === 0) draft.plan[0].after = '0s';
          wizard.change();
          show(Math.max(0, index - 1));
        } }) : null,
      ] })),
    }));
    fill();
    if (focus !== undefined) place.querySelectorAll('tbody tr')[focus]?.querySelector('input')?.focus();
  };
  const percentInput = (step, index) => {
    const input = textInput({
      type: 'number', min: 0, max: 100, step: 'any', inputmode: 'decimal', value: step.percent, 'aria-label': t('wizard.plan-share-of', { n: index + 1 }),
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
      counts[index].textContent = wizard.estimate?.all === undefined ? t('common.none') : number(devicesAt(wizard.estimate, step));
    });
  };
  const adder = (label, pick, reason) => button(label, { icon: 'plus', small: true, reason, onclick: later(() => import('./add-step.js'), (module) => {
    const added = pick(module)(draft.plan);
    if (added < 0) return;
    wizard.change();
    show(added);
  }) });
  const add = adder(t('wizard.plan-add'), ({ addStep }) => addStep);
  const everyoneButton = (reason) => adder(t('wizard.plan-everyone'), ({ addStepWithoutRules }) => addStepWithoutRules, reason);
  const everyone = h('span', null);
  let hadRules = draft.rules.length > 0;
  show();
  wizard.listeners.push(() => {
    const hasRules = draft.rules.length > 0;
    if (hasRules !== hadRules) show();
    else fill();
    hadRules = hasRules;
  });
  wizard.onEstimate(fill);
  return { body: place, footer: [add, everyone, h('span', { class: 'end' }, draft.health === 'none' ? t('wizard.plan-unwatched') : t('wizard.plan-note', { percent: percent(100) }))] };
}
