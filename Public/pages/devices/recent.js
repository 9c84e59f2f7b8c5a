import { session } from '../../api/session.js';

/** The number of devices that the browser remembers for an app. */
const most = 8;

const key = (app) => `larder-devices:${session.user}:${app}`;

/** Returns the ids of the devices that were looked up last, the latest first. */
export function recentDevices(app) {
  try {
    return JSON.parse(localStorage.getItem(key(app)) ?? '[]').filter((id) => typeof id === 'string');
  } catch {
    return [];
  }
}

/** Remembers a device that was looked up. */
export function rememberDevice(app, id) {
  localStorage.setItem(key(app), JSON.stringify([id, ...recentDevices(app).filter((each) => each !== id)].slice(0, most)));
}

/** Forgets a device, or all of them. */
export function forgetDevices(app, id) {
  const rest = id === undefined ? [] : recentDevices(app).filter((each) => each !== id);
  if (rest.length) localStorage.setItem(key(app), JSON.stringify(rest));
  else localStorage.removeItem(key(app));
}

/** Returns the address of a device's page; the id may have any characters. */
export function deviceAddress(context, id, query = {}) {
  const search = new URLSearchParams(query).toString();
  return `${context.href('devices')}/${encodeURIComponent(id)}${search ? `?${search}` : ''}`;
}

/**
 * Returns the release that a page about devices was opened for, by its package and its number; `null` if there is none.
 *
 * @param {any} context
 * @returns {{package: string, release: string} | null}
 */
export function askedRelease({ query }) {
  const [name, release] = [query.get('package'), query.get('release')];
  return name && /^\d+$/.test(release ?? '') ? { package: name, release } : null;
}
