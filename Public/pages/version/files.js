import { textInput } from '../../elements/inputs.js';
import { copyButton } from '../../elements/copy.js';
import { button, emptyState, h, panel } from '../../elements/index.js';
import { isNested, tree, treeRows } from '../../elements/tree.js';
import { t } from '../../i18n/index.js';
import { bytes } from '../../i18n/sizes.js';

/** The number of files up to which all folders are open at first. */
const openRows = 200;

/** The number of files that are shown without a filter. */
const shownFiles = 2_000;

/**
 * Returns the panel with all files of the version.
 *
 * @param {any} context
 * @param {any} page
 */
export function filesPanel(context, page) {
  const { files } = page.version;
  const filter = textInput({
    type: 'search', placeholder: t('version.filter-files'), 'aria-label': t('version.filter-files'), value: context.query.get('path') ?? '',
    oninput: () => {
      context.setQuery({ path: filter.value }, { reload: false });
      show();
    },
  });
  const element = panel({ title: t('version.files'), note: t('version.files-note', { n: files.length, size: bytes(page.version.bytes) }), actions: [filter] });

  function show() {
    const wanted = filter.value.trim().toLowerCase();
    const matching = wanted ? files.filter((file) => file.path.toLowerCase().includes(wanted)) : files;
    const shown = matching.slice(0, shownFiles);
    const rest = matching.length - shown.length;
    element.setFooter(rest > 0 ? t('version.files-rest', { n: rest }) : null);
    element.setBody(shown.length ? fileTree(shown, Boolean(wanted)) : emptyState({ icon: 'search', title: t('version.no-file') }));
  }

  function fileTree(shown, isFiltered) {
    const isLong = shown.length > openRows && !isFiltered;
    const rows = treeRows(shown, (folder, inside) => ({ size: inside.reduce((total, file) => total + file.size, 0), isClosed: isLong && isNested(folder) }));
    return tree(rows, [
      { label: t('version.file') },
      { label: t('version.size'), numeric: true, cell: (row) => h('span', { class: 'muted' }, bytes(row.size)) },
      { label: t('version.hash'), cell: (row) => (row.isFolder ? null : hashCell(row)) },
      { label: h('span', { class: 'visually-hidden' }, t('version.open-file')), cell: (row) => (row.isFolder ? null : openButton(context, page, row)) },
    ]);
  }
  show();
  return element;
}

function hashCell(row) {
  return h('span', { class: 'row nowrap' }, h('code', null, row.sha256.slice(0, 8)),
    copyButton(row.sha256, { label: null, kind: 'quiet', small: true, name: t('version.copy-hash', { path: row.path }) }));
}

/** Returns the link to a file on the route of online pages, which has the versions that a release of the channel names. */
function openButton(context, page, row) {
  const parts = ['apps', context.app, 'channels', context.channel, 'online', page.id, page.name, ...row.path.split('/')];
  return button(null, {
    icon: 'external', kind: 'quiet', small: true, name: t('version.open-name', { path: row.path }), target: '_blank', rel: 'noopener',
    href: `../${parts.map(encodeURIComponent).join('/')}`, title: t('version.open-hint'),
  });
}
