/**
 * Returns what was dropped: zips as they are, and folders with their files. Loose files are one folder without a name.
 *
 * @param {DataTransfer} transfer
 * @returns {Promise<{name: string, blob?: File, files?: {path: string, file: File}[]}[]>}
 */
export async function droppedSources(transfer) {
  // The list of items is empty after the first await.
  const entries = [...transfer.items].filter((item) => item.kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry?.(), file: /** @type {any} */ (item.getAsFile()) }));
  const zips = entries.filter(({ file }) => file && isZip(file)).map(({ file }) => ({ name: file.name, blob: file }));
  const loose = entries.filter(({ entry, file }) => file && !entry?.isDirectory && !isZip(file)).map(({ file }) => ({ path: file.name, file }));
  /** @type {{name: string, files: any[]}[]} */
  const folders = [];
  for (const { entry } of entries) if (entry?.isDirectory) folders.push({ name: entry.name, files: await filesOf(entry, '') });
  if (!loose.length) return [...zips, ...folders];
  // Files beside folders are the content of one folder.
  const inside = folders.flatMap(({ name, files }) => files.map(({ path, file }) => ({ path: `${name}/${path}`, file })));
  return [...zips, { name: '', files: [...loose, ...inside] }];
}

/**
 * Returns what was chosen with a file field, for a folder all of its files.
 *
 * @param {Iterable<File>} chosen
 */
export function chosenSources(chosen) {
  const folders = new Map();
  const sources = [];
  for (const file of chosen) {
    const [folder, ...rest] = (file.webkitRelativePath ?? '').split('/');
    if (!rest.length && isZip(file)) {
      sources.push({ name: file.name, blob: file });
      continue;
    }
    const files = folders.get(folder) ?? [];
    files.push({ path: rest.length ? rest.join('/') : file.name, file });
    folders.set(folder, files);
  }
  return [...sources, ...[...folders].map(([name, files]) => ({ name, files }))];
}

function isZip(file) {
  return /\.zip$/i.test(file.name) || /zip/.test(file.type);
}

async function filesOf(folder, prefix) {
  const reader = folder.createReader();
  const files = [];
  // A reader returns at most 100 entries at a time.
  for (;;) {
    const entries = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (!entries.length) return files;
    for (const entry of entries) {
      const path = `${prefix}${entry.name}`;
      if (entry.isDirectory) files.push(...await filesOf(entry, `${path}/`));
      else files.push({ path, file: await new Promise((resolve, reject) => { entry.file(resolve, reject); }) });
    }
  }
}

/**
 * Returns the package and the version that a file name suggests, such as `checkout-3.12.1.zip`.
 *
 * @param {string} name
 * @param {string[]} packages the ids of the app's packages
 * @returns {{package?: string, version?: string}}
 */
export function guess(name, packages) {
  const stem = name.replace(/\.zip$/i, '').replace(/ ?\(\d+\)$/, '');
  const [, first, version] = /^(.*?)[-_ @]?v?(\d+(?:\.\d+)+(?:[-+][0-9A-Za-z.+-]+)?)$/.exec(stem) ?? [];
  const wanted = (version === undefined ? stem : first).toLowerCase();
  const found = packages.find((id) => id.toLowerCase() === wanted)
    ?? packages.filter((id) => wanted.startsWith(`${id.toLowerCase()}-`)).sort((one, other) => other.length - one.length)[0];
  return { package: found, version };
}

/**
 * Returns the version after the newest one: the last number is increased by one.
 *
 * @param {string | undefined} newest
 * @returns {string}
 */
export function nextVersion(newest) {
  const [, start, last] = /^((?:\d+\.)*)(\d+)$/.exec(newest ?? '') ?? [];
  return last === undefined ? '' : `${start}${Number(last) + 1}`;
}
