import { segmented } from '../../elements/segmented.js';
import { h, notice, panel } from '../../elements/index.js';
import { t } from '../../i18n/index.js';
import { healthEditor } from '../release/health-editor.js';
import { durationText } from '../release/durations.js';
import { healthRuleText } from '../release/text.js';
import { judgmentGap } from './draft-review.js';

/**
 * Returns the panel of the third step.
 *
 * @param {any} wizard
 * @returns {any[]}
 */
export function healthStep(wizard) {
  const { draft, appHealth } = wizard;
  const element = panel({
    title: t('wizard.health'),
    actions: [segmented([
      ...(appHealth ? [{ label: t('wizard.health.app'), value: 'app' }] : []), { label: t('wizard.health.own'), value: 'own' }, { label: t('wizard.health.none'), value: 'none' },
    ], { value: draft.health, label: t('wizard.health'), onchange: (health) => {
      wizard.change({ health });
      show();
    } })],
  });
  const remark = h('p', { class: 'warn-text' });
  const judge = () => {
    const gap = judgmentGap(draft, wizard.estimate, [{ health: draft.health === 'app' ? appHealth : draft.policy }]);
    remark.textContent = gap ? t('wizard.health-unjudged', { n: gap.reached }) : '';
  };
  const show = () => {
    if (draft.health === 'none') return element.setBody(notice('warn', t('wizard.health-none')));
    if (draft.health === 'own') return element.setBody(healthEditor(draft.policy, () => wizard.change(), remark));
    element.setBody(rulesList(appHealth), remark);
  };
  show();
  wizard.listeners.push(judge);
  wizard.onEstimate(judge);
  return [element];
}

/** Returns health rules as sentences. */
export function rulesList(policy) {
  return h('div', { class: 'stack tight' }, h('ul', null, policy.rules.map((rule) => h('li', null, healthRuleText(rule)))),
    h('p', { class: 'small ink2' }, t('wizard.health-note', { n: policy.devices ?? 50, window: durationText(policy.window ?? '1d'), coolDown: durationText(policy.coolDown ?? '1h') })));
}
