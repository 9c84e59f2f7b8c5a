import { t } from '../i18n/index.js';
import { request } from './client.js';

/** The roles; each has the permissions of those before it. */
const roles = ['viewer', 'publisher', 'releaser', 'admin'];

/** @typedef {{app?: string, channel?: string}} Scope a channel, an app or everything */

/** The person who is signed in. */
export const session = {
  /** @type {string | null} The name of the user; `null` while nobody is signed in. */
  user: null,
  /** @type {(Scope & {role: string})[]} */
  grants: [],
  /** @type {Object<string, any>} The response about the session. */
  facts: {},

  /** Reads the session; throws a problem with status 401 if nobody is signed in. */
  async open() {
    const { value } = await request('GET', 'session', { isSignIn: true });
    Object.assign(session, { user: value.user, grants: value.grants, facts: value });
  },

  /** Returns whether the user has a role. */
  may(role, /** @type {Scope} */ { app, channel } = {}) {
    return session.grants.some((grant) => roles.indexOf(grant.role) >= roles.indexOf(role)
      && (!grant.app || grant.app === app) && (!grant.channel || grant.channel === channel));
  },

  /** Returns the reason why the user may not act, or `null` if the user may. */
  reason(role, /** @type {Scope} */ scope = {}) {
    if (session.may(role, scope)) return null;
    const own = session.role(scope);
    return own ? t('session.needs-role', { role: t(`role.${role}`), own: t(`role.${own}`) })
      : t('session.needs-role-none', { role: t(`role.${role}`) });
  },

  /** Returns the highest role in a scope. */
  role(scope = {}) {
    return roles.findLast((role) => session.may(role, scope)) ?? null;
  },

  /** Returns the highest role anywhere. */
  highestRole() {
    return roles.findLast((role) => session.grants.some((grant) => grant.role === role)) ?? 'viewer';
  },
};
