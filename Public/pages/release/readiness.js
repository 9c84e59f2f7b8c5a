import { api, path } from '../../api/client.js';
import { isSet, partsOf } from './subject.js';

/**
 * Counts the devices of a release; of a set, those of the package with the fewest that have it. Calls `onCount` for each release.
 *
 * @returns {Promise<any>} `null` if the server counts no devices, or the release has ended
 */
export async function readinessOf(context, release, signal, onCount) {
  if (release.state === 'rolled-back') return null;
  const all = [];
  for (const each of isSet(release) ? release.releases : [release]) {
    try {
      const readiness = await api.get(path('apps', context.app, ...partsOf(each), 'readiness'), { signal });
      all.push(readiness);
      onCount?.(each, readiness);
    } catch (/** @type {any} */ problem) {
      if (problem.status !== 409) throw problem;
      return null;
    }
  }
  return all.sort((one, other) => one.holding - other.holding)[0];
}

/** Returns about how many devices a percentage of a release's audience has; `null` if nothing is known about it. */
export function devicesAtShare(readiness, share) {
  if (!readiness || !readiness.reach) return null;
  return Math.round(readiness.matching * share / readiness.reach);
}
