import { t } from '../i18n/index.js';
import { toast } from './toast.js';

/** The elements that most pages are made of; `tree.js`, `slider.js` and `moments.js` are imported where they are used. */
export * from './basics.js';
export * from './dom.js';
export * from './fields.js';
export * from './form.js';
export * from './icons.js';
export * from './menu.js';
export * from './panel.js';
export * from './progress.js';
export * from './table.js';
export * from './time.js';
export * from './toast.js';

let isOpening = false;

/**
 * Asks for a decision; see `dialog.js`, which is loaded when it is first needed.
 *
 * @param {any} options
 * @returns {Promise<any>} the value of `act`; `null` if the dialog was cancelled
 */
export async function dialog(options) {
  if (isOpening) return null;
  isOpening = true;
  let module;
  try {
    module = await import('./dialog.js');
  } catch {
    toast(t('problem.unreachable'), { kind: 'bad' });
    return null;
  } finally {
    isOpening = false;
  }
  return module.dialog(options);
}
