import { badge, h, stateBadge } from '../../elements/index.js';
import { progress, stepsBar } from '../../elements/progress.js';
import { timeTag } from '../../elements/time.js';
import { number, percent, t, tn } from '../../i18n/index.js';
import { lazyCell } from './lazy.js';

/** Returns a second, quieter line of a cell. */
export function minor(...content) {
  return h('small', null, content);
}

/**
 * Returns the path of a release's page below the channel: that of its set if it belongs to one.
 *
 * @param {{package: string, id: number, releaseSet?: number}} release
 */
export function releasePath(release) {
  return release.releaseSet ? `sets/${release.releaseSet}` : `releases/${release.package}/${release.id}`;
}

/** Returns the colour of a release's bar by its state. */
export function releaseKind(release) {
  if (release.state === 'halted' || release.verdict?.state === 'unhealthy') return 'bad';
  if (release.state === 'paused') return 'warn';
  return release.state === 'scheduled' ? 'info' : 'good';
}

/**
 * Returns the releases with those of one set together, each as a group of one or several.
 *
 * @param {any[]} releases
 * @returns {any[][]}
 */
export function grouped(releases) {
  const groups = new Map();
  for (const release of releases) {
    const key = release.releaseSet ? `set ${release.releaseSet}` : `release ${release.id}`;
    groups.set(key, [...groups.get(key) ?? [], release]);
  }
  return [...groups.values()];
}

/** Returns releases with those first that need a person. */
export function urgentFirst(releases) {
  const order = ['bad', 'warn', 'good', 'info'];
  return [...releases].sort((one, other) => order.indexOf(releaseKind(one)) - order.indexOf(releaseKind(other)) || other.id - one.id);
}

/** Returns planned releases in the order in which they take effect. */
export function nextFirst(releases) {
  return [...releases].sort((one, other) => Date.parse(one.activeTime) - Date.parse(other.activeTime) || one.id - other.id);
}

/** Returns the name of a release, or of a set by its number. */
export function releaseName(group) {
  const [release] = group;
  return release.releaseSet ? t('releases.set-name', { n: release.releaseSet }) : `${release.package} ${release.version}`;
}

/** Returns the line below the name: the number and the terms, or the versions of a set. */
export function releaseNote(group) {
  const [release] = group;
  if (release.releaseSet) return group.map((each) => `${each.package} ${each.version}`).join(', ');
  const parts = [`#${release.id}`];
  if (release.state === 'scheduled') parts.push(percent(release.plan ? release.plan.at(-1).percent : release.percent));
  if (release.mandatory) parts.push(t('releases.mandatory'));
  if (release.whitelist) parts.push(t('releases.whitelist', { list: release.whitelist }));
  return parts.join(', ');
}

/** Returns the step of a plan that comes after the present percentage, or `null`. */
export function nextStep(release) {
  return release.plan?.find((step) => step.percent > release.percent) ?? null;
}

/** Returns how far a release's plan is, as a bar and a line. */
export function planCell(release) {
  const steps = release.plan?.length ?? 0;
  const done = Math.max(1, (release.plan ?? []).filter((step) => release.percent >= step.percent).length);
  return h('div', { class: 'stack tight' }, stepsBar(release.plan ?? [100], release.percent, releaseKind(release)),
    minor(steps > 1 ? t('common.step-of', { percent: percent(release.percent), step: done, steps }) : percent(release.percent)));
}

/** Returns what a release does next, or why it does not go on. */
export function nextCell(release) {
  if (release.state === 'paused' || release.state === 'halted') return stateBadge(release.state);
  if (release.state === 'scheduled') return timeTag(release.activeTime);
  const next = nextStep(release);
  if (!next) return h('span', { class: 'muted' }, release.percent < 100 ? t('releases.stays', { percent: percent(release.percent) }) : '–');
  const { verdict } = release;
  if (verdict?.devicesSinceStep !== undefined && verdict.devicesSinceStep < verdict.required) {
    return h('div', null, percent(next.percent),
      minor(t('releases.waits-reports', { n: verdict.devicesSinceStep, required: verdict.required })));
  }
  return h('span', null, percent(next.percent), ' ', release.nextStepAt ? h('span', { class: 'muted' }, timeTag(release.nextStepAt)) : null);
}

/** Returns the rule of a verdict that is nearest to tripping; `null` before any has data. */
export function tellingRule(verdict) {
  const rules = (verdict?.rules ?? []).filter((rule) => rule.devices > 0 && rule.metric !== 'loadTime');
  const weight = (rule) => (rule.state === 'unhealthy' ? 1e6 : 0) + (rule.evidence ?? 0) / (rule.bound || 1) + rule.percent / 1e6;
  return rules.sort((one, other) => weight(other) - weight(one))[0] ?? null;
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

/** Returns a badge of a package's release in flight, from the list of packages. */
function flightBadge(release) {
  const icons = { active: ['good', 'play'], paused: ['warn', 'pause'], halted: ['bad', 'stop'], scheduled: ['info', 'clock'] };
  const [kind, icon] = icons[release.state] ?? ['', 'info'];
  const when = release.state === 'scheduled' ? timeTag(release.activeTime) : percent(release.percent);
  return badge([h('span', { class: 'visually-hidden' }, t(`state.${release.state}`), ' '), release.version, ', ', when], kind, icon);
}

/**
 * Returns the badges of what is not usual about a package on the channel; `null` if nothing is.
 *
 * @param {any} each an item of the list of packages with `onChannel`
 */
export function packageBadges(each) {
  const badges = each.onChannel.inFlight.map(flightBadge);
  if (each.onChannel.onlineUntil) badges.push(badge(tn('packages.online-until', { time: timeTag(each.onChannel.onlineUntil) }), 'info', 'globe'));
  if (!each.enable) badges.push(badge(t('packages.off'), '', 'cross'));
  return badges.length ? h('div', { class: 'row tight' }, badges) : null;
}
