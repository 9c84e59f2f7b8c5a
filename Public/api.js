/** The root of the API, also behind a proxy that adds a path prefix. */
const root = new URL('../api/v1/', document.baseURI);
const tokenKey = 'larder-token';
/** Timeouts in milliseconds; unlike a dry run, a change may build archives before the response. */
const deadlines = { GET: 30_000, PUT: 60_000, PATCH: 300_000, POST: 300_000, dryRun: 60_000 };

/** The error of a failed request, with a message for the operator. */
export class Problem extends Error {
  constructor(message, { status = 0, code, entry, reason, losses = [] } = {}) {
    super(message);
    /** The HTTP status; 0 if no response arrived. */
    this.status = status;
    this.code = code;
    /** The invalid entry of the uploaded zip, and the code of the reason. */
    this.entry = entry;
    this.reason = reason;
    /** The releases of other packages that devices would lose. */
    this.losses = losses;
  }
}

let whenUnauthorized = () => {};

/** Sets the function that is called when the server rejects the token. */
export function onUnauthorized(callback) {
  whenUnauthorized = callback;
}

export const token = {
  get: () => sessionStorage.getItem(tokenKey),
  set: (value) => sessionStorage.setItem(tokenKey, value),
  clear: () => sessionStorage.removeItem(tokenKey),
};

/** Returns a path below the API's root, with every part escaped. */
export function path(...parts) {
  return parts.map(encodeURIComponent).join('/');
}

export const get = (where) => send('GET', where);

/**
 * Reads all pages of a list.
 *
 * @param name the member of the responses that has the items
 */
export async function getAll(where, name) {
  const items = [];
  for (let next = where; next;) {
    const page = await exchange('GET', next);
    items.push(...page.value[name]);
    next = page.next;
  }
  return items;
}

/** Reads an object with its entity tag, which a change sends back as the state that the operator has seen. */
export const getTagged = (where) => exchange('GET', where);

/**
 * Changes an object, and returns it with its entity tag.
 *
 * @param revision the revision or entity tag that the operator has seen; the server rejects the change with 412 if it is not the current one
 */
export const putTagged = (where, value, revision) => exchange('PUT', where, value, revision);

/** @param revision as for `putTagged` */
export const post = (where, value, revision) => send('POST', where, value, revision);
export const patch = (where, value, revision) => send('PATCH', where, value, revision);

/** Sends a request that does not change the server, such as a dry run: a lost response has no consequence. */
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
  // A compressing proxy makes a tag weak; `If-Match` accepts only strong ones.
  const [, tag] = /^(?:W\/)?"(.*)"$/.exec(response.headers.get('ETag') ?? '') ?? [];
  // The link has the query of the next page; its path is that of the server, which a proxy may prefix.
  const [, query] = /^<[^>?]*(\?[^>]*)>; rel="next"$/.exec(response.headers.get('Link') ?? '') ?? [];
  const next = query && where.replace(/\?.*$/, '') + query;
  return { value: understand(response.status, text, isChange), tag, next };
}

/** The end of a sentence about a change of which no response says whether it was made. */
const uncertain = 'may have made the change nevertheless: refresh the page’s lists before you try again. Your entries stay.';

/** Returns the message for a request without a response. */
function lost(isTimeout, isChange) {
  const cause = isTimeout ? 'The server did not respond in time.' : 'The server cannot be reached.';
  return isChange
    ? `${cause} It ${uncertain}`
    : `${cause} Check that it runs and that you are online, then try again.`;
}

/**
 * Sends a file and reports the progress.
 *
 * @param onProgress called with the bytes sent and all bytes
 * @param signal the signal that aborts the upload
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
        resolve(understand(request.status, request.responseText, true));
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

/** The remedies for statuses, in addition to the server's message. */
const advice = {
  401: 'Sign in again; your entries stay.',
  403: 'Ask an operator with that role, or sign in with another token. Your entries stay.',
};

/** Returns the JSON of a successful response; throws the problem of any other. */
function understand(status, text, isChange) {
  const value = parse(text);
  if (status >= 200 && status < 300 && value !== undefined) return value;
  const detail = value?.detail
    ?? `The response has status ${status} and no message that this page can read. `
    + (isChange && (status < 400 || status >= 500)
      ? `The server ${uncertain}`
      : 'The server or a proxy before it refused the request. Try again.');
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
