import { badge, button, emptyState, h, later, panel } from '../../elements/index.js';
import { withStyle } from '../../elements/stylesheet.js';
import { table } from '../../elements/table.js';
import { timeTag } from '../../elements/time.js';
import { number, percent, sentences, t, tn } from '../../i18n/index.js';
import { limitText } from './limit-text.js';
import { metricTitle } from './signals.js';

/** Returns the verdict on one rule as a badge. */
function ruleBadge(rule, required) {
  if (rule.state === 'unhealthy') return badge(rule.ceiling != null && rule.percent > rule.ceiling ? limitText({ ceiling: rule.ceiling }) : t('release.verdict.unhealthy'), 'bad', 'cross');
  if (rule.devices < required) return badge(t('release.verdict.waiting', { n: rule.devices, required }), '', 'clock');
  if (rule.state === 'waiting') return badge(t('release.verdict.chance'), 'warn', 'warning');
  return badge(t(rule.aboveControl == null ? 'release.verdict.below' : 'release.verdict.healthy'), 'good', 'check');
}

/** Returns the panel of the health rules with the verdict on each. */
export function healthPanel(context, store) {
  const reason = context.session.reason('releaser', { app: context.app, channel: store.value.channel });
  const edit = button(t('release.rules-edit'), {
    small: true, 'data-key': 'edit-health', reason: store.value.state === 'rolled-back' ? t('release.is-over') : reason,
    onclick: later(() => withStyle(import('./edit-health.js'), 'releases.css'), (module) => module.editHealth(context, store)),
  });
  const element = panel({ title: t('release.rules'), actions: store.value.releaseSet ? [] : [edit] });
  return store.fill(element, (release) => {
    const rules = release.health?.rules ?? [];
    if (!rules.length) {
      element.setFooter();
      return emptyState({ icon: 'shield', title: t('release.rules-none'), text: t('release.rules-none-text') });
    }
    const verdicts = release.verdict?.rules ?? [];
    element.setFooter(h('span', null, sentences(
      t('release.rules-note', { n: release.health.devices }), release.verdict && tn('release.judged', { time: timeTag(release.verdict.judgedAt) }),
      release.verdict?.unattributedDevices && t('release.unattributed', { n: release.verdict.unattributedDevices }))));
    return table({
      caption: t('release.rules'), dense: true,
      columns: [{ label: t('release.rule-signal') }, { label: release.version ?? t('release.this'), numeric: true }, { label: t('release.control'), numeric: true }, { label: t('release.verdict') }],
      rows: rules.map((rule) => {
        const found = verdicts.find((each) => each.metric === rule.metric);
        const limit = h('div', { class: 'small muted' }, limitText(rule), ' → ', t(`release.rule-action.${rule.action}`));
        return {
          cells: [
            h('div', null, metricTitle(rule.metric), rule.slowerThan ? ` > ${number(rule.slowerThan)} ms` : null, limit),
            found && found.devices > 0 ? h('span', { title: t('release.affected', { affected: found.affected, devices: found.devices }) }, h('b', null, percent(found.percent))) : '–',
            found?.control ? percent(found.control.percent) : '–',
            found ? ruleBadge(found, release.verdict.required) : badge(t('release.verdict.none'), ''),
          ],
        };
      }),
    });
  });
}
