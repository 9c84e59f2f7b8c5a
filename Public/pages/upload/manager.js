import { api, path, Problem } from '../../api/client.js';
import { session } from '../../api/session.js';
import { toast } from '../../elements/index.js';
import { t } from '../../i18n/index.js';
import { claim, dropBlob, keepBlob, keptBlob, loadRecords, releaseClaims, removeRecord, saveRecord } from './store.js';
import { beginUpload, deleteUpload, sendParts, uploadOffset } from './transfer.js';
import { readPaths, zip } from './zip.js';

/** The number of uploads that send at the same time; others wait for their turn. */
const concurrent = 3;

/** The states in which an upload works by itself, so that the browser asks before the page is closed. */
const busy = ['packing', 'queued', 'sending'];

/** The members of an upload that outlive a reload. */
const stored = ['key', 'id', 'app', 'name', 'size', 'isFolder', 'details', 'lastModified', 'paths', 'createdAt', 'isKept'];

/**
 * @typedef {Object} Upload
 * @property {string} key the name of the upload in the browser
 * @property {string} [id] the id of the upload at the server
 * @property {string} app
 * @property {string} name the name of the file or folder
 * @property {number} size the bytes of the zip; 0 while a folder is packed
 * @property {number} [total] the bytes of the files of a folder
 * @property {boolean} isFolder
 * @property {'packing' | 'queued' | 'sending' | 'paused' | 'needs-file' | 'sent' | 'failed' | 'published'} state
 * @property {number} offset the bytes that the server has, or that were packed
 * @property {number} [rate] bytes per second
 * @property {number | null} [retryAt] the time of the next attempt after a broken connection
 * @property {Object<string, string>} details the package, the version and the parameters of publishing
 * @property {string[] | null} [paths] the files in the zip
 * @property {{status: string, version?: string, warnings: any[], waived: any[], files: number, bytes: number}} [check] the result of the dry run
 * @property {any} [problem] why it failed, or why the dry run refused it
 * @property {boolean} [isChecking]
 */

/** The uploads of the person, on whichever page of the console they were begun. */
class UploadManager {
  constructor() {
    /** @type {Upload[]} */
    this.uploads = [];
    this.listeners = new Set();
    this.user = null;
    this.release = null;
    /** @type {Map<string, Blob>} */
    this.blobs = new Map();
    this.aborts = new Map();
    this.checks = new Map();
    /** The timers of the checks that follow an entry. */
    this.timers = new Map();
  }

  /**
   * Loads the uploads of the person once, and continues those whose bytes the browser has.
   *
   * @param {{guard: () => (() => void), address: string, whenSignedOut: (callback: () => void) => void}} options `guard` makes
   *   the browser ask before the page is closed; `address` is the address of the page of uploads
   */
  open({ guard, address, whenSignedOut }) {
    this.guard = guard;
    this.address = address;
    if (this.user === session.user) return;
    whenSignedOut(() => this.close());
    this.user = session.user;
    for (const record of loadRecords(this.user)) this.restore({ ...record, state: 'paused', offset: 0 });
    this.changed();
  }

  /** Stops the uploads when the person signs out; the person continues them after the next sign-in. */
  close() {
    for (const abort of this.aborts.values()) abort.abort();
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.uploads = [];
    this.user = null;
    for (const map of [this.aborts, this.blobs, this.checks, this.timers]) map.clear();
    releaseClaims();
    this.changed();
  }

  /** Calls back with each upload that changed, or `null` if the list did, until the signal is aborted. */
  subscribe(callback, signal) {
    this.listeners.add(callback);
    signal.addEventListener('abort', () => this.listeners.delete(callback));
  }

  changed(upload = null) {
    const isBusy = this.uploads.some((each) => busy.includes(each.state));
    if (isBusy && !this.release) this.release = this.guard?.() ?? null;
    if (!isBusy && this.release) {
      this.release();
      this.release = null;
    }
    for (const callback of this.listeners) callback(upload);
  }

  save(upload) {
    if (!this.uploads.includes(upload) || upload.state === 'published' || !(upload.id || upload.isKept)) return;
    saveRecord({ ...Object.fromEntries(stored.map((name) => [name, upload[name]])), user: this.user });
  }

  /** Lists a stored upload, unless another tab continues it. */
  async restore(upload) {
    const { user } = this;
    if (!await claim(upload.key) || user !== this.user) return;
    this.uploads.push(upload);
    this.changed();
    await this.recover(upload);
  }

  /**
   * Begins the upload of a zip or a folder, or continues an interrupted one of the same file.
   *
   * @param {{name: string, blob?: File, files?: {path: string, file: File}[]}} source
   * @param {{app: string, details: Object<string, string>}} options
   * @returns {Upload}
   */
  add(source, { app, details }) {
    const waiting = this.uploads.find((each) => each.state === 'needs-file' && each.app === app && isSame(each, source));
    if (waiting) {
      this.supply(waiting, source);
      return waiting;
    }
    /** @type {any} */
    const upload = {
      key: crypto.getRandomValues(new Uint32Array(4)).join('-'), app, name: source.name, isFolder: !source.blob,
      size: source.blob?.size ?? 0, lastModified: source.blob?.lastModified ?? newest(source.files), state: 'packing', offset: 0,
      details: { ...details }, createdAt: new Date().toISOString(),
    };
    claim(upload.key);
    this.uploads.push(upload);
    this.prepare(upload, source);
    this.changed();
    return upload;
  }

  /** Gives an interrupted upload its file again. */
  supply(upload, source) {
    this.prepare(upload, source);
    this.changed(upload);
  }

  async prepare(upload, source) {
    const abort = this.abort(upload);
    try {
      let blob = source.blob;
      if (!blob) {
        upload.state = 'packing';
        upload.total = source.files.reduce((sum, { file }) => sum + file.size, 0);
        blob = await zip(source.files, {
          signal: abort.signal,
          onProgress: (done) => { upload.offset = done; this.tick(upload); },
        });
        if (upload.id && blob.size !== upload.size) upload.id = undefined;
        upload.size = blob.size;
      }
      upload.offset = 0;
      upload.paths = source.files?.map((each) => each.path) ?? await readPaths(blob).catch(() => null);
      if ((upload.paths?.length ?? 0) > 500) upload.paths = upload.paths?.filter((each) => /\.html?$/i.test(each)).slice(0, 500);
      this.blobs.set(upload.key, blob);
      this.keep(upload, blob);
      this.queue(upload);
    } catch (problem) {
      this.fail(upload, problem, abort);
    }
  }

  async keep(upload, blob) {
    upload.isKept = await keepBlob(upload.key, blob);
    if (this.uploads.includes(upload) && upload.state !== 'published') this.save(upload);
    else dropBlob(upload.key);
  }

  async recover(upload) {
    try {
      const [offset, blob] = await Promise.all([upload.id ? uploadOffset(upload.id) : null, keptBlob(upload.key)]);
      if (blob) this.blobs.set(upload.key, blob);
      if (offset === null) upload.id = undefined;
      upload.offset = offset ?? 0;
      if (offset === upload.size && upload.size > 0) {
        upload.state = 'sent';
        this.check(upload);
      } else if (blob) this.queue(upload);
      else upload.state = 'needs-file';
    } catch (problem) {
      upload.state = 'failed';
      upload.problem = problem;
    }
    this.changed(upload);
  }

  queue(upload) {
    upload.state = 'queued';
    upload.problem = undefined;
    this.save(upload);
    this.changed(upload);
    this.next();
  }

  next() {
    const sending = this.uploads.filter((each) => each.state === 'sending').length;
    for (const upload of this.uploads.filter((each) => each.state === 'queued').slice(0, Math.max(0, concurrent - sending))) this.send(upload);
  }

  async send(upload) {
    const abort = this.abort(upload);
    // Only uploads whose bytes the browser has are queued.
    const blob = /** @type {Blob} */ (this.blobs.get(upload.key));
    upload.state = 'sending';
    upload.rate = undefined;
    this.changed(upload);
    try {
      for (let attempt = 0; ; attempt += 1) {
        if (!upload.id) {
          upload.id = await beginUpload(upload.size, abort.signal);
          this.save(upload);
        }
        try {
          await sendParts(upload.id, blob, {
            signal: abort.signal,
            onProgress: (offset, seconds, size) => this.progress(upload, offset, seconds, size),
            onWaiting: (until) => { upload.retryAt = until; upload.rate = undefined; this.changed(upload); },
          });
          break;
        } catch (problem) {
          // The server removes an upload that is too old: begin anew, once.
          if (problem.status !== 410 || attempt) throw problem;
          upload.id = undefined;
        }
      }
      upload.state = 'sent';
      upload.sentAt = Date.now();
      this.changed(upload);
      await this.check(upload);
    } catch (problem) {
      this.fail(upload, problem, abort);
    }
    this.next();
  }

  progress(upload, offset, seconds, size) {
    upload.offset = offset;
    if (seconds > 0) {
      const rate = size / seconds;
      upload.rate = upload.rate === undefined ? rate : upload.rate * 0.7 + rate * 0.3;
    }
    this.tick(upload);
  }

  /** Reports progress at most ten times a second. */
  tick(upload) {
    const now = performance.now();
    if (now - (upload.tickedAt ?? 0) < 100 && upload.offset < upload.size) return;
    upload.tickedAt = now;
    this.changed(upload);
  }

  fail(upload, problem, abort) {
    if (abort.signal.aborted || !this.uploads.includes(upload)) return;
    if (!(problem instanceof Problem)) console.error(problem);
    upload.state = 'failed';
    upload.problem = problem;
    this.changed(upload);
  }

  abort(upload) {
    this.aborts.get(upload.key)?.abort();
    const abort = new AbortController();
    this.aborts.set(upload.key, abort);
    return abort;
  }

  pause(upload) {
    this.aborts.get(upload.key)?.abort();
    upload.state = 'paused';
    upload.retryAt = null;
    this.changed(upload);
    this.next();
  }

  /** Continues a paused or failed upload. */
  resume(upload) {
    if (upload.state === 'failed' && upload.offset === upload.size && upload.id) {
      upload.state = 'sent';
      this.check(upload);
    } else if (this.blobs.has(upload.key)) this.queue(upload);
    else this.recover(upload);
  }

  /** Removes an upload here and at the server. */
  async remove(upload) {
    this.aborts.get(upload.key)?.abort();
    this.uploads = this.uploads.filter((each) => each !== upload);
    this.forget(upload);
    this.changed();
    this.next();
    if (upload.id && upload.state !== 'published') await deleteUpload(upload.id).catch(() => {});
  }

  forget(upload) {
    this.blobs.delete(upload.key);
    dropBlob(upload.key);
    removeRecord(upload.key);
  }

  /**
   * Changes the parameters of publishing, and checks again some milliseconds later. Until then the upload counts as being
   * checked, so that it is not published with parameters that nobody has checked.
   */
  describe(upload, details, delay) {
    Object.assign(upload.details, details);
    this.save(upload);
    clearTimeout(this.timers.get(upload.key));
    if (upload.state === 'sent') {
      this.outdate(upload);
      upload.isChecking = true;
      this.timers.set(upload.key, setTimeout(() => this.check(upload), delay));
    }
    this.changed(upload);
  }

  /** Makes the results of earlier checks not count any more; returns the number of the next check. */
  outdate(upload) {
    const run = (this.checks.get(upload.key) ?? 0) + 1;
    this.checks.set(upload.key, run);
    return run;
  }

  /** Rehearses the publishing: finds errors and warnings without storing the version. */
  async check(upload) {
    if (!this.uploads.includes(upload)) return undefined;
    const run = this.outdate(upload);
    if (!upload.details.package || !upload.details.version) {
      upload.check = undefined;
      upload.problem = undefined;
      upload.isChecking = false;
      return this.changed(upload);
    }
    upload.isChecking = true;
    this.changed(upload);
    let check;
    let problem;
    try {
      check = await this.postVersion(upload, true);
    } catch (error) {
      problem = error;
    }
    if (run !== this.checks.get(upload.key)) return undefined;
    Object.assign(upload, { check, problem, isChecking: false, checkedFor: `${upload.details.package} ${upload.details.version}` });
    if (problem?.status === 410 || problem?.code === 'upload-not-found') {
      upload.id = undefined;
      if (this.blobs.has(upload.key)) this.queue(upload);
      else upload.state = 'needs-file';
    }
    this.tell(upload);
    return this.changed(upload);
  }

  /** Says on the other pages of the console that an upload is complete. */
  tell(upload) {
    if (this.listeners.size || !(upload.check || upload.problem)) return;
    const action = { label: t('upload.open'), run: () => { location.hash = this.address ?? ''; } };
    toast(t('upload.complete', { name: upload.name || t('upload.files') }), { action });
  }

  /** Publishes the version, and returns the server's response. */
  async publish(upload) {
    const result = await this.postVersion(upload, false);
    upload.state = 'published';
    upload.check = result;
    this.forget(upload);
    this.changed(upload);
    return result;
  }

  async postVersion(upload, dryRun) {
    const { package: name, ...rest } = upload.details;
    const query = { ...rest, upload: upload.id };
    return (await api.send('POST', path('apps', upload.app, 'packages', name, 'versions'), undefined, { query, dryRun })).value;
  }
}

function isSame(upload, source) {
  if (upload.name !== source.name) return false;
  return source.blob ? source.blob.size === upload.size && source.blob.lastModified === upload.lastModified
    : upload.isFolder && newest(source.files) === upload.lastModified;
}

function newest(files) {
  return files.reduce((latest, { file }) => Math.max(latest, file.lastModified), 0);
}

/** The uploads of this tab. */
export const manager = new UploadManager();
