import { path, Problem, request } from '../../api/client.js';

const protocol = { 'Tus-Resumable': '1.0.0' };

/** The sizes in bytes of a part: it grows and shrinks so that a part takes about a second. */
const parts = { first: 256 * 1024, least: 64 * 1024, most: 8 * 1024 * 1024 };

/** The times in milliseconds after which a broken transfer is tried again. */
const backoff = [1_000, 2_000, 5_000, 10_000, 30_000];

/** Begins an upload and returns its id. */
export async function beginUpload(size, signal) {
  const { headers } = await request('POST', 'uploads', { headers: { ...protocol, 'Upload-Length': String(size) }, signal });
  return new URL(headers.get('Location') ?? '', document.baseURI).pathname.split('/').at(-1) ?? '';
}

/** Returns the number of bytes that the server has, or `null` if it does not have the upload any more. */
export async function uploadOffset(id, signal) {
  try {
    const { headers } = await request('HEAD', path('uploads', id), { headers: protocol, signal });
    return Number(headers.get('Upload-Offset'));
  } catch (problem) {
    if (problem.status === 404 || problem.status === 410) return null;
    throw problem;
  }
}

/** Deletes an upload; one that is gone already is no error. */
export async function deleteUpload(id) {
  await request('DELETE', path('uploads', id), { headers: protocol }).catch((problem) => {
    if (problem.status !== 404 && problem.status !== 410) throw problem;
  });
}

/**
 * Returns the size of the next part after one that took `seconds`.
 *
 * @param {number} size
 * @param {number} seconds
 */
export function nextPartSize(size, seconds) {
  if (seconds < 0.5) return Math.min(parts.most, size * 2);
  return seconds > 2 ? Math.max(parts.least, Math.floor(size / 2)) : size;
}

/**
 * Sends the bytes of an upload from an offset to the end. A broken connection is tried again from the byte that the server
 * has; other failures are thrown.
 *
 * @param {string} id
 * @param {Blob} blob
 * @param {{signal: AbortSignal, onProgress: (offset: number, seconds: number, size: number) => void,
 *   onWaiting: (until: number | null) => void}} options `onWaiting` is called with the time of the next attempt
 */
export async function sendParts(id, blob, { signal, onProgress, onWaiting }) {
  let failures = 0;
  let size = parts.first;
  let offset;
  for (;;) {
    try {
      offset ??= await uploadOffset(id, signal);
      if (offset === null) throw new Problem('', { status: 410, code: 'upload-gone' });
      onProgress(offset, 0, 0);
      if (offset >= blob.size) return;
      const started = performance.now();
      const part = blob.slice(offset, offset + size);
      const headers = { ...protocol, 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream', ...await checksum(part) };
      const response = await request('PATCH', path('uploads', id), { headers, body: part, signal });
      const seconds = (performance.now() - started) / 1000;
      offset = Number(response.headers.get('Upload-Offset'));
      onProgress(offset, seconds, part.size);
      size = nextPartSize(size, seconds);
      failures = 0;
    } catch (problem) {
      if (signal.aborted || !isTransient(problem)) throw problem;
      offset = undefined;
      size = parts.first;
      const pause = problem.retryAfter ? problem.retryAfter * 1000 : backoff[Math.min(failures++, backoff.length - 1)];
      onWaiting(Date.now() + pause);
      await sleep(pause, signal);
      onWaiting(null);
    }
  }
}

/** Returns whether the same request may work later: no connection, a busy server, a locked upload, a damaged part. */
function isTransient(problem) {
  return problem instanceof Problem
    && ([0, 423, 460, 503].includes(problem.status) || ['body-incomplete', 'wrong-offset', 'rate-limited'].includes(problem.code));
}

/** `crypto.subtle` exists only over HTTPS and on localhost. */
async function checksum(part) {
  if (!globalThis.crypto?.subtle) return {};
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await part.arrayBuffer()));
  return { 'Upload-Checksum': `sha256 ${btoa(String.fromCharCode(...digest))}` };
}

function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const finish = () => { clearTimeout(timer); removeEventListener('online', finish); resolve(undefined); };
    const timer = setTimeout(finish, milliseconds);
    addEventListener('online', finish);
    signal.addEventListener('abort', () => { reject(signal.reason); finish(); }, { once: true });
  });
}
