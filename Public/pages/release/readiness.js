import { api, path } from '../../api/client.js';
import { isSet, partsOf } from './subject.js';

/**
 * Counts the devices of a release; of a set, those of the package with the fewest that have it.
 *
 * @returns {Promise<any>} `null` if the server counts no devices, or the release has ended
 */
export async function readinessOf(context, release, signal) {
  if (release.state === 'rolled-back') return null;
  const all = [];
  for (const each of isSet(release) ? release.releases : [release]) {
    try {
      all.push(await api.get(path('apps', context.app, ...partsOf(each), 'readiness'), { signal }));
    } catch (/** @type {any} */ problem) {
      if (problem.status !== 409) throw problem;
      return null;
    }
  }
  return all.sort((one, other) => one.holding - other.holding)[0];
}

/**
 * Counts the devices of a release if its rules did not apply; of a set, those of the package that `readinessOf` has counted.
 *
 * @param {any} context
 * @param {any} release
 * @param {any} readiness what `readinessOf` has counted
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} the readiness of such a release; `null` if the server counts no devices
 */
export async function readinessWithoutRules(context, release, readiness, signal) {
  if (!readiness) return null;
  const { package: name, version } = isSet(release) ? release.releases.find((each) => each.id === readiness.release) ?? release.releases[0] : release;
  const { channel, whitelist, excluded, floor } = release;
  const body = { version, channel, whitelist, excluded, floor, percent: 100 };
  const { value } = await api.send('POST', path('apps', context.app, 'packages', name, 'audience-estimate'), body, { signal, dryRun: true });
  return { ...readiness, matching: value.matching, reach: 100 };
}

/** Returns about how many devices a percentage of a release's audience has; `null` if nothing is known about it. */
export function devicesAtShare(readiness, share) {
  if (!readiness || !readiness.reach) return null;
  return Math.round(readiness.matching * share / readiness.reach);
}
