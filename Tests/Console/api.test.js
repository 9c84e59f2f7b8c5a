import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lose, respond } from './browser.js';
import { Problem, ask, get, getAll, getTagged, onUnauthorized, path, post, putTagged, token } from '../../Public/api.js';
import { closeSession, hasSession, mayRelease, openSession, refusal, sessionText } from '../../Public/session.js';

token.set('secret');

/** Returns the problem of a request. */
async function problem(request) {
  return request.then(() => assert.fail('the request succeeded'), (error) => error);
}

test('every part of a path is escaped', () => {
  assert.equal(path('packages', 'a/b', 'versions', '1.0+x y'), 'packages/a%2Fb/versions/1.0%2Bx%20y');
});

test('a request goes to the API beside the console, with the token', async () => {
  const requests = respond(200, '{"version":"1"}');
  assert.deepEqual(await get('apps/default'), { version: '1' });
  const [{ url, method, headers, body }] = requests;
  assert.equal(url, 'https://larder.example/base/api/v1/apps/default');
  assert.equal(method, 'GET');
  assert.deepEqual(headers, { Authorization: 'Bearer secret' });
  assert.equal(body, undefined);
});

test('a change says which revision the operator has seen', async () => {
  const requests = respond(200, '{}', { ETag: '"r8"' });
  assert.equal((await putTagged('packages/news', { priority: 5 }, 'r7')).tag, 'r8');
  await post('packages/news/releases', { version: '1' });
  assert.equal(requests[0].headers['If-Match'], '"r7"');
  assert.equal(requests[0].headers['Content-Type'], 'application/json');
  assert.equal(requests[0].body, '{"priority":5}');
  assert.equal(requests[1].headers['If-Match'], undefined);
});

test('an entity tag that a proxy has made weak is returned as a strong one', async () => {
  for (const sent of ['"abc"', 'W/"abc"']) {
    respond(200, '{}', { ETag: sent });
    assert.deepEqual(await getTagged('packages/news'), { value: {}, tag: 'abc', next: undefined });
  }
  respond(200, '{}');
  assert.equal((await getTagged('packages/news')).tag, undefined);
});

test('a list is read with all of its pages', async () => {
  const urls = [];
  const pages = [
    ['{"packages":[1,2]}', '</api/v1/apps/default/packages?sort=name&cursor=WyJhIl0>; rel="next"'], ['{"packages":[3]}', null],
  ];
  respond(200, '{}');
  const answer = globalThis.fetch;
  globalThis.fetch = async (url) => {
    urls.push(String(url));
    const [text, link] = pages.shift();
    return { status: 200, headers: { get: (name) => (name === 'Link' ? link : null) }, text: async () => text };
  };
  assert.deepEqual(await getAll('apps/default/packages?sort=name', 'packages'), [1, 2, 3]);
  globalThis.fetch = answer;
  const list = 'https://larder.example/base/api/v1/apps/default/packages';
  assert.deepEqual(urls, [`${list}?sort=name`, `${list}?sort=name&cursor=WyJhIl0`]);
});

test('a refusal keeps the server’s sentence, code and facts', async () => {
  respond(409, JSON.stringify({ detail: 'It exists.', code: 'version-exists', entry: 'a', reason: 'b', losses: [{ package: 'news' }] }));
  const refused = await problem(post('x', {}));
  assert.ok(refused instanceof Problem);
  const { message, status, code, entry, reason, losses } = refused;
  assert.deepEqual({ message, status, code, entry, reason, losses },
    { message: 'It exists.', status: 409, code: 'version-exists', entry: 'a', reason: 'b', losses: [{ package: 'news' }] });
});

test('a response of a proxy names its status', async () => {
  for (const [status, body] of [[502, '<html>'], [200, '<html>']]) {
    respond(status, body);
    const message = new RegExp(`^The response has status ${status} and .* Try again\\.$`);
    for (const request of [get('x'), ask('x', {})]) assert.match((await problem(request)).message, message);
    assert.match((await problem(post('x', {}))).message, new RegExp(`^The response has status ${status} and .* may have made the change`));
  }
  respond(413, '<html>');
  assert.match((await problem(post('x', {}))).message, /^The response has status 413 and .* Try again\.$/);
});

test('a token that is no longer known calls for a new one', async () => {
  const seen = [];
  onUnauthorized((problem) => seen.push(problem.status));
  respond(401, '{"detail":"The token is unknown."}');
  assert.equal((await problem(get('x'))).message, 'The token is unknown. Sign in again; your entries stay.');
  respond(403, '{"detail":"Not allowed."}');
  assert.match((await problem(get('x'))).message, /^Not allowed\. Ask an operator with that role/);
  assert.deepEqual(seen, [401]);
});

test('a change without a response may have been made, a read and a dry run cannot', async () => {
  lose('TypeError');
  assert.match((await problem(post('x', {}))).message, /^The server cannot be reached\. It may have made the change/);
  for (const request of [get('x'), ask('x', {})]) {
    assert.match((await problem(request)).message, /^The server cannot be reached\. Check that it runs/);
  }
  lose('TimeoutError');
  assert.match((await problem(putTagged('x', {}))).message, /^The server did not respond in time\. It may have made the change/);
});

test('releasers and admins may release, publishers may not', async () => {
  assert.equal(hasSession(), false);
  assert.equal(mayRelease(), false);
  for (const [role, may] of [['viewer', false], ['publisher', false], ['releaser', true], ['admin', true]]) {
    respond(200, JSON.stringify({ actor: 'ci', role }));
    await openSession();
    assert.equal(mayRelease(), may, role);
    assert.equal(sessionText(), `ci, ${role}`);
  }
  respond(200, '{"actor":"ci","role":"publisher"}');
  await openSession();
  assert.match(refusal('Releasing'), /^Releasing needs the role releaser; your token has the role publisher\./);
  closeSession();
  assert.equal(hasSession(), false);
});
