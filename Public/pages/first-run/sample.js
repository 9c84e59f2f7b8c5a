/** The checksums of all bytes, for CRC-32. */
const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

/** Returns the CRC-32 of bytes. */
function checksum(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = remainders[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/**
 * Returns the files of the sample package.
 *
 * @param {string} heading
 * @param {string} text
 * @param {string} language the tag of the language of both texts
 * @returns {{path: string, text: string}[]}
 */
export function sampleFiles(heading, text, language) {
  return [
    { path: 'index.html', text: [
      '<!doctype html>', `<html lang="${language}">`, '<meta charset="utf-8">',
      '<meta name="viewport" content="width=device-width, initial-scale=1">', `<title>${heading}</title>`,
      '<link rel="stylesheet" href="hello.css">', '<script src="hello.js" defer></script>',
      `<h1>${heading}</h1>`, `<p>${text}</p>`, '<p id="time"></p>', '</html>', ''].join('\n') },
    { path: 'hello.css', text: 'body {\n  margin: 2rem;\n  font-family: system-ui, sans-serif;\n}\n' },
    { path: 'hello.js', text: "document.getElementById('time').textContent = new Date().toLocaleString();\n" },
  ];
}

/**
 * Returns a zip of text files, which are stored without compression.
 *
 * @param {{path: string, text: string}[]} files
 * @returns {Uint8Array}
 */
export function storedZip(files) {
  const encoder = new TextEncoder();
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const file of files) {
    const name = encoder.encode(file.path);
    const data = encoder.encode(file.text);
    // Version 2.0, a name in UTF-8, no compression, 1 January 1980.
    const facts = [20, 0x0800, 0, 0, 0x21];
    const sizes = [checksum(data), data.length, data.length];
    const local = record(0x04034b50, facts, sizes, [name.length, 0]);
    directory.push(record(0x02014b50, [20, ...facts], sizes, [name.length, 0, 0, 0, 0], [0, offset]), name);
    parts.push(local, name, data);
    offset += local.length + name.length + data.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const count = files.length;
  const end = record(0x06054b50, [0, 0, count, count], [size, offset], [0]);
  return concatenate([...parts, ...directory, end]);
}

/** Returns a signature, then numbers of two and of four bytes in turn, little-endian. */
function record(signature, ...groups) {
  const fields = [[signature, 4]];
  groups.forEach((group, index) => fields.push(...group.map((value) => [value, index % 2 === 0 ? 2 : 4])));
  const bytes = new Uint8Array(fields.reduce((sum, [, length]) => sum + length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [value, length] of fields) {
    if (length === 4) view.setUint32(at, value, true);
    else view.setUint16(at, value, true);
    at += length;
  }
  return bytes;
}

function concatenate(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
