import { environment } from '../api/client.js';
import { t } from '../i18n/index.js';
import { h } from './dom.js';
import { withStyle } from './stylesheet.js';

/** Makes screen readers say a text; `assertive` interrupts what is being said. */
export function announce(text, { assertive = false } = {}) {
  const id = assertive ? 'assertive' : 'polite';
  const place = document.getElementById(id) ?? h('div', { id, class: 'visually-hidden', 'aria-live': id });
  if (!place.isConnected) document.body.append(place);
  place.textContent = '';
  setTimeout(() => { place.textContent = text; }, 50);
}

/**
 * Shows a text at the edge of the window for six seconds, and longer while the pointer or the focus is on it.
 *
 * @param {string} text
 * @param {{action?: {label: string, run: () => any}, kind?: 'good' | 'bad' | 'warn'}} [options] the action that reverses what
 *   happened
 */
export async function toast(text, options) {
  try {
    (await withStyle(import('./toast-area.js'), 'overlays.css')).showToast(text, options);
  } catch {
    announce(text, { assertive: true });
    environment.reached(false);
  }
}

/** Returns a handler that says so if what it began fails. */
export function guarded(/** @type {(event: any) => any} */ handler) {
  return async (event) => {
    try {
      await handler(event);
    } catch (problem) {
      if (problem?.name === 'AbortError') return;
      if (problem?.status === undefined) console.error(problem);
      toast(problem?.message ?? t('page.failed'), { kind: 'bad' });
    }
  };
}
