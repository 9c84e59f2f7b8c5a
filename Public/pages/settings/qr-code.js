import { svg } from '../../elements/dom.js';

/**
 * The versions of a QR code with the lowest correction level: the number of all codewords, the correction codewords of a
 * block, the number of blocks, and the last position of an alignment pattern.
 */
const versions = [
  [26, 7, 1, 0], [44, 10, 1, 18], [70, 15, 1, 22], [100, 20, 1, 26], [134, 26, 1, 30], [172, 18, 2, 34], [196, 20, 2, 38],
  [242, 24, 2, 42], [292, 30, 2, 46], [346, 18, 4, 50], [404, 20, 4, 54], [466, 24, 4, 58], [532, 26, 4, 62],
];

/** The powers of 2 in the field of 256 elements that QR codes use, and their logarithms. */
const powers = new Uint8Array(512);
const logarithms = new Uint8Array(256);
for (let exponent = 0, value = 1; exponent < 255; exponent += 1) {
  powers[exponent] = powers[exponent + 255] = value;
  logarithms[value] = exponent;
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0);
}

/** Returns the correction codewords of a block. */
function correction(data, count) {
  let generator = [1];
  for (let root = 0; root < count; root += 1) {
    const next = [...generator, 0];
    generator.forEach((value, index) => { if (value) next[index + 1] ^= powers[logarithms[value] + root]; });
    generator = next;
  }
  const rest = [...data, ...new Array(count).fill(0)];
  for (let at = 0; at < data.length; at += 1) {
    const factor = rest[at];
    if (factor) generator.forEach((value, index) => { rest[at + index] ^= powers[logarithms[value] + logarithms[factor]]; });
  }
  return rest.slice(data.length);
}

/** Returns the version for a number of bytes, and the number of data codewords that it has. */
function chooseVersion(length) {
  for (let version = 1; version <= versions.length; version += 1) {
    const [total, check, blocks] = versions[version - 1];
    const capacity = total - check * blocks;
    if (length + (version < 10 ? 2 : 3) <= capacity) return { version, capacity, check, blocks };
  }
  throw new RangeError('The text is too long for a QR code.');
}

/** Returns the codewords of bytes: the data of all blocks interleaved, then their correction. */
function codewords(bytes, { version, capacity, check, blocks }) {
  const bits = [];
  const put = (value, count) => { for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1); };
  put(0b0100, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  put(0, 4);
  const data = [];
  for (let at = 0; at < bits.length; at += 8) data.push(bits.slice(at, at + 8).reduce((value, bit, index) => value | (bit << (7 - index)), 0));
  for (let pad = 0xec; data.length < capacity; pad ^= 0xec ^ 0x11) data.push(pad);
  const parts = [];
  const short = Math.floor(capacity / blocks);
  for (let block = 0, at = 0; block < blocks; block += 1) {
    const length = short + (block >= blocks - (capacity % blocks) ? 1 : 0);
    parts.push(data.slice(at, at + length));
    at += length;
  }
  const checks = parts.map((part) => correction(part, check));
  const interleave = (lists, length) => Array.from({ length }, (_, index) => lists.map((list) => list[index])).flat().filter((value) => value !== undefined);
  return [...interleave(parts, short + 1), ...interleave(checks, check)];
}

/** Returns a value followed by the remainder of its division, which corrects errors in it. */
function withRemainder(value, generator, count) {
  let rest = value << count;
  for (let bit = 31 - Math.clz32(rest); bit >= count; bit = 31 - Math.clz32(rest || 1)) rest ^= generator << (bit - count);
  return (value << count) | rest;
}

/**
 * Returns the modules of a QR code in byte mode.
 *
 * @param {string} text
 * @returns {boolean[][]} rows from the top; `true` is dark
 */
export function modules(text) {
  const bytes = new TextEncoder().encode(text);
  const facts = chooseVersion(bytes.length);
  const { version } = facts;
  const size = version * 4 + 17;
  const dark = Array.from({ length: size }, () => new Array(size).fill(false));
  const fixed = Array.from({ length: size }, () => new Array(size).fill(false));
  const set = (x, y, isDark) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    dark[y][x] = Boolean(isDark);
    fixed[y][x] = true;
  };
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  const square = (x, y, radius, isDark) => {
    for (let dy = -radius; dy <= radius; dy += 1) {
      for (let dx = -radius; dx <= radius; dx += 1) set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  };
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(x, y, 4, (distance) => distance !== 2 && distance !== 4);
  const last = versions[version - 1][3];
  const positions = version === 1 ? [] : version < 7 ? [6, last] : [6, (6 + last) / 2, last];
  for (const x of positions) {
    for (const y of positions) {
      const isCorner = (x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6);
      if (!isCorner) square(x, y, 2, (distance) => distance !== 1);
    }
  }
  // Correction level L and mask 0.
  const format = withRemainder(0b01000, 0x537, 10) ^ 0x5412;
  for (let bit = 0; bit < 15; bit += 1) {
    const isDark = (format >> bit) & 1;
    set(8, bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit, isDark);
    set(bit < 8 ? size - 1 - bit : bit < 9 ? 7 : 14 - bit, 8, isDark);
  }
  set(8, size - 8, true);
  if (version >= 7) {
    const number = withRemainder(version, 0x1f25, 12);
    for (let bit = 0; bit < 18; bit += 1) {
      const near = Math.floor(bit / 3);
      const far = size - 11 + (bit % 3);
      set(near, far, (number >> bit) & 1);
      set(far, near, (number >> bit) & 1);
    }
  }
  const words = codewords(bytes, facts);
  let at = 0;
  for (let right = size - 1, isUp = true; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (fixed[y][x]) continue;
        const bit = at < words.length * 8 ? (words[at >> 3] >> (7 - (at & 7))) & 1 : 0;
        at += 1;
        dark[y][x] = Boolean(bit) !== ((x + y) % 2 === 0);
      }
    }
  }
  return dark;
}

/**
 * Returns a text as the image of a QR code.
 *
 * @param {string} text
 * @param {string} label what the image is, for screen readers
 * @returns {SVGElement}
 */
export function codeImage(text, label) {
  const rows = modules(text);
  const size = rows.length + 8;
  const marks = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x + 4} ${y + 4}h1v1h-1z`] : []))).join('');
  return svg('svg', { class: 'qr-code', viewBox: `0 0 ${size} ${size}`, width: 200, height: 200, role: 'img', 'aria-label': label, 'shape-rendering': 'crispEdges' },
    svg('rect', { width: size, height: size, fill: '#fff' }), svg('path', { d: marks, fill: '#000' }));
}
