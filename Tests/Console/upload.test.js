import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { chosenSources, guess, nextVersion } from '../../Public/pages/upload/sources.js';
import { nextPartSize } from '../../Public/pages/upload/transfer.js';
import { crc32, readPaths, zip } from '../../Public/pages/upload/zip.js';

const file = (path, text) => ({ path, file: new Blob([text]) });

test('A folder is zipped in the order of its paths, without files of the operating system', async () => {
  const blob = await zip([file('js/a.js', 'a'.repeat(1000)), file('.DS_Store', 'x'), file('index.html', 'hi'), file('img/é.svg', '<svg/>')]);
  assert.deepEqual(await readPaths(blob), ['img/é.svg', 'index.html', 'js/a.js']);
  const again = await zip([file('img/é.svg', '<svg/>'), file('js/a.js', 'a'.repeat(1000)), file('index.html', 'hi')]);
  assert.deepEqual(new Uint8Array(await blob.arrayBuffer()), new Uint8Array(await again.arrayBuffer()));
});

test('An entry is deflated if that makes it smaller, and has the size and checksum of its content', async () => {
  const view = new DataView(await (await zip([file('a.js', 'a'.repeat(1000))])).arrayBuffer());
  assert.equal(view.getUint16(8, true), 8);
  assert.equal(view.getUint32(14, true), crc32(0, new TextEncoder().encode('a'.repeat(1000))));
  const packed = new Uint8Array(view.buffer, 34, view.getUint32(18, true));
  assert.equal(inflateRawSync(packed).toString(), 'a'.repeat(1000));
  const short = new DataView(await (await zip([file('a.js', 'hi')])).arrayBuffer());
  assert.equal(short.getUint16(8, true), 0);
});

test('The checksum is that of CRC-32, also over several pieces', () => {
  const bytes = new TextEncoder().encode('123456789');
  assert.equal(crc32(0, bytes), 0xcbf43926);
  assert.equal(crc32(crc32(0, bytes.slice(0, 4)), bytes.slice(4)), 0xcbf43926);
});

test('A file that is no zip has no list of paths', async () => {
  assert.equal(await readPaths(new Blob(['no zip'])), null);
});

test('A file name suggests the package and the version', () => {
  const packages = ['car', 'car-rental', 'checkout'];
  assert.deepEqual(guess('checkout-3.12.1.zip', packages), { package: 'checkout', version: '3.12.1' });
  assert.deepEqual(guess('car-rental_v2.0.0-rc.1 (2).zip', packages), { package: 'car-rental', version: '2.0.0-rc.1' });
  assert.deepEqual(guess('car-rental-dist.zip', packages), { package: 'car-rental', version: undefined });
  assert.deepEqual(guess('dist', packages), { package: undefined, version: undefined });
});

test('The suggested version is the one after the newest', () => {
  assert.equal(nextVersion('3.12.9'), '3.12.10');
  assert.equal(nextVersion('7'), '8');
  assert.equal(nextVersion('3.0.0-rc.1'), '');
  assert.equal(nextVersion(undefined), '');
});

test('A chosen folder is one source, and each zip is one', () => {
  const named = (name, path = '') => Object.assign(new Blob(['x']), { name, webkitRelativePath: path });
  const sources = chosenSources([named('a.zip'), named('index.html', 'dist/index.html'), named('a.js', 'dist/js/a.js')]);
  assert.deepEqual(sources.map((source) => [source.name, source.files?.map((each) => each.path)]), [
    ['a.zip', undefined], ['dist', ['index.html', 'js/a.js']],
  ]);
});

test('A part grows on a fast connection and shrinks on a slow one, within limits', () => {
  assert.equal(nextPartSize(256 * 1024, 0.1), 512 * 1024);
  assert.equal(nextPartSize(8 * 1024 * 1024, 0.1), 8 * 1024 * 1024);
  assert.equal(nextPartSize(512 * 1024, 5), 256 * 1024);
  assert.equal(nextPartSize(64 * 1024, 60), 64 * 1024);
  assert.equal(nextPartSize(512 * 1024, 1), 512 * 1024);
});
