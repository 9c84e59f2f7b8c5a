import { api, path } from './client.js';

/** The states of releases that can be in flight. */
const flightStates = 'active,paused,halted,scheduled';

/** The requests in progress, by app and channel: readers at the same time share one. */
const pending = new Map();

/** Returns whether a release is on its way: planned, halted, paused, or not yet with all devices. */
export function isInFlight(release) {
  return release.state !== 'active' || release.percent < 100;
}

/**
 * Reads what a channel has in flight: releases on their way, requests that wait for approval, and packages that are
 * served from the network. Calls at the same time share three requests.
 *
 * @param {string} app
 * @param {string} channel
 * @returns {Promise<{releases: any[], approvals: any[], online: any[]}>}
 */
export function loadFlight(app, channel) {
  const key = JSON.stringify([app, channel]);
  let request = pending.get(key);
  if (!request) {
    request = load(app, channel).finally(() => pending.delete(key));
    pending.set(key, request);
  }
  return request;
}

async function load(app, channel) {
  const [releases, approvals, packages] = await Promise.all([
    api.get(path('apps', app, 'releases'), { query: { channel, state: flightStates } }),
    api.get(path('apps', app, 'approvals'), { query: { state: 'pending' } }),
    api.get(path('apps', app, 'packages'), { query: { channel, online: 1 } }),
  ]);
  return {
    releases: releases.releases.filter(isInFlight), approvals: approvals.approvals, online: packages.packages,
  };
}
