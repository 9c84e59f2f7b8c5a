import { get } from './api.js';

/** The roles; each may do all that the one before it may. */
const roles = ['publisher', 'releaser', 'admin'];

/** The token in use; `null` while nobody is signed in. */
let session = null;

/** Reads the name and the role of the token from the server. */
export async function openSession() {
  session = await get('token');
}

export function closeSession() {
  session = null;
}

export function hasSession() {
  return session !== null;
}

export function mayRelease() {
  return roles.indexOf(session?.role) >= roles.indexOf('releaser');
}

/**
 * Why the token does not allow an action that needs the role `releaser`.
 *
 * @param action what the page offers, such as `Releasing`
 */
export function refusal(action) {
  return `${action} needs the role releaser; your token has the role ${session?.role}. Ask a releaser or an admin.`;
}

/** The name of the token in the audit log, and its role. */
export function sessionText() {
  return `${session.actor}, ${session.role}`;
}
