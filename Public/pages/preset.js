import { api, path } from '../api/client.js';
import { facts, tiles } from '../elements/facts.js';
import { badge, h, menu, panel, tag, toast } from '../elements/index.js';
import { table } from '../elements/table.js';
import { timeTag } from '../elements/time.js';
import { livePanel } from '../elements/live.js';
import { number, sentences, t, tn } from '../i18n/index.js';
import { bytes } from '../i18n/sizes.js';
import { removalDialog } from './settings/parts.js';

/** The number of patches that are looked up, and how many at the same time. */
const shownPatches = 60;
const concurrent = 4;

const formats = ['complete', 'seed', 'resources'];

/** Opens the page of a preset: the versions that a build ships, and what its devices download next. */
export async function open(context) {
  const { build } = context.params;
  const where = path('apps', context.app, 'presets', build);
  const [preset, native] = await Promise.all([
    context.get(['presets', build]),
    context.get(['builds', build]).catch((problem) => { if (problem.status === 404) return null; throw problem; }),
  ]);
  const sentence = h('span');
  const sizes = h('div');
  return {
    title: t('presets.preset-title', { build }), crumbTitle: build, crumbs: [{ label: t('presets.title'), href: context.href('presets') }],
    sub: h('span', null, sentences(tn('presets.recorded-on', { time: timeTag(preset.createdAt) }), sentence)),
    actions: [
      menu(null, [{ label: t('presets.delete'), icon: 'trash', danger: true, onclick: () => remove(context, preset, where), reason: context.session.reason('releaser', { app: context.app }) }], { name: t('presets.more-actions') }),
      menu(t('presets.download'), formats.map((format) => ({ label: t(`presets.format-${format}`), href: `../api/v1/${where}/archive?format=${format}&channel=${encodeURIComponent(context.channel)}` })), { icon: 'download' }),
    ],
    content: [sizes, h('div', { class: 'columns' }, h('div', null, packagesPanel(context, preset, sentence, sizes)), h('div', null, factsPanel(preset, native)))],
  };
}

function factsPanel(preset, native) {
  return panel({ title: t('presets.facts'), body: [facts([
    [t('presets.build'), preset.appVersion], [t('presets.packages'), number(Object.keys(preset.packages).length)],
    [t('presets.apis'), native ? h('span', { class: 'row' }, native.apis.map((each) => tag(each))) : t('presets.not-registered')],
  ])], footer: [h('span', null, t('presets.kept'))] });
}

/** Reads what a device of the build gets, and the downloads from the shipped versions to it. */
async function readUpdates(context, preset) {
  const have = Object.entries(preset.packages).map(([id, version]) => `${id}@${version}`).slice(0, 400).join(',');
  const { packages } = await context.get(['explain'], { channel: context.channel, appVersion: preset.appVersion, ...have.length < 4000 ? { have } : {} });
  const current = new Map(packages.map((each) => [each.package, each.current?.version ?? null]));
  const rows = Object.entries(preset.packages).map(([id, ships]) => ({ id, ships, gets: current.get(id) ?? null, download: null }));
  const waiting = rows.filter((row) => row.gets && row.gets !== row.ships).slice(0, shownPatches);
  const worker = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      row.download = await context.get(['packages', row.id, 'versions', row.ships, 'diff', row.gets]).then(({ download }) => download, () => null);
    }
  };
  await Promise.all(Array.from({ length: concurrent }, worker));
  const added = packages.filter((each) => each.current && !Object.hasOwn(preset.packages, each.package)).length;
  return { rows, added };
}

function packagesPanel(context, preset, sentence, sizes) {
  return livePanel(context, {
    title: t('presets.packages'), note: t('presets.packages-note', { channel: context.channel }), rows: 6,
    changes: (event) => /^(release|release-set|package)\./.test(event.action ?? ''),
    load: () => readUpdates(context, preset),
    render: ({ rows, added }) => {
      const behind = rows.filter((row) => row.gets && row.gets !== row.ships);
      const least = behind.reduce((sum, row) => sum + (smallest(row) ?? 0), 0);
      const full = behind.reduce((sum, row) => sum + (row.download?.full ?? 0), 0);
      sentence.textContent = behind.length ? t('presets.sentence', { n: behind.length, size: bytes(least) }) : t('presets.sentence-current');
      sizes.replaceChildren(tiles([
        { label: t('presets.tile-behind'), value: number(behind.length), note: t('presets.tile-of', { n: rows.length }) },
        { label: t('presets.tile-patches'), value: bytes(least), note: t('presets.tile-patches-note') },
        { label: t('presets.tile-full'), value: bytes(full), note: t('presets.tile-full-note') },
        { label: t('presets.tile-added'), value: number(added), note: t('presets.tile-added-note') },
      ]));
      return table({
        caption: t('presets.packages'),
        columns: [{ label: t('presets.package') }, { label: t('presets.ships-version'), numeric: true }, { label: t('presets.gets'), numeric: true }, { label: t('presets.patch'), numeric: true }, { label: t('presets.full'), numeric: true }],
        rows: [...behind, ...rows.filter((row) => !behind.includes(row))].map((row) => ({
          href: context.href(`packages/${row.id}`), cells: [row.id, row.ships, gets(row), patch(row), row.download ? bytes(row.download.full) : '–'],
        })),
      });
    },
  });
}

function smallest({ download }) {
  return download ? download.delta ?? download.files ?? download.full : null;
}

function gets(row) {
  if (!row.gets) return h('span', { class: 'muted' }, t('presets.gets-nothing'));
  return row.gets === row.ships ? badge(t('presets.same'), 'good', 'check') : row.gets;
}

function patch(row) {
  if (!row.download) return '–';
  const size = row.download.delta ?? row.download.files;
  return size === null ? h('span', { class: 'muted' }, t('presets.no-patch')) : bytes(size);
}

async function remove(context, preset, where) {
  const removed = await removalDialog({
    title: t('presets.delete-title', { build: preset.appVersion }), text: t('presets.delete-text'), name: preset.appVersion, confirm: t('presets.delete-do'), where,
  });
  if (!removed) return;
  const { appVersion, packages } = preset;
  toast(t('presets.deleted', { name: appVersion }), { action: { label: t('presets.undo'), run: async () => {
    await api.send('POST', path('apps', context.app, 'presets'), { appVersion, packages });
    context.go(`presets/${appVersion}`);
  } } });
  context.go('presets');
}
