import { api, path } from '../../api/client.js';
import { h, icon, notice } from '../../elements/index.js';
import { dateTime, list, number, percent, sentences, t, tn } from '../../i18n/index.js';
import { bytes } from '../../i18n/sizes.js';
import { audienceRuleText } from './audience-text.js';
import { lossesNotice } from './losses.js';
import { devicesAtShare } from './readiness.js';
import { nextStepTime } from './plan-text.js';
import { hasBegun, isSet } from './subject.js';
import { durationText } from './durations.js';
import { warningTexts } from './text.js';

/**
 * Returns what follows from a change, as a list with icons.
 *
 * @param {any[]} entries each the name of an icon and a text
 * @returns {any}
 */
function consequenceList(entries) {
  return h('ul', { class: 'consequences' }, entries.filter(Boolean).map((entry) => {
    const [name, text] = /** @type {[string, any]} */ (entry);
    return h('li', null, icon(name), h('div', null, text));
  }));
}

/** Returns the releases of other versions that a release hides, in a sentence. */
function shadowsText(result) {
  const all = (result.releases ?? [result]).flatMap((each) => each.shadows ?? []);
  return all.length ? t('release.hides', { releases: all.map((each) => `#${each.release} (${each.version})`).join(', ') }) : null;
}

/** Returns what a halt means for devices that do not say what they have. */
function silentText(release, result) {
  const parts = result.releases ?? [result];
  const back = parts.filter((each) => each.fallsBackToVersion).map((each) => (isSet(release) ? `${each.package} ${each.fallsBackToVersion}` : each.fallsBackToVersion));
  if (!back.length) return t('release.halt-silent-keep');
  const kept = parts.filter((each) => !each.fallsBackToVersion).map((each) => each.package);
  return sentences(t('release.halt-silent-back', { versions: list(back) }), kept.length && t('release.halt-silent-keep-of', { packages: list(kept) })).join('');
}

/**
 * Rehearses a change, and returns the result, or the releases of other packages that devices would lose.
 *
 * @param {(options: any) => Promise<any>} send
 * @param {AbortSignal} signal
 * @returns {Promise<{result: any, losses: any[]}>}
 */
export async function rehearse(send, signal) {
  try {
    const { value } = await send({ dryRun: true, signal });
    return { result: value, losses: value.losses ?? [] };
  } catch (/** @type {any} */ problem) {
    if (problem.code !== 'dependents-lost') throw problem;
    return { result: null, losses: problem.losses };
  }
}

/**
 * Returns the consequence of a change of a release, from its dry run.
 *
 * @param {string} action
 * @param {any} release
 * @param {{result: any, losses: any[], readiness: any, target?: number, everyone?: any}} facts `target` is the percentage of a
 *   widened release, `everyone` the readiness without the rules, if they end
 * @returns {any[]}
 */
export function consequencesOf(action, release, { result, losses, readiness, target, everyone }) {
  const nodes = [];
  const unknown = readiness ? null : ['info', t('release.uncounted')];
  if (action === 'complete' || action === 'widen') {
    const then = devicesAtShare(everyone ?? readiness, target ?? 100);
    const more = then == null ? null : Math.max(0, then - readiness.matching);
    nodes.push(consequenceList([
      more == null ? unknown : ['users', tn('release.more-devices', { devices: h('b', null, number(more)), n: more, percent: percent(target ?? 100) })],
      everyone === undefined ? null : ['filter', t('release.rules-end', { rules: release.rules.map(audienceRuleText).join('; ') })],
      ['arrow-right', t('release.only-grows')],
      action === 'complete' && release.plan ? ['clock', t('release.plan-ends')] : null,
      action === 'complete' && result && shadowsText(result) ? ['layers', shadowsText(result)] : null,
    ]));
  } else if (action === 'halt') {
    nodes.push(consequenceList(hasBegun(release) ? [
      ['stop', t('release.halt-none')],
      readiness ? ['users', t('release.halt-keep', { n: readiness.holding })] : unknown,
      result ? ['info', silentText(release, result)] : null,
      ['play', t('release.halt-later')],
    ] : [['stop', t('release.halt-early')], ['play', t('release.halt-later-early')]]));
  } else if (action === 'resume') {
    const resumed = result?.releases?.[0] ?? result;
    const next = resumed ? nextStepTime(resumed) : null;
    nodes.push(consequenceList([
      ['play', t('release.resume-at', { percent: percent(result?.percent ?? release.percent) })],
      readiness ? ['users', t('release.resume-devices', { n: devicesAtShare(readiness, result?.percent ?? release.percent) ?? readiness.matching })] : unknown,
      next ? ['clock', t(resumed.nextStepAt ? 'release.resume-next' : 'release.resume-next-from', { time: dateTime(next) })] : null,
      release.health ? ['shield', t('release.resume-health', { time: durationText(release.health.coolDown) })] : null,
    ]));
  }
  if (losses.length) nodes.push(lossesNotice(losses));
  for (const warning of warningTexts(result)) nodes.push(notice('warn', warning));
  return nodes;
}

/**
 * Returns the consequence of rolling a release back, from its dry run.
 *
 * @param {any} context
 * @param {any} release
 * @param {{result: any, losses: any[], readiness: any}} facts
 * @param {AbortSignal} signal
 * @returns {Promise<any[]>}
 */
export async function rollbackConsequences(context, release, { result, losses, readiness }, signal) {
  const parts = isSet(release) ? result.packages : [{ ...result, package: release.package }];
  const isBegun = hasBegun(release) || parts.some((each) => each.begun);
  const lines = [];
  if (isBegun && readiness) lines.push(['undo', tn('release.back-devices', { devices: h('b', null, number(readiness.holding)), n: readiness.holding, versions: versionsText(parts) })]);
  else lines.push(['undo', isBegun ? t('release.back', { versions: versionsText(parts) }) : t('release.back-scheduled')]);
  if (isBegun) {
    for (const { begun, package: name } of parts) {
      const old = isSet(release) ? release.releases.find((each) => each.package === name)?.version : release.version;
      if (begun) lines.push(['rocket', t('release.back-new', { version: isSet(release) ? `${name} ${begun.version}` : begun.version, percent: percent(begun.percent), old: old ?? '' })]);
    }
    lines.push(['clock', t('release.back-when')]);
    const size = isSet(release) ? null : await downloadSize(context, release, parts[0], signal);
    if (size) lines.push(['download', t('release.back-bytes', { each: bytes(size), all: bytes(size * (readiness?.holding ?? 0)) })]);
    else if (parts.some((each) => !each.patchesReady)) lines.push(['download', t('release.back-full')]);
  }
  lines.push(['cross', t('release.back-ends', { name: isSet(release) ? t('release-set.name', { id: String(release.id) }) : `#${release.id}` })]);
  return [consequenceList(lines), losses.length ? lossesNotice(losses) : null];
}

/** Returns the versions that devices get after a rollback. */
function versionsText(parts) {
  return parts.map((each) => {
    const offered = each.begun ?? each.offered[0];
    const version = offered?.version ?? t('release.back-nothing');
    return parts.length > 1 ? `${each.package} ${version}` : version;
  }).join(', ');
}

/** Returns the bytes that a device downloads to go back; `null` if that is not known. */
async function downloadSize(context, release, part, signal) {
  const version = (part.begun ?? part.offered[0])?.version;
  if (!version || version === release.version) return null;
  try {
    const diff = await api.get(path('apps', context.app, 'packages', release.package, 'versions', release.version, 'diff', version), { signal });
    const sizes = [diff.download.delta, diff.download.files, diff.download.full].filter((size) => size != null);
    return sizes.length ? Math.min(...sizes) : null;
  } catch {
    return null;
  }
}
