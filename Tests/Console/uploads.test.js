import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { dispatch, find, respond } from './browser.js';
import { Problem, queryText } from '../../Public/api/client.js';
import { session } from '../../Public/api/session.js';
import { useCatalogue } from '../../Public/i18n/index.js';

useCatalogue('en', JSON.parse(readFileSync(new URL('../../Public/i18n/en.json', import.meta.url), 'utf8')));

const { button } = await import('../../Public/elements/index.js');
const { manager } = await import('../../Public/pages/upload/manager.js');
const { isReady } = await import('../../Public/pages/upload/row.js');

globalThis.navigator ??= /** @type {any} */ ({});

const checked = JSON.stringify({ status: 'would-publish', version: '1.1.0', warnings: [], waived: [], files: 1, bytes: 100 });

/** Lets requests and what follows them go on. */
const settle = (milliseconds = 5) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

/** Waits until a condition holds, which takes longer on a busy machine. */
async function until(isDone) {
  while (!isDone()) await settle();
}

const queryOf = ({ url }) => new URL(url).searchParams;

/** Signs a person in, whose upload list is open; returns what signs the person out. */
function signIn(user) {
  session.user = user;
  let signOut = () => {};
  const guard = { isSet: false };
  manager.open({
    guard: () => {
      guard.isSet = true;
      return () => { guard.isSet = false; };
    },
    address: '#/upload', whenSignedOut: (callback) => { signOut = callback; },
  });
  return { signOut: () => signOut(), guard };
}

/** Responds to requests of an upload, and holds each part until it is let go. */
function holdParts() {
  const held = [];
  const requests = [];
  globalThis.fetch = (url, options) => {
    requests.push({ url: String(url), ...options });
    const response = (status, headers) => ({ status, text: async () => '', headers: new Headers(headers) });
    if (options.method === 'POST') return Promise.resolve(response(201, { Location: '/api/v1/uploads/u1' }));
    if (options.method === 'HEAD') return Promise.resolve(response(200, { 'Upload-Offset': '0' }));
    return new Promise((resolve, reject) => {
      held.push({ finish: () => resolve(response(204, { 'Upload-Offset': '5' })) });
      options.signal.addEventListener('abort', () => reject(options.signal.reason));
    });
  };
  return { held, requests };
}

/** Returns an upload whose bytes the server has, and which it would publish. */
async function sentUpload(details = {}) {
  respond(200, checked);
  /** @type {any} */
  const upload = { key: String(Math.random()), id: 'u1', app: 'default', name: 'news.zip', size: 5, offset: 5, state: 'sent', details: { package: 'news', version: '1.1.0', ...details } };
  manager.uploads.push(upload);
  await manager.check(upload);
  assert.equal(isReady(upload), true);
  return upload;
}

afterEach(() => {
  manager.close();
  session.user = null;
});

test('Uploads end when the person signs out', async () => {
  const { signOut, guard } = signIn('ann');
  const { held, requests } = holdParts();
  const upload = manager.add({ name: 'news.zip', blob: Object.assign(new Blob(['hello']), { lastModified: 1 }) }, { app: 'default', details: { package: 'news', version: '1.1.0' } });
  await until(() => held.length === 1);
  assert.equal(upload.state, 'sending');
  assert.equal(guard.isSet, true);
  signOut();
  const part = requests.at(-1);
  assert.equal(part.signal.aborted, true);
  assert.deepEqual(manager.uploads, []);
  assert.equal(guard.isSet, false);
  held[0].finish();
  await settle(50);
  assert.equal(requests.at(-1), part, 'nothing is sent after the sign-out');
});

test('A check that waits ends when the person signs out, and the next person has none of the uploads', async () => {
  const { signOut } = signIn('ann');
  const upload = await sentUpload();
  manager.describe(upload, { notes: 'x' }, 10);
  const requests = respond(200, checked);
  signOut();
  signIn('bob');
  await settle(50);
  assert.deepEqual(requests, []);
  assert.deepEqual(manager.uploads, []);
});

test('Details that are typed just before Publish are checked and published', async () => {
  signIn('ann');
  const upload = await sentUpload();
  const requests = respond(200, checked);
  manager.describe(upload, { notes: 'Fixes the header.' }, 10);
  assert.equal(isReady(upload), false, 'a click on Publish publishes nothing that was not checked');
  await until(() => isReady(upload));
  await manager.publish(upload);
  assert.deepEqual(requests.map((each) => [queryOf(each).get('dryRun'), queryOf(each).get('notes')]), [['1', 'Fixes the header.'], [null, 'Fixes the header.']]);
});

test('A space in a parameter is %20, since the server reads + as a plus sign', async () => {
  signIn('ann');
  const upload = await sentUpload({ notes: 'Fixes a + b.', needs: 'common >=7; charts ^2' });
  const requests = respond(200, checked);
  await manager.publish(upload);
  assert.match(requests[0].url, /\?version=1\.1\.0&notes=Fixes%20a%20%2B%20b\.&needs=common%20%3E%3D7%3B%20charts%20%5E2&upload=u1$/);
  assert.equal(queryText({ notes: 'Fixes a + b.', none: null, empty: '', n: 0 }), 'notes=Fixes%20a%20%2B%20b.&n=0');
});

test('A check of details that were changed meanwhile does not count', async () => {
  signIn('ann');
  const upload = await sentUpload();
  let finish = (/** @type {any} */ response) => { void response; };
  globalThis.fetch = () => new Promise((resolve) => { finish = resolve; });
  const first = manager.check(upload);
  await settle();
  manager.describe(upload, { version: '1.2.0' }, 10_000);
  finish({ status: 200, text: async () => checked, headers: new Headers() });
  await first;
  assert.equal(isReady(upload), false);
});

const toasts = () => find(document.body, 'toast-area').map((area) => area.textContent).join();

test('A button whose request failed says so', async () => {
  const remove = button('Remove', { onclick: async () => { throw new Problem('The list is in use by release 4.', { status: 409, code: 'conflict' }); } });
  await dispatch(remove, 'click').result;
  await settle();
  assert.match(toasts(), /The list is in use by release 4\./);
});

test('A button whose request was aborted says nothing', async () => {
  const before = toasts();
  const load = button('Load', { onclick: async () => { throw new DOMException('aborted', 'AbortError'); } });
  await dispatch(load, 'click').result;
  assert.equal(toasts(), before);
});
