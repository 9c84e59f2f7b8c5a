import { tiles } from '../../elements/facts.js';
import { select } from '../../elements/inputs.js';
import { button, emptyState, h } from '../../elements/index.js';
import { progress } from '../../elements/progress.js';
import { changeSign, isNested, tree, treeRows } from '../../elements/tree.js';
import { livePanel } from '../../elements/live.js';
import { number, percent, t } from '../../i18n/index.js';
import { bytes } from '../../i18n/sizes.js';

/** The number of rows up to which all folders are open at first. */
const openRows = 300;

/** The number of files that are shown, those with the largest changes first. */
const shownFiles = 2_000;

/** @type {('added' | 'changed' | 'removed' | 'moved')[]} */
const kinds = ['added', 'changed', 'removed', 'moved'];

/**
 * Returns the part of the page that compares the version with another one: the sizes of the downloads and the files.
 *
 * @param {any} context
 * @param {any} page
 * @param {any} sentence the place for the sentence that sums it up
 */
export function changesPart(context, page, sentence) {
  const sizes = h('div', null, sizeTiles(page.version, null));
  const chooser = h('span');
  let versions;
  let showsSame = false;
  const panel = livePanel(context, {
    title: t('version.changes-from'), actions: [chooser], rows: 6,
    load: async () => {
      versions ??= await readVersions(context, page);
      const from = versions.some((each) => each.version === context.query.get('from')) ? context.query.get('from') : versions.standard;
      return from ? context.get(['packages', page.id, 'versions', from, 'diff', page.name]) : null;
    },
    render: (comparison, element) => {
      const others = versions.filter((each) => each.version !== page.name);
      if (!comparison) {
        chooser.replaceChildren();
        return emptyState({ icon: 'layers', title: t('version.first'), text: t('version.first-text') });
      }
      chooser.replaceChildren(select(others.map((each) => [each.version, each.everyone ? t('version.for-everyone', { version: each.version }) : each.version]), {
        value: comparison.from, 'aria-label': t('version.compare-with'), 'data-key': 'from',
        onchange: (event) => {
          context.setQuery({ from: event.target.value }, { reload: false });
          panel.reload();
        },
      }));
      const before = others.find((each) => each.version === comparison.from);
      sizes.replaceChildren(sizeTiles(page.version, comparison, before));
      const count = kinds.reduce((sum, kind) => sum + comparison[kind].length, 0);
      const least = comparison.download.delta ?? comparison.download.files ?? comparison.download.full;
      sentence.textContent = t('version.sentence', { n: count, from: comparison.from, size: bytes(least) });
      element.setNote(h('span', { class: 'row' }, kinds.filter((kind) => comparison[kind].length)
        .map((kind) => h('span', { class: 'row' }, changeSign(kind), t(`version.count-${kind}`, { n: comparison[kind].length })))));
      const same = page.version.files.length - comparison.added.length - comparison.changed.length - comparison.moved.length;
      const hidden = (showsSame ? count + same : count) - shownFiles;
      element.setFooter(hidden > 0 ? h('span', null, t('version.hidden-changes', { n: hidden })) : null, h('span', null, t('version.same', { n: same })), same > 0 ? button(showsSame ? t('version.hide-same') : t('version.show-same'), {
        kind: 'quiet', small: true, 'data-key': 'same', onclick: () => { showsSame = !showsSame; panel.reload(); },
      }) : null);
      return changeTree(comparison, showsSame ? page.version.files : []);
    },
  });
  return [sizes, panel];
}

/** Reads the versions of the package, newest first; `standard` is the one to compare with at first. */
async function readVersions(context, page) {
  const [{ versions }, { releases }] = await Promise.all([
    context.get(['packages', page.id, 'versions'], { sort: '-published', limit: 500 }),
    context.get(['packages', page.id, 'releases'], { channel: context.channel, state: 'active', limit: 50 }),
  ]);
  const everyone = releases.find((each) => each.percent === 100 && each.version !== page.name)?.version;
  const all = versions.map((each) => ({ ...each, everyone: each.version === everyone }));
  const position = all.findIndex((each) => each.version === page.name);
  const isEarlier = all.findIndex((each) => each.everyone) > position;
  all.standard = (isEarlier ? everyone : undefined) ?? all[position + 1]?.version ?? all.find((each) => each.version !== page.name)?.version;
  return all;
}

function sizeTiles(version, comparison, before) {
  const { delta = null, files = null } = comparison?.download ?? {};
  const growth = before ? version.bytes - before.bytes : null;
  return tiles([
    { label: t('version.delta'), value: delta === null ? '–' : bytes(delta), note: delta === null && comparison ? t('version.not-built') : t('version.delta-note') },
    { label: t('version.changed-files'), value: files === null ? '–' : bytes(files), note: files === null && comparison ? t('version.not-built') : t('version.changed-note') },
    { label: t('version.full'), value: bytes(version.archiveBytes), note: t('version.full-note') },
    { label: t('version.unpacked'), value: bytes(version.bytes), note: growth === null ? undefined : growthText(growth, before.bytes) },
  ]);
}

/** Returns a difference in bytes with its sign, such as `+9.4 kB`. */
function signedBytes(difference) {
  if (difference === 0) return number(0);
  return `${difference > 0 ? '+' : '−'}${bytes(Math.abs(difference))}`;
}

function growthText(growth, before) {
  if (before === 0 || Math.abs(growth) / before < 0.000_1) return signedBytes(growth);
  const share = percent(Math.abs(growth) / before * 100);
  return t('version.growth', { size: signedBytes(growth), share: `${growth > 0 ? '+' : '−'}${share}` });
}

function changeTree(comparison, allFiles) {
  const changed = kinds.flatMap((kind) => comparison[kind].map((file) => ({
    path: file.path, kind, note: file.from ? t('version.was', { path: formerName(file) }) : undefined,
    sizeBefore: kind === 'added' ? null : file.sizeBefore ?? file.size, size: kind === 'removed' ? null : file.size,
  })));
  const known = new Set(changed.map((file) => file.path));
  const same = allFiles.filter((file) => !known.has(file.path)).map((file) => ({ path: file.path, sizeBefore: file.size, size: file.size }));
  const files = [...changed.sort((one, other) => Math.abs(growthOf(other)) - Math.abs(growthOf(one))), ...same].slice(0, shownFiles);
  if (!files.length) return emptyState({ icon: 'check', title: t('version.no-changes') });
  const largest = Math.max(1, ...changed.map((file) => Math.abs(growthOf(file))));
  const isLong = files.length > openRows;
  const isNarrow = matchMedia('(max-width: 759px)').matches;
  const rows = treeRows(files.map((file) => ({ ...file, note: isNarrow ? undefined : file.note, before: file.kind ? changeSign(file.kind) : null })), (folder, inside) => ({
    sizeBefore: sum(inside, 'sizeBefore'), size: sum(inside, 'size'), isClosed: isLong && isNested(folder),
  }));
  return tree(rows, [
    { label: t('version.file') },
    ...isNarrow ? [] : [
      { label: comparison.from, numeric: true, cell: (row) => sizeCell(row.sizeBefore) },
      { label: comparison.to, numeric: true, cell: (row) => sizeCell(row.size) },
    ],
    { label: t('version.change'), numeric: true, cell: (row) => (row.isFolder ? h('span', { class: 'muted' }, signedBytes(growthOf(row))) : signedBytes(growthOf(row))) },
    ...isNarrow ? [] : [{ label: h('span', { class: 'visually-hidden' }, t('version.change-bar')), cell: (row) => bar(row, largest) }],
  ], { label: t('version.changes-name', { from: comparison.from, to: comparison.to }) });
}

/** Returns the former path of a moved file, without the folder if it is the same. */
function formerName({ path, from }) {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return from.startsWith(folder) ? from.slice(folder.length) : from;
}

function bar(row, largest) {
  const growth = growthOf(row);
  if (row.isFolder || growth === 0) return null;
  const element = progress(Math.abs(growth) / largest, { kind: growth > 0 ? 'info' : 'good', label: signedBytes(growth) });
  element.setAttribute('width', '56');
  return element;
}

function growthOf(row) {
  return (row.size ?? 0) - (row.sizeBefore ?? 0);
}

function sum(files, member) {
  const known = files.filter((file) => file[member] !== null);
  return known.length ? known.reduce((total, file) => total + file[member], 0) : null;
}

function sizeCell(size) {
  return h('span', { class: 'muted' }, size === null ? '–' : bytes(size));
}
