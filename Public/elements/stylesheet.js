import { fileAddress, h } from './dom.js';

/** @type {Map<string, Promise<any>>} The stylesheets that pages have added, by name. */
const added = new Map();

/**
 * Adds a stylesheet of the console, which stays for the pages after this one.
 *
 * @returns {Promise<any>} resolves when its rules apply; rejects if it cannot be fetched, and the next call tries again
 */
export function stylesheet(name) {
  const known = added.get(name);
  if (known) return known;
  const loading = new Promise((resolve, reject) => {
    const link = h('link', { rel: 'stylesheet', href: fileAddress(name), onload: resolve, onerror: () => {
      link.remove();
      added.delete(name);
      reject(new TypeError(`${name} could not be fetched.`));
    } });
    document.head.append(link);
  });
  added.set(name, loading);
  return loading;
}

/**
 * Loads a module with the stylesheet of what it shows.
 *
 * @template Module
 * @param {Promise<Module>} module
 * @param {string} name
 * @returns {Promise<Module>}
 */
export async function withStyle(module, name) {
  const [loaded] = await Promise.all([module, stylesheet(name)]);
  return loaded;
}
