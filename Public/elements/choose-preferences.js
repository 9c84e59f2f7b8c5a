import { applyPreferences, shortcutsKey, themeKey } from './preferences.js';

/** Uses a theme from now on. */
export function setTheme(name) {
  if (name === 'system') localStorage.removeItem(themeKey);
  else localStorage.setItem(themeKey, name);
  applyPreferences();
}

/** Turns single keys as shortcuts on or off. */
export function setShortcuts(isOn) {
  if (isOn) localStorage.removeItem(shortcutsKey);
  else localStorage.setItem(shortcutsKey, 'off');
}
