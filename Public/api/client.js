/** The root of the API, also behind a proxy that adds a path prefix. */
const root = () => new URL('../api/v1/', document.baseURI);

/** The timeouts in milliseconds. A change may build archives before the response, a dry run does not. */
const deadlines = { read: 30_000, change: 300_000, dryRun: 60_000 };

/** The routes that refuse an `Idempotency-Key`: they may be repeated, and bodies with passwords leave no digest. */
const repeatable = /^(users|prune|user\/recovery-codes|user\/totp(?!\/))\b/;

/** The error of a failed request, with a message for the operator. */
export class Problem extends Error {
  /** `value` is the body of the response with its `status`; `text` is that of the code, in another language than the message. */
  constructor(message, /** @type {any} */ value = {}, /** @type {string | null} */ text = null) {
    super(text ? `${text} ${message}` : message);
    this.summary = text ?? message;
    // The message has the values that the text of the code lacks.
    this.detail = text ? message : undefined;
    // 0 if no response arrived.
    this.status = value.status ?? 0;
    this.code = value.code;
    // The member of the request's body that is wrong.
    this.member = value.member;
    // The id under which the server's log has an internal fault.
    this.id = value.id;
    // The releases of other packages that devices would lose.
    this.losses = value.losses ?? [];
    this.value = value;
    this.isOutdated = value.status === 412;
    // Whether the change may have been made although no response says so.
    this.isUncertain = value.isUncertain ?? false;
    this.retryAfter = value.retryAfter;
  }
}

/** What the requests depend on: `main.js` replaces these functions. */
export const environment = {
  /** Resolves to whether the request is to be sent again. */
  signInAgain: async () => false,
  /** Is called after each request. */
  reached: (isReached) => { void isReached; },
  /** Returns the texts of failures without a message of the server. */
  text: (key) => key,
  /** Returns the text of a code; `null` if the message is in the language of the console. */
  codeText: (value) => { void value; return /** @type {string | null} */ (null); },
};

/** Returns a path with each part escaped. */
export function path(...parts) {
  return parts.map((part) => encodeURIComponent(part)).join('/');
}

/** Returns parameters as a query, without empty ones. The server reads `+` as a plus sign, so a space is `%20`. */
export function queryText(values) {
  const given = Object.entries(values).filter(([, value]) => value != null && value !== '');
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString().replaceAll('+', '%20');
}

/**
 * Sends a request to a path below the API's root.
 *
 * @param {string} method
 * @param {string} where
 * @param {import('../types.js').RequestOptions} [options]
 * @returns {Promise<import('../types.js').ApiResponse>}
 */
export async function request(method, where, options = {}) {
  const isChange = method !== 'GET' && method !== 'HEAD' && !options.dryRun;
  const headers = { ...options.headers };
  let body;
  if (options.body instanceof Blob) body = options.body;
  else if (options.body !== undefined) {
    body = JSON.stringify(options.body);
    headers['Content-Type'] = 'application/json';
  }
  if (options.tag !== undefined) headers['If-Match'] = `"${options.tag}"`;
  const takesKey = isChange && (method === 'POST' || method === 'PATCH') && !repeatable.test(where);
  if (takesKey && !options.isSignIn && !('Tus-Resumable' in headers)) {
    headers['Idempotency-Key'] ??= randomKey();
  }
  const url = new URL(where, root());
  url.search = queryText({ ...options.query, dryRun: options.dryRun ? '1' : null });
  const exchange = () => send(url, method, headers, body, isChange, options);
  try {
    return await exchange();
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.status !== 401 || options.isSignIn) throw problem;
    if (!await environment.signInAgain()) throw problem;
    return exchange();
  }
}

async function send(url, method, headers, body, isChange, options) {
  const deadline = /** @type {any} */ (AbortSignal).timeout(isChange ? deadlines.change : method === 'GET' ? deadlines.read : deadlines.dryRun);
  let response;
  let text;
  try {
    response = await fetch(url, {
      method, headers, body, credentials: 'same-origin',
      signal: options.signal ? /** @type {any} */ (AbortSignal).any([options.signal, deadline]) : deadline,
    });
    text = await response.text();
  } catch (error) {
    if (options.signal?.aborted) throw error;
    environment.reached(false);
    const key = deadline.aborted ? 'problem.timeout' : 'problem.unreachable';
    throw new Problem(environment.text(isChange ? `${key}-change` : key), { isUncertain: isChange });
  }
  environment.reached(true);
  const value = parse(text);
  if (response.status < 200 || response.status > 299 || (value === undefined && text !== '')) {
    throw new Problem(value?.detail ?? environment.text('problem.unreadable'), {
      ...value, status: response.status, retryAfter: Number(response.headers.get('Retry-After')) || undefined,
      isUncertain: isChange && response.status >= 500,
    }, value?.detail ? environment.codeText(value) : null);
  }
  // A compressing proxy makes a tag weak, which `If-Match` refuses.
  const [, tag] = /^(?:W\/)?"(.*)"$/.exec(response.headers.get('ETag') ?? '') ?? [];
  const [, next] = /[?&]cursor=([^&>]*)[^>]*>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? [];
  return { value, status: response.status, tag, next: next && decodeURIComponent(next), headers: response.headers };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a key by which the server recognizes the retry of a request. */
function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The operators' API. */
export const api = {
  /** Reads a value. */
  get: async (where, options) => (await request('GET', where, options)).value,
  /** Reads an object with its tag, or a page of a list with the cursor of the next one. */
  read: (where, options) => request('GET', where, options),
  /** Makes a change. */
  send: (method, where, body, options) => request(method, where, { ...options, body }),
};
