import assert from 'node:assert/strict';
import { test } from 'node:test';
import './browser.js';
import { bytes, localTime, number, percent, time, waiting } from '../../Public/format.js';

test('sizes have one decimal below ten, and none above', () => {
  const sizes = [[0, '0 B'], [512, '512 B'], [1023, '1023 B'], [1024, '1 KB'], [1536, '1.5 KB'], [10 * 1024, '10 KB'], [16 << 20, '16 MB']];
  for (const [value, text] of sizes) assert.equal(bytes(value), text.replace(' ', '\u00a0'));
});

test('the largest unit is the terabyte', () => {
  assert.equal(bytes(3000 * 1024 ** 4), '3000\u00a0TB');
});

test('percentages have two decimals at most', () => {
  assert.deepEqual([percent(10), percent(0.5), percent(33.333), percent(100)], ['10%', '0.5%', '33.33%', '100%']);
});

test('numbers have separators between thousands', () => {
  assert.equal(number(5120), '5,120');
});

test('an instant is shown in local time, and in UTC in its title', () => {
  const element = time('2026-03-01T09:30:00Z');
  assert.equal(element.attributes.datetime, '2026-03-01T09:30:00Z');
  assert.equal(element.attributes.title, '2026-03-01 09:30:00 UTC');
  assert.equal(element.textContent, localTime('2026-03-01T09:30:00Z'));
  assert.match(element.textContent, /^Mar 1, 2026, 10:30\sAM$/);
});

test('a change that waits for an approval names its number and the command', () => {
  const text = waiting({ id: 12, requestedBy: 'ann (user #1)', summary: 'Resume release 3.' });
  assert.equal(text, 'Waits for approval 12: Resume release 3. A second person approves it: larder approval approve 12.');
  assert.equal(waiting({ id: 12, version: '1' }), undefined);
});
