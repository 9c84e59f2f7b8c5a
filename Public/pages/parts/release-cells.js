import { h, svg } from '../../elements/index.js';
import { stateBadge } from '../../elements/state-badge.js';
import { progress } from '../../elements/progress.js';
import { timeTag } from '../../elements/time.js';
import { number, percent, t, tn } from '../../i18n/index.js';
import { isAhead, nextStep, nextStepTime, planText, stepText } from '../release/plan-text.js';
import { lazyCell } from './lazy.js';
import { minor, releaseKind } from './release-basics.js';
import { tellingRule } from './release-names.js';

/** Returns how far a release's plan is, as a bar and a line. */
export function planCell(release) {
  const steps = release.plan?.length ? release.plan : [{ percent: 100 }];
  const done = Math.max(1, steps.filter((step) => !isAhead(step, release)).length);
  const text = release.neverBegan && release.plan?.length ? planText(steps)
    : steps.length > 1 ? t('common.step-of', { percent: percent(release.percent), step: done, steps: steps.length }) : percent(release.percent);
  return h('div', { class: 'stack tight' }, stepsBar(steps, release, text), minor(text));
}

/** Returns the steps of a plan as segments of a bar; those that are reached are filled. */
function stepsBar(steps, release, text) {
  const gap = 4;
  const width = 132;
  const length = (width - gap * (steps.length - 1)) / steps.length;
  return svg('svg', { class: 'steps-bar', width, height: 8, viewBox: `0 0 ${width} 8`, role: 'img', 'aria-label': text },
    steps.map((step, index) => {
      const before = index ? steps[index - 1].percent : 0;
      const isPartly = isAhead(step, release) && !step.withoutRules;
      const part = release.neverBegan ? 0 : isPartly ? Math.max(0, (release.percent - before) / (step.percent - before)) : Number(!isAhead(step, release));
      const x = index * (length + gap);
      return [
        svg('rect', { class: 'track', x, width: length, height: 8, rx: 3 }),
        part > 0 ? svg('rect', { class: `fill ${releaseKind(release)}`, x, width: Math.max(3, length * part), height: 8, rx: 3 }) : null,
      ];
    }));
}

/** Returns what a release does next, or why it does not go on. */
export function nextCell(release) {
  if (release.state === 'paused' || release.state === 'halted') return stateBadge(release);
  if (release.state === 'scheduled') return timeTag(release.activeTime);
  const next = nextStep(release);
  if (!next) return h('span', { class: 'muted' }, release.percent < 100 ? t('releases.stays', { percent: percent(release.percent) }) : '–');
  const { verdict } = release;
  if (verdict?.devicesSinceStep !== undefined && verdict.devicesSinceStep < verdict.required) {
    return h('div', null, stepText(next),
      minor(t('releases.waits-reports', { n: verdict.devicesSinceStep, required: verdict.required })));
  }
  const time = nextStepTime(release);
  return h('span', null, stepText(next), ' ', time ? h('span', { class: 'muted' }, release.nextStepAt ? timeTag(time) : tn('releases.next-from', { time: timeTag(time) })) : null);
}

/** Returns the failures of a release against its control group, by the rule that is nearest to tripping. */
export function failureCell(release) {
  const { verdict } = release;
  if (!verdict) return h('span', { class: 'muted' }, t('releases.no-rules'));
  const rule = tellingRule(verdict);
  if (!rule || rule.devices < verdict.required) {
    return h('span', { class: 'muted' }, t('releases.reported', { n: rule?.devices ?? verdict.devices, required: verdict.required }));
  }
  const isBad = verdict.state === 'unhealthy';
  return h('div', null, h('span', { class: isBad ? 'bad-text' : null }, percent(rule.percent)), ' ', t(`metric.${rule.metric}`),
    minor(rule.control ? t('releases.control', { percent: percent(rule.control.percent) }) : t('releases.of-devices', { n: rule.devices })));
}

/** @type {WeakMap<any, (devices: number) => void>} */
const seenListeners = new WeakMap();

/** Calls back with the number of devices seen on the channel once a cell of the page has read it. */
export function onDevicesSeen(context, callback) {
  seenListeners.set(context, callback);
}

/** Reads how many devices of a release have its version. */
async function loadReadiness(context, release) {
  const ready = await context.get(['packages', release.package, 'releases', release.id, 'readiness']);
  if (ready.channel === context.channel) seenListeners.get(context)?.(ready.seen);
  return ready;
}

/** Returns the devices that have a release's version, of those that may get it; loaded once it is visible. */
export function devicesCell(context, release) {
  return lazyCell(context, `readiness ${release.id}`, () => loadReadiness(context, release), ({ holding, matching }) => [
    h('b', null, number(holding)), minor(t('releases.of', { n: matching })),
  ]);
}

/** Returns a bar of the devices that are ready for a planned release; of a set, of the package with the fewest. */
export function readyCell(context, group) {
  const key = `ready ${group.map((release) => release.id).join()}`;
  return lazyCell(context, key, async () => {
    const all = [];
    for (const release of group) all.push({ ...await loadReadiness(context, release), package: release.package });
    return all.sort((one, other) => (one.percent ?? 0) - (other.percent ?? 0))[0];
  }, (ready) => {
    if (!ready.matching) return h('span', { class: 'muted' }, t('releases.nobody-matches'));
    const values = { percent: percent(ready.percent), holding: ready.holding, matching: ready.matching, package: ready.package };
    return h('div', { class: 'stack tight' }, progress(ready.holding / ready.matching, { kind: 'info' }),
      minor(group.length > 1 ? t('releases.ready-least', values) : t('releases.ready', values)));
  });
}
