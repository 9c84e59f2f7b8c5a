import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import './browser.js';
import { EventParser } from '../../Public/api/stream.js';
import { press } from '../../Public/elements/keys.js';
import { findRoute } from '../../Public/pages/index.js';

test('events are read from pieces of any length, and comments are left out', () => {
  const stream = 'retry: 2000\n\n: heartbeat\n\nevent: release.make\nid: 42\ndata: {"a":\ndata: 1}\n\nid: 43\r\n\r\n';
  for (const length of [1, 7, stream.length]) {
    const events = [];
    const parser = new EventParser((event) => events.push(event));
    for (let start = 0; start < stream.length; start += length) parser.push(stream.slice(start, start + length));
    assert.deepEqual(events, [{ event: 'release.make', id: '42', data: '{"a":\n1}' }, { id: '43' }]);
  }
});

test('an event whose end has not arrived is not read', () => {
  const events = [];
  new EventParser((event) => events.push(event)).push('id: 42\ndata: {}\n');
  assert.deepEqual(events, []);
});

test('an address names app, channel, page, parameters and query', () => {
  const found = findRoute('#/travel/production/packages/checkout/versions/3.0%2B1?tab=files');
  assert.equal(found.app, 'travel');
  assert.equal(found.channel, 'production');
  assert.deepEqual(found.params, { package: 'checkout', version: '3.0+1' });
  assert.equal(found.query.get('tab'), 'files');
  assert.equal(found.route.nav, 'packages');
});

test('an address of an earlier version opens the same package', () => {
  const found = findRoute('#/apps/travel/packages/checkout');
  assert.equal(found.app, 'travel');
  assert.deepEqual(found.params, { package: 'checkout' });
});

test('the address that a command line prints has a page, and knows no app', () => {
  for (const code of ['BDFG-HJKL', 'bdfghjkl']) {
    const found = findRoute(`#/command-line/${code}`);
    assert.equal(found.app, undefined);
    assert.equal(found.rest, `/command-line/${code}`);
    assert.deepEqual(findRoute(`#/travel/production${found.rest}`).params, { code });
  }
  assert.equal(findRoute('#/command-line/production').app, 'command-line');
});

test('the first page names the modules that its script imports, and no others; they have 60 KB at most', () => {
  const folder = new URL('../../Public/', import.meta.url).pathname;
  const found = new Set();
  const visit = (name) => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, next] of readFileSync(join(folder, name), 'utf8').matchAll(/^(?:import|export) [^;]*?from '(\.[^']+)';/gm)) visit(join(dirname(name), next));
  };
  visit('main.js');
  const sizes = Array.from(found, (name) => readFileSync(join(folder, name)).length);
  assert.ok(sizes.reduce((sum, size) => sum + size) <= 60 * 1024, `${sizes}`);
  found.delete('main.js');
  const named = readFileSync(join(folder, 'index.html'), 'utf8').matchAll(/rel="modulepreload" href="code\/([^"]+)"/g);
  assert.deepEqual(Array.from(named, ([, name]) => name), [...found].sort());
});

test('an unknown path has no page, and a malformed escape is kept', () => {
  assert.equal(findRoute('#/travel/production/nothing').route, undefined);
  assert.equal(findRoute('#/travel/production/packages/%zz').params.package, '%zz');
});

test('a key runs what it is bound to on the open page, on every page, or after G', () => {
  const done = [];
  const bind = (...keys) => Object.fromEntries(keys.map((key) => [key, () => done.push(key)]));
  const bindings = { frame: bind('ctrl-k', 'u', 'r'), page: { r: () => done.push('r of the page') }, places: bind('o') };
  let isPrevented = false;
  const type = (key, options = {}) => press(/** @type {any} */ ({
    key, timeStamp: 5_000, target: document.createElement('main'), preventDefault: () => { isPrevented = true; }, ...options,
  }), bindings);
  type('x');
  assert.equal(isPrevented, false);
  type('U');
  assert.equal(isPrevented, true);
  type('r');
  type('r', { ctrlKey: true });
  type('k', { ctrlKey: true });
  type('o');
  type('g');
  type('o', { timeStamp: 7_000 });
  type('g');
  type('o');
  assert.deepEqual(done, ['u', 'r of the page', 'ctrl-k', 'o']);
});
