import { api, path } from './client.js';

/** The states of releases that can be in flight. */
const flightStates = 'active,paused,halted,scheduled';

/** The time in milliseconds for which readers share requests. */
const freshness = 2_000;

/** @type {Map<string, {startedAt: number, result: Promise<any>}>} The last requests, by app and channel. */
const requests = new Map();

/** Returns whether a release is planned, halted, paused, or not yet with all devices. */
export function isInFlight(release) {
  // An active release with a plan has steps left, or is below 100%.
  return release.state !== 'active' || release.percent < 100 || Boolean(release.plan);
}

/**
 * Reads what a channel has in flight.
 *
 * @returns {Promise<import('../types.js').Flight>}
 */
export function loadFlight(app, channel) {
  const key = JSON.stringify([app, channel]);
  const last = requests.get(key);
  if (last && Date.now() - last.startedAt < freshness) return last.result;
  const result = load(app, channel);
  requests.set(key, { startedAt: Date.now(), result });
  result.catch(() => requests.delete(key));
  return result;
}

/** Makes the next readers ask the server. */
export function forgetFlight() {
  requests.clear();
}

async function load(app, channel) {
  const [releases, approvals, packages] = await Promise.all([
    api.get(path('apps', app, 'releases'), { query: { channel, state: flightStates } }),
    api.get(path('apps', app, 'approvals'), { query: { state: 'pending', channel } }),
    api.get(path('apps', app, 'packages'), { query: { channel, online: 1 } }),
  ]);
  return { releases: releases.releases.filter(isInFlight), approvals: approvals.approvals, online: packages.packages };
}
