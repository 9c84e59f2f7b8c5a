import { api, path } from '../../api/client.js';
import { isInFlight } from '../../api/flight.js';
import { code, h } from '../../elements/index.js';
import { number, sentences, t, tn } from '../../i18n/index.js';
import { duration } from '../../i18n/times.js';
import { lossesNotice } from '../release/losses.js';
import { addressOn, needsApproval } from '../release/subject.js';
import { gapText } from '../release/terms.js';
import { stateText, warningTexts } from '../release/text.js';
import { suggestedMinimum, gapsOf, judgmentGap } from './draft-review.js';
import { isSetDraft, requestOf } from './draft.js';
import { zonedTime } from './words.js';

/** The difference in seconds between the clocks of the server and the browser from which on the review warns. */
const clockTolerance = 30;

/** The releases of a package among which the review looks for those that the new one hides. */
const releaseLimit = 50;

/** The codes of the server's warnings that ask for no change. */
const informing = ['clients-without-facts-at-end'];

/** The states of releases in which devices are still on their way. */
const moving = ['active', 'paused', 'scheduled'];

/**
 * One line of the review.
 * @typedef {{kind: string, title: any, text?: any, actions?: {label: string, href?: string, run?: () => void}[], more?: any}} Check
 */

/** Returns the path of the requests that make a draft. */
export function makePath(context, draft) {
  return isSetDraft(draft) ? path('apps', context.app, 'release-sets') : path('apps', context.app, 'packages', draft.packages[0].package, 'releases');
}

/** Returns the body with the options that the review has added. */
export function makeBody(draft, accepted = {}) {
  const request = requestOf(draft);
  return accepted.key === JSON.stringify(request) ? { ...request, ...accepted.members } : request;
}

/**
 * Checks a draft with the server.
 *
 * @param {any} wizard
 * @param {AbortSignal} signal
 * @returns {Promise<{checks: Check[], isPossible: boolean, result: any}>}
 */
export async function checkDraft(wizard, signal) {
  const { draft, context } = wizard;
  const gaps = gapsOf(draft);
  if (gaps.length) {
    return { isPossible: false, result: null, checks: gaps.map((gap) => ({ kind: 'bad', title: t(gap.key), actions: [edit(wizard, gap.step)] })) };
  }
  const reason = context.session.reason('releaser', { app: context.app, channel: draft.channel });
  if (reason) return { isPossible: false, result: null, checks: [{ kind: 'bad', title: reason }] };
  const sentAt = Date.now();
  let result;
  try {
    result = (await api.send('POST', makePath(context, draft), makeBody(draft, wizard.accepted), { dryRun: true, signal })).value;
  } catch (/** @type {any} */ problem) {
    if (!problem.status) throw problem;
    return { isPossible: false, result: null, checks: [refusal(wizard, problem)] };
  }
  const releases = result.releases ?? [result];
  const checks = [...await Promise.all(releases.map((release) => packageChecks(wizard, release, signal)))].flat();
  if (needsApproval(context, draft.channel, 'create') || result.approvalRequired) {
    checks.unshift({ kind: 'warn', title: t('wizard.check-protected', { channel: draft.channel }), text: t('wizard.check-protected-text') });
  }
  checks.unshift(...warningTexts(result).map((warning, index) => ({ kind: informing.includes(result.warningCodes?.[index]) ? 'info' : 'warn', title: warning })));
  if (draft.health === 'none') checks.unshift({ kind: 'warn', title: t('wizard.check-no-rules'), text: t('wizard.check-no-rules-text'), actions: [edit(wizard, 'health')] });
  checks.unshift(...judgmentChecks(wizard, releases));
  const skew = (Date.parse(result.createdAt) - (sentAt + Date.now()) / 2) / 1000;
  if (Math.abs(skew) > clockTolerance) {
    checks.unshift({ kind: 'warn', title: t(skew > 0 ? 'wizard.check-clock-ahead' : 'wizard.check-clock-behind', { time: duration(Math.abs(skew)) }), text: t('wizard.check-clock-text', { time: zonedTime(result.createdAt) }) });
  }
  const order = { bad: 0, warn: 1, info: 2, good: 3 };
  return { isPossible: true, result, checks: checks.sort((one, other) => order[one.kind] - order[other.kind]) };
}

/** Returns the line about rules that the first step leaves without a decision. */
function judgmentChecks(wizard, releases) {
  const { draft, estimate, appHealth } = wizard;
  const gap = judgmentGap(draft, estimate, releases);
  if (!gap) return [];
  const devices = suggestedMinimum(gap.reached);
  const fix = { label: t('wizard.check-unjudged-fix', { n: devices }), run: () => wizard.change({ health: 'own', policy: { ...(draft.health === 'app' ? appHealth : draft.policy), devices } }) };
  return [{
    kind: 'warn', title: t('wizard.check-unjudged', { n: gap.reached, least: number(gap.least) }), text: t('wizard.check-unjudged-text'),
    actions: [...(devices ? [fix] : []), edit(wizard, 'health')],
  }];
}

/** Returns the link to the step that changes what a check is about. */
function edit(wizard, step) {
  return { label: t('wizard.edit'), href: wizard.href(step) };
}

/** Returns the line about a draft that the server refuses. */
function refusal(wizard, problem) {
  const { draft, context } = wizard;
  if (problem.code === 'release-exists') {
    const { release, releaseSet } = problem.value;
    const href = releaseSet ? addressOn(context, draft.channel, 'sets', String(releaseSet)) : addressOn(context, draft.channel, 'releases', draft.packages[0].package, String(release));
    return {
      kind: 'bad', title: problem.summary, text: [detailOf(problem), h('a', { href }, t('wizard.check-exists'))],
      actions: [{ label: t('wizard.check-again'), run: () => accept(wizard, { again: true }) }],
    };
  }
  if (problem.code === 'dependents-lost') {
    return { kind: 'bad', title: t('wizard.check-losses'), more: lossesNotice(problem.losses), actions: [{ label: t('wizard.check-force'), run: () => accept(wizard, { force: true }) }] };
  }
  return { kind: 'bad', title: problem.summary, text: [detailOf(problem), code(problem.code ?? String(problem.status))] };
}

/**
 * Notes that the person accepts what the server has refused, as long as the request stays as it is.
 *
 * @param {any} wizard
 * @param {Object<string, boolean>} members the members of the body that say so
 */
function accept(wizard, members) {
  const key = JSON.stringify(requestOf(wizard.draft));
  wizard.accepted = { key, members: { ...(wizard.accepted.key === key ? wizard.accepted.members : {}), ...members } };
  wizard.change();
}

/** Returns the server's own message if the summary is in another language. */
function detailOf(problem) {
  return problem.detail ? h('span', { lang: 'en' }, problem.detail, ' ') : null;
}

/** Returns the lines about one release of a draft. */
async function packageChecks(wizard, release, signal) {
  const { context, draft } = wizard;
  const base = path('apps', context.app, 'packages', release.package);
  const [version, others] = await Promise.all([
    api.get(`${base}/versions/${encodeURIComponent(release.version)}`, { signal }),
    api.get(`${base}/releases`, { query: { channel: release.channel, limit: releaseLimit }, signal }),
  ]);
  const name = draft.packages.length > 1 ? `${release.package} ${release.version}: ` : '';
  return [...shadowChecks(context, release, others.releases, name), patchCheck(release, name), versionCheck(context, release, version, name)].filter(Boolean);
}

/** Returns the lines about releases that the new one hides, or that hide it. */
function shadowChecks(context, release, others, name) {
  const link = (id) => h('a', { href: addressOn(context, release.channel, 'releases', release.package, String(id)) }, `#${id}`);
  const find = (id) => others.find((each) => each.id === id);
  const hidden = release.shadows ?? [];
  const inFlight = hidden.map((each) => ({ ...each, other: find(each.release) }))
    .filter(({ other }) => other && moving.includes(other.state) && isInFlight(other));
  const checks = inFlight.map(({ release: id, version, from, other }) => ({
    kind: 'warn', title: [name, ...tn('wizard.check-flight', { release: link(id), version, state: stateText(other) })],
    text: t('wizard.check-flight-text', { version: release.version, time: zonedTime(from), release: `#${id}` }),
  }));
  for (const each of release.shadowedBy ?? []) {
    checks.push({ kind: 'warn', title: [name, ...tn('wizard.check-hidden', { release: link(each.release), version: each.version })], text: t('wizard.check-hidden-text', { time: zonedTime(each.from) }) });
  }
  if (!checks.length) {
    const [first] = hidden;
    checks.push(/** @type {any} */ ({ kind: 'good', title: name + (first ? t('wizard.check-replaces', { release: `#${first.release}`, version: first.version }) : t('wizard.check-first')) }));
  }
  return checks;
}

/** Returns the line about the patches to a version. */
function patchCheck(release, name) {
  const gaps = release.noPatchFrom ?? [];
  const text = gaps.length ? t('wizard.check-patches-from', { versions: gaps.map((each) => `${each.version} (${gapText(each)})`).join(', ') }) : undefined;
  if (release.patchesReady) return { kind: gaps.length ? 'warn' : 'good', title: name + t(gaps.length ? 'wizard.check-patches-some' : 'wizard.check-patches'), text };
  return { kind: gaps.some((each) => each.reason === 'failed') ? 'bad' : 'good', title: name + t('wizard.check-patches-pending'), text: t('wizard.check-patches-pending-text', { versions: gaps.map((each) => each.version).join(', ') }) };
}

/** Returns the line about the content of a version. */
function versionCheck(context, release, version, name) {
  const warnings = version.warnings?.length ?? 0;
  const waived = (version.waived ?? []).reduce((sum, each) => sum + each.findings, 0);
  const text = sentences(
    version.minAppVersion || version.maxAppVersion ? t('wizard.check-host', { range: [version.minAppVersion && `>=${version.minAppVersion}`, version.maxAppVersion && `<=${version.maxAppVersion}`].filter(Boolean).join(' ') }) : t('wizard.check-host-any'),
    version.apis?.length ? t('wizard.check-apis', { apis: version.apis.join(', ') }) : null,
    version.needs ? t('wizard.check-needs', { needs: typeof version.needs === 'string' ? version.needs : Object.entries(version.needs).map(([id, range]) => `${id} ${range}`).join('; ') }) : null,
    waived ? t('wizard.check-waived', { n: waived }) : null,
  ).join('');
  return {
    kind: warnings ? 'warn' : 'good', title: name + (warnings ? t('wizard.check-lint', { n: warnings }) : t('wizard.check-lint-none')), text,
    actions: [{ label: t('wizard.check-look'), href: context.href(`packages/${release.package}/versions/${release.version}`) }],
  };
}
