/** The beginning of the names of stored uploads: each has its own entry, since several tabs may store some. */
const prefix = 'larder-upload:';

/** The largest zip in bytes that the browser keeps, so that its upload continues by itself after a reload. */
const keptBytes = 512 * 1024 * 1024;

/** Returns the stored uploads of a user, the oldest first. */
export function loadRecords(user) {
  const records = [];
  for (const name of Object.keys(localStorage).filter((each) => each.startsWith(prefix))) {
    try {
      records.push(JSON.parse(localStorage.getItem(name) ?? ''));
    } catch {
      localStorage.removeItem(name);
    }
  }
  return records.filter((record) => record.user === user)
    .sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

/** Stores an upload. */
export function saveRecord(record) {
  localStorage.setItem(prefix + record.key, JSON.stringify(record));
}

/** Removes a stored upload. */
export function removeRecord(key) {
  localStorage.removeItem(prefix + key);
}

/** @type {Set<(value?: any) => void>} The functions that end the locks of this tab. */
const claims = new Set();

/** Lets other tabs continue the uploads of this one. */
export function releaseClaims() {
  for (const release of claims) release();
  claims.clear();
}

/**
 * Makes this tab the one that continues an upload; resolves to `false` if another tab does. Locks exist only over HTTPS
 * and on localhost.
 */
export function claim(key) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    navigator.locks.request(prefix + key, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise((release) => { claims.add(release); });
    });
  });
}

/** Keeps the bytes of an upload in the browser, and returns whether they fit; an upload works without. */
export async function keepBlob(key, blob) {
  if (blob.size > keptBytes) return false;
  return transact('readwrite', (store) => store.put(blob, key)).then(() => true, () => false);
}

/** Returns the kept bytes of an upload, or `null`. */
export async function keptBlob(key) {
  return await transact('readonly', (store) => store.get(key)).catch(() => null) ?? null;
}

/** Removes the kept bytes of an upload. */
export async function dropBlob(key) {
  await transact('readwrite', (store) => store.delete(key)).catch(() => {});
}

async function transact(mode, action) {
  const database = await new Promise((resolve, reject) => {
    const opening = indexedDB.open('larder-uploads', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('blobs');
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction('blobs', mode);
      const request = action(transaction.objectStore('blobs'));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}
