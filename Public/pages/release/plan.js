import { h, icon, panel } from '../../elements/index.js';
import { progress } from '../../elements/progress.js';
import { countdown, timeTag } from '../../elements/time.js';
import { number, percent, t, tn } from '../../i18n/index.js';
import { duration } from '../../i18n/times.js';
import { releaseActions } from '../release-actions.js';
import { isAhead, nextStepTime, stepText } from './plan-text.js';
import { secondsOf } from './durations.js';
import { hasBegun } from './subject.js';

/**
 * Returns the steps of a release's plan with the times at which they began or will begin.
 *
 * @param {any} release
 * @param {import('../../types.js').Advance[]} advances the steps that the history has
 * @param {number} [now]
 * @returns {import('../../types.js').PlanStep[]}
 */
export function planSteps(release, advances = [], now = Date.now()) {
  const start = Date.parse(release.activeTime);
  let plan = release.plan?.length ? release.plan : [{ percent: release.percent, after: '0s' }];
  if (!release.neverBegan && plan.every((step) => isAhead(step, release))) plan = [{ percent: release.percent, after: '0s' }, ...plan];
  const isStarted = hasBegun(release);
  const current = isStarted ? plan.findLastIndex((step) => !isAhead(step, release)) : -1;
  const next = plan[current + 1];
  const dropsRules = plan.some((step) => step.withoutRules);
  const time = nextStepTime(release, now);
  const nextAt = time ? Date.parse(time) : null;
  const begun = plan.map((step, index) => {
    if (index > current) return null;
    const known = advances.find((each) => each.percent === step.percent && (!dropsRules || Boolean(each.withoutRules) === Boolean(step.withoutRules)));
    return known ? Date.parse(known.time) : index === 0 ? start : null;
  });
  return plan.map((step, index) => {
    const state = index < current ? 'done' : index === current ? (current === plan.length - 1 && release.state !== 'halted' ? 'done' : 'current') : 'next';
    const offset = next ? (secondsOf(step.after) - secondsOf(next.after)) * 1000 : 0;
    const plannedAt = index <= current ? null : !isStarted ? start + secondsOf(step.after) * 1000 : nextAt === null ? null : nextAt + offset;
    const share = state !== 'current' ? 0 : !next ? 1 : begun[index] !== null && nextAt !== null ? (now - begun[index]) / (nextAt - begun[index]) : 0.5;
    return { percent: step.percent, withoutRules: Boolean(step.withoutRules), isLatest: index === current, state, begunAt: begun[index], plannedAt, isWaiting: state === 'next' && plannedAt === null, share };
  });
}

/** Returns the panel of a release's plan; `known` is what other panels have loaded. */
export function planPanel(context, store, known) {
  const actions = h('div', { class: 'actions' });
  const element = panel({ title: t('release.plan'), actions: [actions] });
  store.fill(actions, (release) => releaseActions(context, release, { only: ['widen', 'complete', 'reschedule'], small: true }));
  store.fill(element, (release) => planView(planSteps(release, known.advances).map((step, index) => ({
    ...step, title: stepText(step), kind: { halted: 'bad', paused: 'warn', 'rolled-back': 'plain' }[release.state] ?? 'good',
    lines: lines(release, step, known, index === 0 || (step.percent === release.plan?.[0].percent && !step.withoutRules)),
  }))));
  return element;
}

/** Shows the steps of a plan with what happened or will happen at each. */
function planView(steps) {
  return h('ol', { class: 'plan' }, steps.map((step) => h('li', { class: step.state, 'aria-current': step.state === 'current' ? 'step' : null },
    progress(step.state === 'done' ? 1 : step.share, { thick: true, kind: step.kind }),
    h('b', null, step.state === 'done' ? icon('check') : null, step.title,
      h('span', { class: 'visually-hidden' }, ` (${t(`plan.${step.state}`)})`)),
    step.lines.filter(Boolean).map((line) => h('p', null, line)))));
}

/** Returns seconds without those after the last whole minute. */
const wholeMinutes = (seconds) => (seconds < 60 ? seconds : Math.floor(seconds / 60) * 60);

/** Returns the lines below a step; the first one begins by the clock, since nothing is judged before it. */
function lines(release, step, { readiness }, isFirst) {
  if (step.state === 'next') {
    if (['rolled-back', 'superseded', 'completed'].includes(release.state)) return [t('release.step-over')];
    const isHeld = ['paused', 'halted'].includes(release.state);
    return [
      isHeld ? t(`release.step-${release.state}`) : step.plannedAt === null ? t('release.step-waits') : [timeTag(step.plannedAt), ', ', tn('release.step-in', { time: countdown(step.plannedAt) })],
      release.health && !isHeld && !isFirst ? t('release.step-healthy') : null,
    ];
  }
  const since = step.begunAt === null ? null : tn('release.step-since', { time: timeTag(step.begunAt), duration: duration(wholeMinutes((Date.now() - step.begunAt) / 1000)) });
  const isNow = step.isLatest && readiness;
  return [
    step.isLatest && release.state !== 'rolled-back' ? since : step.begunAt === null ? t('release.step-done') : timeTag(step.begunAt),
    isNow ? t('release.step-devices', { holding: number(readiness.holding), matching: number(readiness.matching), n: readiness.matching }) : null,
    !release.plan && release.percent < 100 && release.state !== 'rolled-back' ? t('release.step-fixed', { percent: percent(release.percent) }) : null,
  ];
}
