import { api, path } from '../../api/client.js';
import { copyButton } from '../../elements/copy.js';
import { button, h, menu, tag, toast } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { livePanel } from '../../elements/live.js';
import { t } from '../../i18n/index.js';
import { bytes } from '../../i18n/sizes.js';

const layouts = ['app-folder', 'flat', 'top-folder', 'base-names'];

/** The number of earlier versions whose patches are looked up. */
const patchBases = 8;

/**
 * Returns the panel with the full archives of the version.
 *
 * @param {any} context
 * @param {any} page
 */
export function archivesPanel(context, page) {
  const builder = h('span');
  const element = livePanel(context, {
    title: t('version.archives'), note: t('version.archives-note'), actions: [builder], rows: 2,
    changes: (event) => event.action === 'archive.make' && event.subject === `${page.id}@${page.name}`,
    load: () => context.get(['packages', page.id, 'versions', page.name, 'archives']),
    render: ({ archives }) => {
      const missing = layouts.filter((layout) => !archives.some((each) => each.layout === layout));
      builder.replaceChildren(...missing.length ? [menu(t('version.build'), missing.map((layout) => ({
        label: t(`version.layout-${layout}`), onclick: () => build(context, page, layout, element),
      })), { small: true, reason: context.session.reason('publisher', { app: context.app }) })] : []);
      return table({
        caption: t('version.archives'),
        columns: [{ label: t('version.layout') }, { label: t('version.size'), numeric: true }, { label: t('version.hash') }, { label: t('version.signed-by') },
          { label: t('version.download'), numeric: true, hidden: true }],
        rows: archives.map((each) => ({ cells: [
          h('span', null, t(`version.layout-${each.layout}`), h('div', { class: 'small muted' }, h('code', null, each.layout))), bytes(each.size),
          h('span', { class: 'row nowrap' }, h('code', null, each.sha256.slice(0, 8)), copyButton(each.sha256, { label: null, kind: 'quiet', small: true, name: t('version.copy-hash', { path: each.layout }) })),
          each.signatures.map((signature) => [h('code', null, signature.keyId.slice(0, 8)), ' ']),
          button(null, { icon: 'download', kind: 'quiet', small: true, href: each.url, name: t('version.download-name', { layout: t(`version.layout-${each.layout}`) }) }),
        ] })),
      });
    },
  });
  return element;
}

async function build(context, page, layout, element) {
  try {
    await api.send('PUT', path('apps', context.app, 'packages', page.id, 'versions', page.name, 'archives', layout), undefined);
    toast(t('version.built', { layout: t(`version.layout-${layout}`) }));
    element.reload();
  } catch (problem) {
    toast(problem.message, { kind: 'bad' });
  }
}

/**
 * Returns the panel with the patches to the version, from the versions that devices have or host builds ship.
 *
 * @param {any} context
 * @param {any} page
 */
export function patchesPanel(context, page) {
  return livePanel(context, {
    title: t('version.patches', { version: page.name }), rows: 4,
    changes: (event) => /^release|^preset/.test(event.action ?? ''),
    load: async () => {
      const [{ versions }, { presets }] = await Promise.all([
        context.get(['packages', page.id, 'versions'], { sort: '-published', limit: 200 }), context.get(['presets'], { package: page.id, limit: 20 }),
      ]);
      const shipped = new Map();
      for (const preset of presets) {
        const version = preset.packages[page.id];
        shipped.set(version, [...shipped.get(version) ?? [], preset.appVersion]);
      }
      const earlier = versions.map((each) => each.version).slice(versions.findIndex((each) => each.version === page.name) + 1);
      const bases = [...new Set([...earlier.slice(0, patchBases - Math.min(4, shipped.size)), ...shipped.keys()])]
        .filter((each) => each !== page.name && earlier.includes(each)).slice(0, patchBases);
      const patches = [];
      for (const from of bases) {
        const { download } = await context.get(['packages', page.id, 'versions', from, 'diff', page.name]);
        patches.push({ from, builds: shipped.get(from) ?? [], ...download });
      }
      return patches;
    },
    empty: { icon: 'layers', title: t('version.no-patches'), text: t('version.no-patches-text') },
    render: (patches) => table({
      caption: t('version.patches', { version: page.name }),
      columns: [{ label: t('version.from') }, { label: t('version.delta'), numeric: true }, { label: t('version.changed-files'), numeric: true }, { label: t('version.saving'), numeric: true }],
      rows: patches.map((each) => {
        const least = each.delta ?? each.files;
        return { cells: [
          h('span', { class: 'row' }, each.from, each.builds.map((build) => tag(t('version.build-tag', { build })))),
          each.delta === null ? '–' : bytes(each.delta), each.files === null ? '–' : bytes(each.files),
          least === null ? t('version.not-built') : bytes(Math.max(0, each.full - least)),
        ] };
      }),
    }),
    footer: [h('span', null, t('version.patches-footer'))],
  });
}
