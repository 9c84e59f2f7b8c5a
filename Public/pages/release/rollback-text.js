import { h } from '../../elements/index.js';
import { t, tn } from '../../i18n/index.js';
import { isAbout } from './history.js';
import { addressOn, isSet } from './subject.js';

/** The number of releases that are searched for the one that a rollback made. */
const readReleases = 25;

/** Returns a link to another release of the package, or to another release set. */
function link(context, release, id) {
  const parts = isSet(release) ? ['sets', String(id)] : ['releases', release.package, String(id)];
  return h('a', { href: addressOn(context, release.channel, ...parts) }, t(isSet(release) ? 'release-set.name' : 'release.name', { id: String(id) }));
}

/** Returns the sentence about the release that a rollback, an entry of the history, has made; `null` if it is not found. */
async function followerText(context, release, entry) {
  const query = { channel: release.channel, limit: readReleases };
  const { releases, releaseSets } = isSet(release) ? await context.get(['release-sets'], query)
    : await context.get(['packages', release.package, 'releases'], { ...query, version: entry.subject.split('@')[1] });
  const follower = (releaseSets ?? releases).find((each) => each.id !== release.id && isAbout(each, entry));
  if (!follower) return null;
  return tn(`release.says.follower${isSet(release) ? '-set' : ''}`, { release: link(context, release, follower.id), version: follower.version });
}

/** Returns the sentence about the release that another one takes back, by its number. */
function takesBackText(context, release, id) {
  return tn(isSet(release) ? 'release.says.takes-back-set' : 'release.says.takes-back', { release: link(context, release, id) });
}

/**
 * Notes the sentences about the rollback that made a release and the one that ended it, each if there is one.
 *
 * @param {any} context
 * @param {any} release
 * @param {import('../../types.js').Known} known
 * @param {any[]} entries the history of the release
 */
export async function noteRollbacks(context, release, known, entries) {
  for (const entry of entries.filter((each) => each.details?.takesBack)) {
    const id = Number(entry.details.takesBack);
    if (id !== release.id) known.takesBackText = takesBackText(context, release, id);
    else known.followerText ??= await followerText(context, release, entry);
  }
}
