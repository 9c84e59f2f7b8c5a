/** The smallest time stamp of a zip entry, 1980-01-01: the same folder always gives the same bytes. */
const entryDate = 0x0021;

/** The flag for names in UTF-8. */
const utf8Flag = 0x0800;

/** Files that operating systems add and that no package needs. */
const skipped = /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$|^__MACOSX\//;

let crcTable;

/**
 * Continues a CRC-32 over further bytes.
 *
 * @param {number} crc the checksum so far; 0 at the beginning
 * @param {Uint8Array} bytes
 * @returns {number}
 */
export function crc32(crc, bytes) {
  crcTable ??= Uint32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  let rest = ~crc;
  for (let index = 0; index < bytes.length; index += 1) rest = crcTable[(rest ^ bytes[index]) & 0xff] ^ (rest >>> 8);
  return ~rest >>> 0;
}

/**
 * Returns a zip of the files, sorted by path, with each file deflated unless that makes it larger.
 *
 * @param {{path: string, file: Blob}[]} files
 * @param {{signal?: AbortSignal, onProgress?: (done: number, total: number) => void}} options `onProgress` gets the bytes
 *   that were read
 * @returns {Promise<Blob>}
 */
export async function zip(files, { signal, onProgress } = {}) {
  const sorted = files.filter(({ path }) => !skipped.test(path)).sort((one, other) => (one.path < other.path ? -1 : 1));
  const total = sorted.reduce((sum, { file }) => sum + file.size, 0);
  const parts = [];
  const directory = [];
  let offset = 0;
  let done = 0;
  for (const { path, file } of sorted) {
    signal?.throwIfAborted();
    const name = new TextEncoder().encode(path);
    const entry = await deflate(file, signal, (count) => onProgress?.(done += count, total));
    const header = fields(entry, name.length);
    parts.push(record(0x04034b50, [20], header), name, entry.data);
    directory.push(record(0x02014b50, [20, 20], [...header, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]), name);
    offset += 30 + name.length + entry.data.size;
  }
  const length = directory.reduce((sum, part) => sum + part.length, 0);
  const end = record(0x06054b50, [0, 0, sorted.length, sorted.length], [[4, length], [4, offset], [2, 0]]);
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}

async function deflate(file, signal, onBytes) {
  let crc = 0;
  const count = new TransformStream({
    transform(chunk, controller) {
      crc = crc32(crc, chunk);
      onBytes(chunk.length);
      controller.enqueue(chunk);
    },
  });
  const stream = file.stream().pipeThrough(count, { signal }).pipeThrough(new CompressionStream('deflate-raw'));
  const data = await new Response(stream).blob();
  return data.size < file.size ? { crc, data, size: file.size, method: 8 } : { crc, data: file, size: file.size, method: 0 };
}

function fields(entry, nameLength) {
  return [[2, utf8Flag], [2, entry.method], [2, 0], [2, entryDate], [4, entry.crc], [4, entry.data.size], [4, entry.size], [2, nameLength], [2, 0]];
}

/** Returns the bytes of a record: a signature, 16-bit numbers, then numbers of 2 or 4 bytes. */
function record(signature, words, rest) {
  const numbers = [[4, signature], ...words.map((word) => [2, word]), ...rest];
  const bytes = new Uint8Array(numbers.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let position = 0;
  for (const [size, value] of numbers) {
    if (size === 2) view.setUint16(position, value, true);
    else view.setUint32(position, value, true);
    position += size;
  }
  return bytes;
}

/**
 * Returns the paths of the files in a zip, or `null` if its directory cannot be read. The server checks the zip as a whole;
 * this list is only for suggestions.
 *
 * @param {Blob} blob
 * @returns {Promise<string[] | null>}
 */
export async function readPaths(blob) {
  const tail = new DataView(await blob.slice(Math.max(0, blob.size - 65_557)).arrayBuffer());
  for (let position = tail.byteLength - 22; position >= 0; position -= 1) {
    if (tail.getUint32(position, true) !== 0x06054b50) continue;
    const length = tail.getUint32(position + 12, true);
    const start = tail.getUint32(position + 16, true);
    const directory = new DataView(await blob.slice(start, start + length).arrayBuffer());
    return readDirectory(directory);
  }
  return null;
}

function readDirectory(view) {
  const paths = [];
  let position = 0;
  while (position + 46 <= view.byteLength && view.getUint32(position, true) === 0x02014b50) {
    const length = view.getUint16(position + 28, true);
    if (position + 46 + length > view.byteLength) return null;
    const path = new TextDecoder().decode(new Uint8Array(view.buffer, position + 46, length));
    if (!path.endsWith('/') && !skipped.test(path)) paths.push(path.replace(/^(\.\/)+/, ''));
    position += 46 + length + view.getUint16(position + 30, true) + view.getUint16(position + 32, true);
  }
  return paths;
}
