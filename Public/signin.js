import { get, token } from './api.js';
import { field, h } from './dom.js';
import { Form } from './form.js';

/** The form that asks for a token and tries it. */
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
 * Asks for a token; it is tried at once, and kept by this tab alone.
 *
 * @param entered called when the token is good
 * @param notice why it is asked for, if that is not clear
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

/** Asks for a token above the page that is open, once at a time; the page and its entries stay. */
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
    // The browser returns the focus to an opener that is still there; a control that was replaced or disabled meanwhile is not.
    if (document.activeElement === document.body) (opener?.isConnected ? opener : document.querySelector('h1')).focus();
    if (document.activeElement === document.body) document.querySelector('h1').focus();
  };
  dialog = h('dialog', { 'aria-labelledby': 'sign-in-again', onclose: closed },
    h('h2', { id: 'sign-in-again' }, 'Sign in again'),
    h('p', { class: 'lead' }, 'The server does not accept the token of this tab any more: it was revoked, or the server’s data is another. What you entered stays.'),
    form.element);
  document.body.append(dialog);
  dialog.showModal();
}
