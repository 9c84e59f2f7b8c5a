import { get, token } from './api.js';
import { field, h } from './dom.js';
import { Form } from './form.js';

/**
 * Asks for a token; it is tried at once, and kept by this tab alone.
 *
 * @param entered called when the token is good
 * @param notice why it is asked for, if that is not clear
 */
export function signInView(entered, notice) {
  const input = h('input', {
    type: 'password', name: 'token', required: true, autocomplete: 'off', spellcheck: 'false', 'data-autofocus': true,
  });
  const form = new Form('Sign in', [
    field('Token', input, 'Kept in this browser tab until you sign out or close it.'),
  ], async () => {
    token.set(input.value.trim());
    await get('apps');
    entered();
  });
  return {
    title: 'Sign in',
    content: [
      notice,
      h('section', { class: 'card narrow', 'aria-label': 'Sign in' }, form.element,
        h('p', { class: 'hint' },
          'No token yet? The first start of the server shows one in its terminal, or writes it to the file ',
          h('code', null, 'initial-token'), ' in the data directory. Further ones: ',
          h('code', null, 'larder token create'), '.')),
    ],
  };
}
