export const themeKey = 'larder-theme';
export const shortcutsKey = 'larder-shortcuts';

/** Returns the theme that the person chose: `light`, `dark`, or `system`. */
export function theme() {
  const chosen = localStorage.getItem(themeKey);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

/** Returns whether single keys are shortcuts. */
export function hasShortcuts() {
  return localStorage.getItem(shortcutsKey) !== 'off';
}

/** Gives the document the chosen theme. */
export function applyPreferences() {
  const chosen = theme();
  if (chosen === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset.theme = chosen;
}
