/** The elements of which pages are made. */
export * from './basics.js';
export * from './dialog.js';
export * from './dom.js';
export * from './fields.js';
export * from './form.js';
export * from './icons.js';
export * from './menu.js';
export * from './moments.js';
export * from './panel.js';
export * from './progress.js';
export * from './slider.js';
export * from './table.js';
export * from './time.js';
export * from './toast.js';
export * from './tree.js';
