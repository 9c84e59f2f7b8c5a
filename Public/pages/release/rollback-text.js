import { h } from '../../elements/index.js';
import { t, tn } from '../../i18n/index.js';
import { isAbout } from './history.js';
import { addressOn, isSet } from './subject.js';

/** The releases among which the one that a rollback has made is looked for. */
const readReleases = 25;

/** Returns a link to another release of the package, or to another release set. */
function link(context, release, id) {
  const parts = isSet(release) ? ['sets', String(id)] : ['releases', release.package, String(id)];
  return h('a', { href: addressOn(context, release.channel, ...parts) }, t(isSet(release) ? 'release-set.name' : 'release.name', { id: String(id) }));
}

/** Returns the sentence about the release that a rollback, an entry of the history, has made; `null` if it is not found. */
export async function followerText(context, release, entry) {
  const query = { channel: release.channel, limit: readReleases };
  const { releases, releaseSets } = isSet(release) ? await context.get(['release-sets'], query)
    : await context.get(['packages', release.package, 'releases'], { ...query, version: entry.subject.split('@')[1] });
  const follower = (releaseSets ?? releases).find((each) => each.id !== release.id && isAbout(each, entry));
  if (!follower) return null;
  return tn(`release.says.follower${isSet(release) ? '-set' : ''}`, { release: link(context, release, follower.id), version: follower.version });
}

/** Returns the sentence about the release that another one takes back, by its number. */
export function takesBackText(context, release, id) {
  return tn('release.says.takes-back', { release: link(context, release, id) });
}
