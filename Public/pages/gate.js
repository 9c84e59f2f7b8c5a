import { session } from '../api/session.js';
import { announce } from '../elements/index.js';
import { stylesheet } from '../elements/stylesheet.js';
import { t } from '../i18n/index.js';
import { signInDialog, signInPage } from './sign-in.js';

/**
 * Replaces the console by the page where a person signs in.
 *
 * @param {import('../types.js').Shell} shell
 * @param {string} [notice]
 */
export function showSignIn({ root, close, open }, notice) {
  close();
  root.replaceChildren(signInPage({
    notice,
    entered: async () => {
      announce(t('sign-in.done'));
      await open({ isFirst: true });
    },
  }));
  /** @type {HTMLElement | null} */ (root.querySelector('[autofocus]'))?.focus();
  document.title = `${t('sign-in.title')} – Larder`;
}

/** @type {Promise<boolean> | null} */
let signingIn = null;

/**
 * Asks for the password in a dialog, so that the open page keeps its entries.
 *
 * @param {import('../types.js').Shell} shell
 * @returns {Promise<boolean>} whether the same person has signed in
 */
export async function signInAgain(shell) {
  const { user } = session;
  if (!shell.state.frame || !user) return false;
  signingIn ??= askAgain(shell, user).finally(() => { signingIn = null; });
  return signingIn;
}

async function askAgain(shell, user) {
  await stylesheet('overlays.css');
  const isSignedIn = await signInDialog(user);
  if (!isSignedIn) showSignIn(shell);
  // A request of one person is never sent again in the name of another.
  else if (session.user !== user) location.reload();
  return isSignedIn && session.user === user;
}
