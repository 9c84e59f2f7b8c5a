import { actorName } from '../parts/actor.js';
import { shared } from './store.js';
import { concerns, isSet } from './subject.js';

/** The entries that are read: the server selects them by package only. */
const readEntries = 200;

/** The time in milliseconds between a release and the entry of its making. */
const makingTolerance = 2_000;

export function historyQuery(release) {
  return isSet(release) ? { action: 'release-set.*', limit: readEntries } : { package: release.package, limit: readEntries };
}

/** Returns whether an entry of the history is about a release or a release set. */
export function isAbout(release, entry) {
  const { details = {}, action, subject } = entry;
  // Releases and release sets have numbers of their own.
  if (action.startsWith('release-set.') !== isSet(release)) return false;
  if (Number(details.takesBack) === release.id) return true;
  const isMaking = Math.abs(Date.parse(entry.time) - Date.parse(release.createdAt)) <= makingTolerance && details.channel === release.channel;
  if (isSet(release)) {
    const versions = release.releases.map((each) => `${each.package}@${each.version}`).join(',');
    return String(subject) === String(release.id) || Number(details.releaseSet) === release.id || (isMaking && subject === versions);
  }
  if (!action.startsWith('release.')) return false;
  if (details.release !== undefined) return Number(details.release) === release.id;
  return isMaking && subject === `${release.package}@${release.version}`;
}

/**
 * Returns the steps of a plan and the widenings among the entries of a release; one that only drops the rules has no percentage.
 *
 * @returns {import('../../types.js').Advance[]}
 */
export function advancesOf(entries) {
  return entries.filter((entry) => /\.(advance|widen)$/.test(entry.action) && (entry.details?.percent !== undefined || entry.details?.withoutRules))
    .map(({ details, time }) => ({ percent: Number(details.percent), withoutRules: Boolean(details.withoutRules), time }));
}

/** Returns whether an entry of a release made it: a rollback makes the release that follows, too. */
const isMakingOf = ({ id }, { action, details }) => action.endsWith('.make') || Boolean(details?.takesBack && Number(details.takesBack) !== id);

/**
 * Follows the history of a release or a release set, and notes who made it and when its steps began.
 *
 * @param {any} context
 * @param {import('./store.js').ReleaseStore} store
 * @param {import('../../types.js').Known} known
 * @returns {() => Promise<any[]>} returns the entries, newest first; readers at about the same time share a request
 */
export function followHistory(context, store, known) {
  const read = shared(context, async () => (await context.get(['history'], historyQuery(store.value))).entries.filter((entry) => isAbout(store.value, entry)));
  const note = async () => {
    const entries = await read();
    known.advances = advancesOf(entries);
    const made = entries.find((entry) => isMakingOf(store.value, entry));
    known.maker = made ? { person: actorName(made.actor), approver: made.details?.approvedBy ? actorName(made.details.approvedBy) : null } : null;
    store.update();
    if (!entries.some((entry) => entry.details?.takesBack)) return;
    await (await import('./rollback-text.js')).noteRollbacks(context, store.value, known, entries);
    store.update();
  };
  // A panel that shows the history says why it cannot be read.
  const follow = () => note().catch(() => {});
  context.onEvent((event) => { if (event.isGap || concerns(store.value, event)) follow(); });
  follow();
  return read;
}
