import { badge, button, emptyState, h, mark, notice, panel } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { countdown, timeTag } from '../../elements/time.js';
import { dateTime, list, number, percent, t, tn } from '../../i18n/index.js';
import { runAction } from '../release-actions.js';
import { addressOn, nameOf } from './subject.js';
import { limitText, metricTitle, trippedText } from './text.js';

/** Returns the rules of a verdict that have tripped. */
export function trippedRules(verdict) {
  return (verdict?.rules ?? []).filter((rule) => rule.state === 'unhealthy');
}

/** Returns what the plan does next. */
function nextText(release) {
  if (release.state !== 'active') return null;
  const next = release.plan?.find((step) => step.percent > release.percent);
  if (!next) return release.percent < 100 ? t('release.next-none', { percent: percent(release.percent) }) : null;
  const values = { percent: percent(next.percent) };
  if (release.nextStepAt) return tn('release.next-at', { ...values, time: timeTag(release.nextStepAt) });
  return t(release.verdict ? 'release.next-verdict' : 'release.next', values);
}

/**
 * Returns the sentence that answers whether a release is healthy and what is next.
 *
 * @param {any} release
 * @returns {any} a notice
 */
export function verdictNotice(release) {
  const { state, verdict } = release;
  const next = nextText(release);
  const say = (kind, title, ...text) => notice(kind, h('p', null, h('b', null, title), ' ', text.flatMap((part) => (part ? [part, ' '] : []))));
  const tripped = trippedRules(verdict);
  if (state === 'halted' || (verdict?.state === 'unhealthy' && ['active', 'paused'].includes(state))) {
    const title = tripped.length ? t(`release.stopped-by-rule.${state}`, { percent: percent(release.percent) })
      : t('release.halted-at', { percent: percent(release.percent) });
    return notice('bad', h('p', null, h('b', null, title), ' ', tripped.length ? t('release.tripped-all', { rules: list(tripped.map(trippedText)) }) : null),
      h('p', { class: 'small' }, state === 'halted' ? t('release.halted-effect', { version: release.version ?? nameOf(release) }) : t('release.unhealthy-effect')));
  }
  if (state === 'rolled-back') return say('info', t('release.says.rolled-back'));
  if (state === 'superseded') return say('info', t('release.says.superseded'));
  if (state === 'scheduled') return say('info', tn('release.says.scheduled', { time: timeTag(release.activeTime), left: countdown(release.activeTime) }));
  if (state === 'paused') return say('warn', t('release.says.paused', { percent: percent(release.percent) }), t('release.says.paused-effect'));
  if (!verdict) return say(release.percent < 100 ? 'warn' : 'info', t('release.says.no-rules'), t('release.says.no-rules-effect'), next);
  if (verdict.state === 'cooling-down') return say('info', tn('release.says.cooling', { time: timeTag(verdict.since) }), next);
  const values = { devices: number(verdict.devices), n: verdict.devices, control: number(verdict.controlDevices), required: number(verdict.required) };
  if (verdict.state === 'healthy') return say('good', t('release.says.healthy'), worstText(verdict), next);
  const reported = Math.min(...verdict.rules.map((rule) => rule.devices), verdict.devices);
  if (reported < verdict.required) return say('info', t('release.says.waiting'), t('release.says.waiting-devices', { ...values, n: reported }), next);
  return say('warn', t('release.says.chance'), t('release.says.chance-text'), next);
}

/** Returns the largest share of a healthy verdict, beside that of the control group. */
function worstText(verdict) {
  const rules = verdict.rules.filter((rule) => rule.metric !== 'loadTime' && rule.devices > 0).sort((one, other) => other.percent - one.percent);
  const [worst] = rules;
  if (!worst) return null;
  const values = {
    metric: metricTitle(worst.metric), percent: percent(worst.percent), devices: number(worst.devices), n: worst.devices,
    control: worst.control ? percent(worst.control.percent) : '',
  };
  return t(worst.control ? 'release.worst-control' : 'release.worst', values);
}

/** Returns the verdict on one rule as a badge. */
function ruleBadge(rule, required) {
  if (rule.state === 'unhealthy') return badge(rule.ceiling != null && rule.percent > rule.ceiling ? limitText({ ceiling: rule.ceiling }) : t('release.verdict.unhealthy'), 'bad', 'cross');
  if (rule.devices < required) return badge(t('release.verdict.waiting', { n: rule.devices, required }), '', 'clock');
  if (rule.state === 'waiting') return badge(t('release.verdict.chance'), 'warn', 'warning');
  return badge(t(rule.aboveControl == null ? 'release.verdict.below' : 'release.verdict.healthy'), 'good', 'check');
}

/**
 * Returns the panel of the health rules with the verdict on each.
 *
 * @param {any} context
 * @param {any} store
 * @returns {any}
 */
export function healthPanel(context, store) {
  const reason = context.session.reason('releaser', { app: context.app, channel: store.value.channel });
  const edit = button(t('release.rules-edit'), {
    small: true, 'data-key': 'edit-health', reason: store.value.state === 'rolled-back' ? t('release.is-over') : reason,
    onclick: async () => (await import('./edit-health.js')).editHealth(context, store),
  });
  const element = panel({ title: t('release.rules'), actions: store.value.releaseSet ? [] : [edit] });
  return store.fill(element, (release) => {
    const rules = release.health?.rules ?? [];
    if (!rules.length) {
      element.setFooter();
      return emptyState({ icon: 'shield', title: t('release.rules-none'), text: t('release.rules-none-text') });
    }
    const verdicts = release.verdict?.rules ?? [];
    element.setFooter(h('span', null, t('release.rules-note', { n: release.health.devices }),
      release.verdict ? [' ', tn('release.judged', { time: timeTag(release.verdict.judgedAt) })] : null,
      release.verdict?.unattributedDevices ? [' ', t('release.unattributed', { n: release.verdict.unattributedDevices })] : null));
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

/**
 * Returns the panel of the ways out of a halted release; `null` in any other state.
 *
 * @param {any} context
 * @param {any} release
 * @param {{newer?: any, target?: string | null}} more `newer` is a version that was published after the release's, and
 *   `target` the version to which a rollback goes
 * @returns {any}
 */
export function waysOut(context, release, { newer, target } = {}) {
  if (release.state !== 'halted' || !release.allowed.length) return null;
  const reason = context.session.reason('releaser', { app: context.app, channel: release.channel });
  const way = (iconName, title, text, action) => h('li', null, mark(iconName), h('div', { class: 'grow' }, h('b', null, title), h('small', null, text)), action);
  const does = (action, kind) => button(t(`release.action.${action}`), { kind, reason, 'data-key': `way-${action}`, onclick: () => runAction(context, release, action) });
  const query = new URLSearchParams({ package: release.package ?? '', version: newer?.version ?? '', sameAudienceAs: String(release.id) });
  return panel({
    title: t('release.ways'),
    body: [h('ul', { class: 'list' },
      release.allowed.includes('rollback') ? way('undo', target ? t('release.way-back-to', { version: target }) : t('release.way-back'), t(target ? 'release.way-back-to-text' : 'release.way-back-text'), does('rollback', 'danger-fill')) : null,
      newer ? way('rocket', t('release.way-newer', { version: newer.version }), tn('release.way-newer-text', { time: dateTime(newer.createdAt), version: release.version }),
        button(t('release.prepare'), { href: `${addressOn(context, release.channel, 'new-release')}?${query}`, reason })) : null,
      release.allowed.includes('resume') ? way('play', t('release.way-resume'), t('release.way-resume-text', { percent: percent(release.percent) }), does('resume')) : null)],
  });
}
