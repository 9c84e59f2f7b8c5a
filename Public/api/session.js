import { t } from '../i18n/index.js';
import { request } from './client.js';

/** The roles; each has the permissions of those before it. */
const roles = ['viewer', 'publisher', 'releaser', 'admin'];

/** The person who is signed in. */
export const session = {
  /** @type {string | null} The name of the user; `null` while nobody is signed in. */
  user: null,
  /** @type {{role: string, app?: string, channel?: string}[]} */
  grants: [],
  /** @type {Object<string, any>} The response of the server about the session. */
  facts: {},

  /** Reads the session from the server; throws a problem with status 401 if nobody is signed in. */
  async open() {
    take((await request('GET', 'session', { isSignIn: true })).value);
  },

  /** Signs the user out. */
  async end() {
    await request('DELETE', 'session', { isSignIn: true });
    session.user = null;
    session.grants = [];
  },

  /**
   * Returns whether the user has a role, for a channel, an app or everything.
   *
   * @param {string} role
   * @param {{app?: string, channel?: string}} scope
   */
  may(role, { app, channel } = {}) {
    return session.grants.some((grant) => roles.indexOf(grant.role) >= roles.indexOf(role)
      && (!grant.app || grant.app === app) && (!grant.channel || grant.channel === channel));
  },

  /**
   * Returns the reason why the user may not act, or `null` if the user may.
   *
   * @param {string} role
   * @param {{app?: string, channel?: string}} [scope]
   */
  reason(role, scope = {}) {
    if (session.may(role, scope)) return null;
    const own = session.role(scope);
    return own ? t('session.needs-role', { role: t(`role.${role}`), own: t(`role.${own}`) })
      : t('session.needs-role-none', { role: t(`role.${role}`) });
  },

  /** Returns the highest role of the user in a scope. */
  role(scope = {}) {
    return roles.findLast((role) => session.may(role, scope)) ?? null;
  },

  /** Returns the highest role of the user anywhere, to show it beside the name. */
  highestRole() {
    return roles.findLast((role) => session.grants.some((grant) => grant.role === role)) ?? 'viewer';
  },
};

function take(facts) {
  session.user = facts.user;
  session.grants = facts.grants;
  session.facts = facts;
}
