import { get } from './api.js';

/** The roles; each has the permissions of those before it. */
const roles = ['viewer', 'publisher', 'releaser', 'admin'];

/** The facts of the current token; `null` if the operator is not signed in. */
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
 * Returns the reason why the token does not permit an action that needs the role `releaser`.
 *
 * @param action the name of the action, such as `Releasing`
 */
export function refusal(action) {
  return `${action} needs the role releaser; your token has the role ${session?.role}. Ask a releaser or an admin.`;
}

/** Returns the name of the token in the audit log, and its role. */
export function sessionText() {
  return `${session.actor}, ${session.role}`;
}
