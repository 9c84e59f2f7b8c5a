import { keepFocus } from '../../elements/dom.js';
import { h, notice, panel, skeleton } from '../../elements/index.js';
import { countdown, timeTag } from '../../elements/time.js';
import { whenVisible } from '../../elements/visible.js';
import { list, number, percent, sentences, t, tn } from '../../i18n/index.js';
import { nextStep, nextStepTime, stepText } from './plan-text.js';
import { nameOf } from './subject.js';
import { metricTitle, trippedText } from './signals.js';

/** Returns the rules of a verdict that have tripped. */
export function trippedRules(verdict) {
  return (verdict?.rules ?? []).filter((rule) => rule.state === 'unhealthy');
}

/** Returns what the plan does next. */
function nextText(release) {
  if (release.state !== 'active') return null;
  const next = nextStep(release);
  if (!next) return release.percent < 100 ? t('release.next-none', { percent: percent(release.percent) }) : null;
  const values = { percent: stepText(next) };
  const time = nextStepTime(release);
  if (time) return tn(release.nextStepAt ? 'release.next-at' : 'release.next-from', { ...values, time: timeTag(time) });
  return t(release.verdict ? 'release.next-verdict' : 'release.next', values);
}

/** Returns the place of the notice; one that says the same stays, so that no click on a link is lost. */
export function verdictPlace(store, known) {
  const place = h('div', { class: 'flush', role: 'status' });
  const show = (release) => {
    const made = verdictNotice(release, known);
    if (made.outerHTML !== place.firstChild?.outerHTML) keepFocus(place, () => place.replaceChildren(made));
  };
  store.listeners.push(show);
  show(store.value);
  return place;
}

/** Returns a notice with the sentence that answers whether a release is healthy and what is next. */
function verdictNotice(release, known) {
  const { state, verdict } = release;
  const next = nextText(release);
  const say = (kind, title, ...text) => notice(kind, h('p', null, sentences(h('b', null, title), ...text)));
  const tripped = trippedRules(verdict);
  if (release.neverBegan) return say(state === 'halted' ? 'bad' : 'info', t(`release.says.never-${state}`));
  if (state === 'halted' || (verdict?.state === 'unhealthy' && ['active', 'paused'].includes(state))) {
    const title = t(tripped.length ? `release.stopped-by-rule.${state}` : 'release.halted-at', { percent: percent(release.percent) });
    return notice('bad', h('p', null, sentences(h('b', null, title), tripped.length && t('release.tripped-all', { rules: list(tripped.map(trippedText)) }))),
      h('p', { class: 'small' }, state === 'halted' ? t('release.halted-effect', { version: release.version ?? nameOf(release) }) : t('release.unhealthy-effect')));
  }
  if (state === 'rolled-back') return say('info', t('release.says.rolled-back'), known.followerText);
  if (state === 'superseded') return say('info', t('release.says.superseded'));
  if (state === 'scheduled') return say('info', tn('release.says.scheduled', { time: timeTag(release.activeTime), left: countdown(release.activeTime) }));
  if (state === 'paused') return say('warn', t('release.says.paused', { percent: percent(release.percent) }), t('release.says.paused-effect'));
  if (!release.health && known.takesBackText) return say('info', known.takesBackText, !known.advances.length && t('release.says.takes-back-text'));
  // The first verdict comes some seconds after the release.
  if (!verdict && release.health?.rules?.length) return say('info', t('release.says.waiting'), next);
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
  const [worst] = verdict.rules.filter((rule) => rule.metric !== 'loadTime' && rule.devices > 0).sort((one, other) => other.percent - one.percent);
  if (!worst) return null;
  const values = {
    metric: metricTitle(worst.metric), percent: percent(worst.percent), devices: number(worst.devices), n: worst.devices,
    control: worst.control ? percent(worst.control.percent) : '',
  };
  return t(worst.control ? 'release.worst-control' : 'release.worst', values);
}

/** Returns the place of the ways out, which are loaded once the release is halted. Until they are there, the place has their height. */
export function waysPlace(context, store) {
  const place = h('div', { class: 'flush', hidden: true });
  const begin = ({ state, allowed }) => {
    place.toggleAttribute('hidden', state !== 'halted');
    if (state !== 'halted' || place.firstChild) return;
    const count = ['rollback', 'resume'].filter((action) => allowed.includes(action)).length;
    const space = panel({ title: t('release.ways'), body: [skeleton(count)] });
    place.append(whenVisible(allowed.length ? space : h('div'), async () => (await import('./ways.js')).ways(context, store)));
  };
  store.listeners.push(begin);
  begin(store.value);
  return place;
}
