import { later } from './later.js';
import { withStyle } from './stylesheet.js';

/** The elements that nearly every page is made of; the others are imported where they are used. */
export * from './basics.js';
export * from './dom.js';
export * from './icons.js';
export * from './later.js';
export * from './menu.js';
export * from './panel.js';
export * from './toast.js';

/**
 * Asks for a decision; see `dialog.js`.
 *
 * @type {(options: any) => Promise<any>} resolves to the value of `act`; to `null` if the dialog was cancelled
 */
export const dialog = later(() => withStyle(import('./dialog.js'), 'overlays.css'), (module, options) => module.dialog(options));
