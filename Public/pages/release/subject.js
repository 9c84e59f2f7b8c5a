import { path } from '../../api/client.js';
import { t } from '../../i18n/index.js';

/** The changes that need a second person on a protected channel. */
const protectedChanges = ['create', 'widen', 'reschedule', 'resume', 'complete', 'health'];

/** Returns whether an object is a release set. */
export function isSet(release) {
  return Array.isArray(release.releases);
}

/** Returns whether a release or a release set has reached a device, or could have. */
export function hasBegun({ state, neverBegan }) {
  return state !== 'scheduled' && !neverBegan;
}

/** Returns the name of an action in the keys of texts: a rollback before the start cancels a release. */
export function shownAction(release, action) {
  return action === 'rollback' && !hasBegun(release) ? 'cancel' : action;
}

/** Returns the path of a release or a release set below its app. */
export function partsOf(release) {
  return isSet(release) ? ['release-sets', String(release.id)] : ['packages', release.package, 'releases', String(release.id)];
}

/** Returns the name of a release or a release set, such as `checkout 3.12.0`. */
export function nameOf(release) {
  return isSet(release) ? t('release-set.name', { id: String(release.id) }) : `${release.package} ${release.version}`;
}

/** Returns the address of a page on a channel, which may be another one than that of the open page. */
export function addressOn(context, channel, ...parts) {
  return `#/${path(context.app, channel, ...parts)}`;
}

/** Returns whether a change of a release on a channel waits for a second person. */
export function needsApproval(context, channel, change) {
  if (!protectedChanges.includes(change)) return false;
  return (context.channels.find((each) => each.name === channel)?.approvals ?? 0) > 0;
}

/** Returns whether an entry of the event stream is about a release or a release set. */
export function concerns(release, event) {
  const details = event.details ?? {};
  if (/^approval\./.test(event.action ?? '')) return true;
  if (isSet(release)) return /^release-set\./.test(event.action ?? '') || String(details.releaseSet ?? '') === String(release.id);
  if (!/^(release|release-set|package|version)\./.test(event.action ?? '')) return false;
  return String(details.release ?? '') === String(release.id) || String(event.package ?? event.subject ?? '').split(/[@,]/)[0] === release.package;
}
