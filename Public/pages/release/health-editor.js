import { field } from '../../elements/fields.js';
import { select, textInput } from '../../elements/inputs.js';
import { button, h } from '../../elements/index.js';
import { durationInput } from '../../elements/durations.js';
import { t } from '../../i18n/index.js';
import { fewestDevices, metricTitle } from './signals.js';

/** The signals of health rules, in the order of the form. */
const metrics = ['whiteScreens', 'scriptErrors', 'crashes', 'missingResources', 'failures', 'loadTime'];

/** The most health rules of a release. */
const ruleLimit = 12;

/** The most devices that health rules wait for. */
const mostDevices = 1_000_000;

/** Returns the number of a field, or `undefined` if it is empty. */
const numberOf = (input) => (input.value === '' ? undefined : Number(input.value));

/**
 * Returns an editor of health rules. It changes the policy that it is given, and calls back after each change.
 *
 * @param {any} policy the member `health` of a release
 * @param {(policy: any) => void} [changed]
 * @param {any} [remark] what to say about the number of devices that the rules wait for
 * @returns {any}
 */
export function healthEditor(policy, changed = () => {}, remark = null) {
  const place = h('div', { class: 'rules-editor' });
  const show = (focus) => {
    place.replaceChildren(...policy.rules.map((rule, index) => ruleRow(rule, index, { policy, changed, show })));
    add.toggleAttribute('hidden', policy.rules.length >= ruleLimit);
    if (focus !== undefined) place.querySelectorAll('select')[focus * 2]?.focus();
  };
  const add = button(t('release.rule-add'), { icon: 'plus', small: true, onclick: () => {
    const unused = metrics.find((metric) => !policy.rules.some((rule) => rule.metric === metric)) ?? 'crashes';
    policy.rules.push(unused === 'loadTime' ? { metric: unused, aboveControl: 50, slowerThan: 3000, action: 'pause' } : { metric: unused, ceiling: 2, action: 'halt' });
    changed(policy);
    show(policy.rules.length - 1);
  } });
  const devices = textInput({
    type: 'number', min: fewestDevices, max: mostDevices, inputmode: 'numeric', value: policy.devices ?? 50,
    oninput: () => set('devices', numberOf(devices)),
  });
  const set = (name, value) => {
    if (value == null) delete policy[name];
    else policy[name] = value;
    changed(policy);
  };
  show();
  return h('div', { class: 'stack' }, h('p', { class: 'hint' }, t('release.rule-limits-hint')), place, h('div', { class: 'row' }, add), h('p', { class: 'hint' }, t('release.rule-actions-hint')),
    h('div', { class: 'grid-3' },
      field(t('release.rule-devices'), devices, { hint: [t('release.rule-devices-hint'), remark] }),
      field(t('release.rule-window'), durationInput({ value: policy.window ?? '1d', onchange: (value) => set('window', value) }), { hint: t('release.rule-window-hint') }),
      field(t('release.rule-cool-down'), durationInput({ value: policy.coolDown ?? '1h', onchange: (value) => set('coolDown', value) }), { hint: t('release.rule-cool-down-hint') })));
}

/** Returns the fields of one rule. */
function ruleRow(rule, index, { policy, changed, show }) {
  const set = (name, value) => {
    if (value == null) delete rule[name];
    else rule[name] = value;
    changed(policy);
  };
  const label = (key) => t('release.rule-field', { field: t(key), n: index + 1 });
  const percentField = (name, key, most) => {
    const input = textInput({
      type: 'number', min: 0, max: most, step: 'any', inputmode: 'decimal', value: rule[name] ?? '', 'aria-label': label(key),
      oninput: () => set(name, numberOf(input)),
    });
    return h('label', { class: 'rule-part' }, h('span', { class: 'hint' }, t(key)), h('span', { class: 'joined' }, input, h('span', { class: 'zone' }, '%')));
  };
  const isLoadTime = rule.metric === 'loadTime';
  const metric = select(metrics.map((each) => [each, metricTitle(each)]), {
    value: rule.metric, 'aria-label': label('release.rule-signal'),
    onchange: () => {
      rule.metric = metric.value;
      if (rule.metric === 'loadTime') Object.assign(rule, { action: 'pause', slowerThan: rule.slowerThan ?? 3000 });
      else delete rule.slowerThan;
      if (rule.metric === 'failures') {
        delete rule.aboveControl;
        rule.ceiling ??= 5;
      }
      changed(policy);
      show(index);
    },
  });
  const action = select((isLoadTime ? ['pause'] : ['pause', 'halt', 'rollback']).map((each) => [each, t(`release.rule-action.${each}`)]), {
    value: rule.action ?? (isLoadTime ? 'pause' : 'halt'), 'aria-label': label('release.rule-then'), onchange: () => set('action', action.value),
  });
  const slower = isLoadTime ? textInput({
    type: 'number', min: 1, inputmode: 'numeric', value: rule.slowerThan ?? 3000, 'aria-label': label('release.rule-slower'), oninput: () => set('slowerThan', numberOf(slower)),
  }) : null;
  return h('div', { class: 'rule-row', role: 'group', 'aria-label': t('release.rule-name', { n: index + 1 }) },
    h('label', { class: 'rule-part wide' }, h('span', { class: 'hint' }, t('release.rule-signal')), metric),
    slower ? h('label', { class: 'rule-part' }, h('span', { class: 'hint' }, t('release.rule-slower')), h('span', { class: 'joined' }, slower, h('span', { class: 'zone' }, 'ms'))) : null,
    percentField('ceiling', 'release.rule-ceiling', 100),
    rule.metric === 'failures' ? null : percentField('aboveControl', 'release.rule-control', 1000),
    h('label', { class: 'rule-part' }, h('span', { class: 'hint' }, t('release.rule-then')), action),
    button(null, { icon: 'cross', kind: 'quiet', small: true, name: t('release.rule-remove', { n: index + 1 }), onclick: () => {
      policy.rules.splice(index, 1);
      changed(policy);
      show(Math.max(0, index - 1));
    } }));
}
