import { get, token } from './api.js';
import { field, h } from './dom.js';
import { Form } from './form.js';

/** Returns the form that asks for a token and verifies it. */
function tokenForm(entered) {
  const input = h('input', {
    type: 'password', name: 'token', required: true, autocomplete: 'off', spellcheck: 'false', 'data-autofocus': true,
  });
  return new Form('Sign in', [
    field('Token', input, 'Kept in this browser tab until you sign out or close it.'),
  ], async () => {
    token.set(input.value.trim());
    await get('token');
    await entered();
  });
}

/**
 * Returns the sign-in page; the token is verified at once and kept only in this tab.
 *
 * @param entered called when the token is valid
 * @param notice the reason why a token is needed, if that is not obvious
 */
export function signInView(entered, notice) {
  return {
    title: 'Sign in',
    content: [
      notice,
      h('section', { class: 'card narrow', 'aria-label': 'Sign in' }, tokenForm(entered).element,
        h('p', { class: 'hint' },
          'No token yet? The first start of the server shows one in its terminal, or writes it to the file ',
          h('code', null, 'initial-token'), ' in the data directory. Further ones: ',
          h('code', null, 'larder token create'), '.')),
    ],
  };
}

let dialog = null;

/** Asks for a token in a dialog, one at a time; the open page and its entries stay. */
export function signInAgain(entered) {
  if (dialog) return;
  const opener = document.activeElement;
  const form = tokenForm(async () => {
    await entered();
    dialog.close();
  });
  const closed = () => {
    dialog.remove();
    dialog = null;
    // The browser returns the focus to the opener only if it was neither replaced nor disabled meanwhile.
    if (document.activeElement === document.body) (opener?.isConnected ? opener : document.querySelector('h1')).focus();
    if (document.activeElement === document.body) document.querySelector('h1').focus();
  };
  dialog = h('dialog', { 'aria-labelledby': 'sign-in-again', onclose: closed },
    h('h2', { id: 'sign-in-again' }, 'Sign in again'),
    h('p', { class: 'lead' }, 'The server no longer accepts the token of this tab: it was revoked, or the server has other data. Your entries stay.'),
    form.element);
  document.body.append(dialog);
  dialog.showModal();
}
