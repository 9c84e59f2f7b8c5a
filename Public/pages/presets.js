import { api, path } from '../api/client.js';
import { segmented } from '../elements/segmented.js';
import { field } from '../elements/fields.js';
import { textArea, textInput } from '../elements/inputs.js';
import { button, code, dialog, h, menu, tag, toast } from '../elements/index.js';
import { tabs } from '../elements/tabs.js';
import { timeTag } from '../elements/time.js';
import { list as listText, number, t } from '../i18n/index.js';
import { pagedPanel, removalDialog } from './settings/parts.js';

/** Opens the presets: what each build of the host app ships. */
export async function open(context) {
  const tab = context.query.get('tab') === 'builds' ? 'builds' : 'presets';
  const content = tab === 'builds' ? buildsTab(context) : presetsTab(context);
  return {
    title: t('presets.title'), sub: t('presets.sub'), actions: content.actions,
    content: [
      tabs([
        { label: t('presets.title'), href: context.href('presets'), current: tab === 'presets' },
        { label: t('presets.builds'), href: context.href('presets', { tab: 'builds' }), current: tab === 'builds' },
      ], { label: t('presets.title') }), content.panel,
    ],
  };
}

function presetsTab(context) {
  const reason = context.session.reason('releaser', { app: context.app });
  const create = () => newPreset(context);
  const element = pagedPanel(context, {
    title: t('presets.presets'), note: t('presets.presets-note'), where: path('apps', context.app, 'presets'), list: 'presets', caption: t('presets.presets'),
    changes: (event) => event.action?.startsWith('preset.'),
    empty: {
      icon: 'briefcase', title: t('presets.none'), text: t('presets.none-text'),
      actions: [button(t('presets.new'), { onclick: create, reason }), code('larder preset make --for 8.4.0')],
    },
    columns: [{ label: t('presets.build') }, { label: t('presets.packages'), numeric: true }, { label: t('presets.ships'), full: true }, { label: t('presets.recorded') }],
    row: (preset) => ({
      href: context.href(`presets/${preset.appVersion}`),
      cells: [preset.appVersion, number(Object.keys(preset.packages).length), h('span', { class: 'row' }, shipped(preset)), timeTag(preset.createdAt)],
    }),
  });
  return { panel: element, actions: [button(t('presets.new'), { icon: 'plus', kind: 'primary', onclick: create, reason })] };
}

/** Returns the first versions of a preset as tags. */
function shipped(preset) {
  const entries = Object.entries(preset.packages);
  return [...entries.slice(0, 4).map(([id, version]) => tag(`${id} ${version}`)), entries.length > 4 ? h('span', { class: 'small muted' }, t('presets.more', { n: entries.length - 4 })) : null];
}

/** Asks for a build and its versions, shows what would be recorded, and records it. */
async function newPreset(context) {
  const where = path('apps', context.app, 'presets');
  const { builds } = await context.get(['builds'], { limit: 500 }).catch(() => ({ builds: [] }));
  const names = h('datalist', { id: 'preset-builds' }, builds.map((each) => h('option', { value: each.appVersion })));
  const build = field(t('presets.build'), textInput({ name: 'appVersion', list: 'preset-builds', maxlength: 64, autofocus: true, placeholder: '8.4.0' }), { required: true, hint: t('presets.build-hint') });
  const versions = field(t('presets.versions'), textArea({ name: 'packages', rows: 8, class: 'mono', placeholder: 'news 1.1.0' }), { hint: t('presets.versions-hint') });
  const preview = h('div', { class: 'stack', 'aria-live': 'polite' });
  const source = segmented([{ label: t('presets.from-channel', { channel: context.channel }), value: 'channel' }, { label: t('presets.from-list'), value: 'list' }], {
    value: 'channel', onchange: (value) => versions.toggleAttribute('hidden', value !== 'list'),
  });
  versions.setAttribute('hidden', '');
  const body = () => ({
    appVersion: build.control.value.trim(),
    ...source.value === 'list' ? { packages: parseVersions(versions.control.value) } : { channel: context.channel },
  });
  const made = await dialog({
    title: t('presets.new-title'), confirm: t('presets.record'),
    body: [names, build, field(t('presets.source'), source), versions, h('div', null, button(t('presets.preview'), { small: true, onclick: async () => {
      try {
        const { value } = await api.send('POST', where, body(), { dryRun: true });
        preview.replaceChildren(h('p', null, t('presets.preview-text', { n: Object.keys(value.packages).length })),
          h('p', { class: 'small muted' }, listText(Object.entries(value.packages).map(([id, version]) => `${id} ${version}`))));
      } catch (problem) {
        preview.replaceChildren(h('p', { class: 'bad-text' }, problem.message));
      }
    } })), preview],
    act: async () => (await api.send('POST', where, body())).value,
  });
  if (!made) return;
  toast(t('presets.made', { build: made.appVersion }), {
    action: { label: t('presets.undo'), run: async () => { await api.send('DELETE', `${where}/${path(made.appVersion)}`); context.go('presets'); } },
  });
  context.go(`presets/${made.appVersion}`);
}

/**
 * Returns the versions of a text with a package and its version on each line.
 *
 * @param {string} text such as `news 1.1.0` or `news@1.1.0`
 * @returns {Object<string, string>}
 */
function parseVersions(text) {
  return Object.fromEntries(text.split('\n').map((line) => line.trim()).filter(Boolean).map((line) => {
    const [, id, version = ''] = /^(\S+?)[\s@:=]+(\S+)$/.exec(line) ?? [line, line];
    return [id, version];
  }));
}

function buildsTab(context) {
  const { app, session } = context;
  const where = (name) => path('apps', app, 'builds', name);
  const mayChange = session.reason('releaser', { app });
  const mayAdd = session.reason('publisher', { app });
  const put = async (name, apis, options) => {
    const { value } = await api.send('PUT', where(name), { apis }, options);
    element.reload();
    return value;
  };

  const element = pagedPanel(context, {
    title: t('presets.builds'), note: t('presets.builds-note'), where: path('apps', app, 'builds'), list: 'builds', caption: t('presets.builds'),
    changes: (event) => event.action?.startsWith('build.'),
    empty: { icon: 'phone', title: t('presets.no-builds'), text: t('presets.no-builds-text'), actions: [button(t('presets.new-build'), { onclick: () => edit(null), reason: mayAdd })] },
    columns: [{ label: t('presets.build') }, { label: t('presets.apis'), full: true }, { label: t('presets.changed') }, { label: t('presets.actions'), numeric: true, hidden: true }],
    row: (build) => ({ cells: [
      h('b', null, build.appVersion), h('span', { class: 'row' }, build.apis.length ? build.apis.map((each) => tag(each)) : h('span', { class: 'muted' }, t('presets.no-apis'))), timeTag(build.changedAt),
      menu(null, [
        { label: t('presets.edit-build'), icon: 'edit', onclick: () => edit(build), reason: mayChange },
        { label: t('presets.delete'), icon: 'trash', danger: true, onclick: () => remove(build), reason: mayChange },
      ], { name: t('presets.actions-of', { name: build.appVersion }), small: true, kind: 'quiet' }),
    ] }),
  });

  async function edit(build) {
    const name = field(t('presets.build'), textInput({ name: 'appVersion', maxlength: 64, autofocus: true, placeholder: '8.4.0' }), { required: true, hint: t('presets.build-hint') });
    const apis = field(t('presets.apis'), textArea({ name: 'apis', rows: 5, class: 'mono', value: build?.apis.join('\n') ?? '', autofocus: Boolean(build) }), { hint: t('presets.apis-hint') });
    const tagNow = build ? (await api.read(where(build.appVersion))).tag : undefined;
    const done = await dialog({
      title: build ? t('presets.edit-build-title', { build: build.appVersion }) : t('presets.new-build-title'), confirm: build ? t('presets.save') : t('presets.register'),
      body: [build ? h('p', null, t('presets.edit-build-text')) : name, apis],
      act: () => put(build?.appVersion ?? name.control.value.trim(), apis.control.value.split(/[\s,]+/).filter(Boolean), { tag: tagNow }),
    });
    if (!done) return;
    const undo = build ? () => put(build.appVersion, build.apis) : async () => { await api.send('DELETE', where(done.appVersion)); element.reload(); };
    toast(t('presets.build-saved', { build: done.appVersion }), { action: { label: t('presets.undo'), run: undo } });
  }

  async function remove(build) {
    const removed = await removalDialog({
      title: t('presets.delete-build-title', { build: build.appVersion }), text: t('presets.delete-build-text'), name: build.appVersion, confirm: t('presets.delete-do'), where: where(build.appVersion),
    });
    if (!removed) return;
    element.reload();
    toast(t('presets.deleted', { name: build.appVersion }), { action: { label: t('presets.undo'), run: () => put(build.appVersion, build.apis) } });
  }

  return { panel: element, actions: [button(t('presets.new-build'), { icon: 'plus', kind: 'primary', onclick: () => edit(null), reason: mayAdd })] };
}
