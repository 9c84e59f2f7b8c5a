import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import './browser.js';
import { useCatalogue } from '../../Public/i18n/index.js';

useCatalogue('en', JSON.parse(readFileSync(new URL('../../Public/i18n/en.json', import.meta.url), 'utf8')));

const { sampleFiles, storedZip } = await import('../../Public/pages/first-run/sample.js');
const { baseURL, grantText, seconds } = await import('../../Public/pages/settings/parts.js');
const { modules } = await import('../../Public/pages/settings/qr-code.js');
const { parseClaims } = await import('../../Public/pages/settings/trusts.js');

test('conditions of a CI trust are one a line, and a value may have an equals sign', () => {
  assert.deepEqual(parseClaims('repository = acme/shop\n\n ref=refs/tags/*\nquery=a=b'), { repository: 'acme/shop', ref: 'refs/tags/*', query: 'a=b' });
});

test('a duration is sent in seconds, and a missing one is refused', () => {
  assert.deepEqual(['90s', '15m', '2h', '1d'].map(seconds), [90, 900, 7_200, 86_400]);
  assert.throws(() => seconds(null), /duration is missing/);
});

test('a grant is named by its role and where it holds', () => {
  assert.equal(grantText({ role: 'admin' }), 'Admin of everything');
  assert.equal(grantText({ role: 'releaser', app: 'travel' }), 'Releaser of travel');
  assert.equal(grantText({ role: 'releaser', app: 'travel', channel: 'beta' }), 'Releaser of travel, channel beta');
});

test('the base URL of a channel follows the address of the console', () => {
  assert.equal(baseURL('default', 'production'), 'https://larder.example/base');
  assert.equal(baseURL('travel', 'production'), 'https://larder.example/base/apps/travel');
  assert.equal(baseURL('default', 'beta'), 'https://larder.example/base/apps/default/channels/beta');
});

test('the sample is a zip with its files, whose texts are stored as they are', () => {
  const files = sampleFiles('Hello', 'Text', 'en');
  const zip = Buffer.from(storedZip(files));
  const end = zip.subarray(-22);
  assert.equal(end.readUInt32LE(0), 0x06054b50);
  assert.equal(end.readUInt16LE(10), files.length);
  assert.equal(zip.readUInt32LE(end.readUInt32LE(16)), 0x02014b50);
  for (const file of files) assert.ok(zip.includes(file.text));
});

test('a QR code has the modules that another encoder makes of the same text', () => {
  const rows = modules('https://larder.ex').map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''));
  assert.deepEqual(rows, [
    '#######..##...#######',
    '#.....#.......#.....#',
    '#.###.#.###...#.###.#',
    '#.###.#...#.#.#.###.#',
    '#.###.#.......#.###.#',
    '#.....#..#.#..#.....#',
    '#######.#.#.#.#######',
    '........##.##........',
    '###.#####.#.###...#..',
    '.##..#..#...#.###...#',
    '.#...##.######..#.###',
    '.......##.......#..#.',
    '.#....##.#.##..#.#...',
    '........#####.###..##',
    '#######.#####.#.#.###',
    '#.....#.#..#...##....',
    '#.###.#.#..##....#..#',
    '#.###.#...####..##...',
    '#.###.#.##.####.#.#.#',
    '#.....#.##.##...#..#.',
    '#######.#.#.##..##.##',
  ]);
});

test('a QR code is as large as its text needs, and a text that is too long is refused', () => {
  assert.deepEqual([1, 17, 18, 154, 155, 425].map((length) => modules('x'.repeat(length)).length), [21, 21, 25, 45, 49, 69]);
  assert.throws(() => modules('x'.repeat(426)), RangeError);
});
