/** @type {WeakMap<any, Map<string, Promise<any>>>} The reads in progress, by page. */
const pages = new WeakMap();

/**
 * Reads an object of the app. Panels of a page that read the same at the same time share one request.
 *
 * @param {any} context
 * @param {any[]} parts
 * @param {Object<string, any>} [query]
 * @returns {Promise<any>}
 */
export function sharedGet(context, parts, query = {}) {
  const reads = pages.get(context) ?? new Map();
  pages.set(context, reads);
  const key = JSON.stringify([parts, query]);
  let read = reads.get(key);
  if (!read) {
    read = context.get(parts, query).finally(() => reads.delete(key));
    reads.set(key, read);
  }
  return read;
}
