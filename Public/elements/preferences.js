const themeKey = 'larder-theme';
const shortcutsKey = 'larder-shortcuts';

/** Returns the theme that the person chose: `light`, `dark`, or `system`. */
export function theme() {
  const chosen = localStorage.getItem(themeKey);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

/** Uses a theme from now on. */
export function setTheme(name) {
  if (name === 'system') localStorage.removeItem(themeKey);
  else localStorage.setItem(themeKey, name);
  applyPreferences();
}

/** Returns whether single keys are shortcuts. */
export function hasShortcuts() {
  return localStorage.getItem(shortcutsKey) !== 'off';
}

/** Turns single keys as shortcuts on or off. */
export function setShortcuts(isOn) {
  if (isOn) localStorage.removeItem(shortcutsKey);
  else localStorage.setItem(shortcutsKey, 'off');
}

/** Gives the document the chosen theme. */
export function applyPreferences() {
  const chosen = theme();
  if (chosen === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset.theme = chosen;
}
