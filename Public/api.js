/** Where the API is, also behind a proxy that puts a path in front. */
const root = new URL('../api/v1/', document.baseURI);
const tokenKey = 'larder-token';
/** Milliseconds; a change may build archives before it answers, and a dry run does not. */
const deadlines = { GET: 30_000, PUT: 60_000, PATCH: 300_000, POST: 300_000, dryRun: 60_000 };

/** Why a request failed, in words for the person who made it. */
export class Problem extends Error {
  constructor(message, { status = 0, code, entry, reason, losses = [] } = {}) {
    super(message);
    /** The HTTP status; 0 if no response arrived. */
    this.status = status;
    this.code = code;
    /** The entry of the uploaded zip that is at fault, and why, in one word. */
    this.entry = entry;
    this.reason = reason;
    /** The releases of other packages that devices would lose. */
    this.losses = losses;
  }
}

let whenUnauthorized = () => {};

/** Calls back when the server does not, or no longer, know the token. */
export function onUnauthorized(callback) {
  whenUnauthorized = callback;
}

export const token = {
  get: () => sessionStorage.getItem(tokenKey),
  set: (value) => sessionStorage.setItem(tokenKey, value),
  clear: () => sessionStorage.removeItem(tokenKey),
};

/** A path below the API's root; every part is escaped. */
export function path(...parts) {
  return parts.map(encodeURIComponent).join('/');
}

export const get = (where) => send('GET', where);

/** Reads an object with its entity tag, by which a change says what the operator has seen. */
export const getTagged = (where) => exchange('GET', where);

/**
 * Changes an object; returns it with its entity tag.
 *
 * @param revision the revision or entity tag that the operator has seen; the server refuses the change with 412 if it is another one
 */
export const putTagged = (where, value, revision) => exchange('PUT', where, value, revision);

/** @param revision as for `putTagged` */
export const post = (where, value, revision) => send('POST', where, value, revision);
export const patch = (where, value, revision) => send('PATCH', where, value, revision);

/** Sends a request that changes nothing on the server, such as a dry run: a lost response leaves nothing open. */
export const ask = (where, value, method = 'POST') => send(method, where, value, undefined, { isChange: false });

async function send(...request) {
  return (await exchange(...request)).value;
}

async function exchange(method, where, value, revision, { isChange = method !== 'GET' } = {}) {
  const headers = { Authorization: `Bearer ${token.get()}` };
  if (value !== undefined) headers['Content-Type'] = 'application/json';
  if (revision !== undefined) headers['If-Match'] = `"${revision}"`;
  let response;
  let text;
  try {
    response = await fetch(new URL(where, root), {
      method, headers, body: value === undefined ? undefined : JSON.stringify(value),
      signal: AbortSignal.timeout(isChange || method === 'GET' ? deadlines[method] : deadlines.dryRun),
    });
    text = await response.text();
  } catch (error) {
    throw new Problem(lost(error.name === 'TimeoutError', isChange));
  }
  // A proxy that compresses makes a tag weak; `If-Match` takes strong ones alone.
  const [, tag] = /^(?:W\/)?"(.*)"$/.exec(response.headers.get('ETag') ?? '') ?? [];
  return { value: understand(response.status, text), tag };
}

/** The message for a request without a response. */
function lost(isTimeout, isChange) {
  const what = isTimeout ? 'The server did not answer in time.' : 'The server cannot be reached.';
  return isChange
    ? `${what} It may have made the change nevertheless: refresh the page’s lists before you try again. Your entries stay.`
    : `${what} Check that it runs and that you are online, then try again.`;
}

/**
 * Sends a file and tells how far it is.
 *
 * @param onProgress called with the bytes sent and all bytes
 * @param signal ends the upload
 */
export function upload(where, query, file, onProgress, signal) {
  const url = new URL(where, root);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    request.setRequestHeader('Authorization', `Bearer ${token.get()}`);
    request.setRequestHeader('Content-Type', 'application/zip');
    request.upload.addEventListener('progress', (event) => onProgress(event.loaded, event.total));
    request.addEventListener('load', () => {
      try {
        resolve(understand(request.status, request.responseText));
      } catch (problem) {
        reject(problem);
      }
    });
    request.addEventListener('error', () => reject(new Problem(
      'The upload broke off. If the zip is large, the server may not take as much (--max-upload-bytes); '
      + 'otherwise check the connection and try again.')));
    request.addEventListener('abort', () => reject(new Problem(
      'The upload was cancelled. Refresh to make sure that nothing was published.')));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

/** What the operator can do about a status, beside what the server says. */
const advice = {
  401: 'Sign in again; your entries stay.',
  403: 'Ask an operator with that role, or sign in with another token. Your entries stay.',
};

/** The JSON of a good answer; throws what a bad one says. */
function understand(status, text) {
  const value = parse(text);
  if (status >= 200 && status < 300 && value !== undefined) return value;
  const detail = value?.detail
    ?? `The server answered with status ${status}, which is not its own way to say no: something between it and `
    + 'this page may be at fault. Try again.';
  const problem = new Problem([detail, advice[status]].filter(Boolean).join(' '), {
    status, code: value?.code, entry: value?.entry, reason: value?.reason, losses: value?.losses,
  });
  if (status === 401) whenUnauthorized(problem);
  throw problem;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
