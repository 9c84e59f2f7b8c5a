import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, valueText } from '../../Public/pages/audit/changes.js';

test('a change has the former and the new value of each member', () => {
  assert.deepEqual(changesOf({ release: 2, before: { percent: 5 }, after: { percent: 40 } }), [{ member: 'percent', before: 5, after: 40 }]);
  assert.deepEqual(changesOf({ before: { app: 'a' }, after: {} }), [{ member: 'app', before: 'a', after: null }]);
});

test('a creation has no former values, and a removal no new ones', () => {
  assert.deepEqual(changesOf({ before: null, after: { name: 'ci' } }), [{ member: 'name', after: 'ci' }]);
  assert.deepEqual(changesOf({ before: { name: 'ci' }, after: null }), [{ member: 'name', before: 'ci' }]);
});

test('an entry without before and after shows its other details', () => {
  assert.deepEqual(changesOf({ overlapSeconds: 3600 }), [{ member: 'overlapSeconds', after: 3600 }]);
  assert.deepEqual(changesOf(undefined), []);
});

test('a value is written in short', () => {
  assert.equal(valueText(null), '–');
  assert.equal(valueText(['a', 'b']), 'a, b');
  assert.equal(valueText([]), '[]');
  assert.equal(valueText([{ role: 'admin' }]), '[{"role":"admin"}]');
  assert.equal(valueText(false), 'false');
});
