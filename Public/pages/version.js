import { api, path } from '../api/client.js';
import { facts } from '../elements/facts.js';
import { copyButton } from '../elements/copy.js';
import { badge, button, code, emptyState, h, later, menu, notice, panel } from '../elements/index.js';
import { stateBadge } from '../elements/state-badge.js';
import { tabs } from '../elements/tabs.js';
import { timeTag } from '../elements/time.js';
import { livePanel } from '../elements/live.js';
import { list, number, percent, sentences, t, tn } from '../i18n/index.js';
import { actorName } from './parts/actor.js';
import { changesPart } from './version/changes.js';
import { lintPanels } from './version/lint.js';

/** Opens the page of a version: what changed, and what it costs. */
export async function open(context) {
  const { package: id, version: name } = context.params;
  const where = path('apps', context.app, 'packages', id, 'versions', name);
  const { value: version, tag } = await api.read(where, { signal: context.signal });
  const page = { id, name, where, version, tag };
  const tab = context.query.get('tab') ?? 'changes';
  context.onEvent((event) => {
    const isOwn = /^version\.(notes|retire|unretire)$/.test(event.action ?? '') && event.subject === `${id}@${name}`;
    if (isOwn && !document.querySelector('dialog[open]')) context.reload();
  });
  const sentence = h('span');
  const badges = h('span', { class: 'row' }, version.retired ? badge(t('version.retired'), 'warn', 'lock') : null);
  const rail = h('div', { class: 'stack' }, factsPanel(page), notesPanel(context, page), releasesPanel(context, page, badges));
  return {
    title: `${id} ${name}`, crumbTitle: name, badge: badges,
    crumbs: [{ label: t('nav.packages'), href: context.href('packages') }, { label: id, href: context.href(`packages/${id}`) }],
    sub: h('span', null, sentences(published(context, page), sentence)),
    actions: actions(context, page),
    content: [
      tabs(['changes', 'files', 'lint', 'archives'].map((each) => ({
        label: t(`version.tab-${each}`), current: each === tab, count: tabCount(each, version),
        href: context.href(`packages/${id}/versions/${name}`, each === 'changes' ? {} : { tab: each }),
      })).concat([{ label: t('nav.reports'), current: false, count: undefined, href: context.href('reports', { package: id, version: name }) }]), { label: `${id} ${name}` }),
      version.retired ? retiredNote(version) : null,
      h('div', { class: 'columns' }, h('div', { class: 'stack' }, await part(context, page, tab, sentence)), rail),
    ],
  };
}

/** Returns the panels of a tab; those of other tabs than the first are loaded when they are opened. */
async function part(context, page, tab, sentence) {
  if (tab === 'files') return (await import('./version/files.js')).filesPanel(context, page);
  if (tab === 'lint') return lintPanels(context, page);
  if (tab === 'archives') {
    const { archivesPanel, patchesPanel } = await import('./version/archives.js');
    return [archivesPanel(context, page), patchesPanel(context, page)];
  }
  return [changesPart(context, page, sentence), await lintPanels(context, page)];
}

function tabCount(tab, version) {
  if (tab === 'files') return number(version.files.length);
  return tab === 'lint' && version.warnings?.length ? number(version.warnings.length) : undefined;
}

/** Returns when, by whom and from what the version was published; the publisher is known once the history is read. */
function published(context, { id, name, version }) {
  const by = h('span');
  context.get(['history'], { package: id, action: 'version.publish', limit: 200 }).then(({ entries }) => {
    const entry = entries.find((each) => each.subject === `${id}@${name}`);
    if (entry) by.textContent = t('version.by', { actor: actorName(entry.actor) });
  }, () => {});
  const values = { time: h('span', null, timeTag(version.createdAt), by), author: version.author, commit: version.commit ? code(version.commit) : '' };
  if (version.author && version.commit) return tn('version.published-both', values);
  if (version.author) return tn('version.published-author', values);
  return tn(version.commit ? 'version.published-commit' : 'version.published', values);
}

function retiredNote({ retired }) {
  return notice('warn', h('p', null, tn('version.retired-note', { by: retired.by, time: timeTag(retired.at), reason: h('b', null, retired.reason ?? '') })));
}

/** Returns the handler that runs an action of `actions.js`. */
function act(name, context, page) {
  return later(() => import('./version/actions.js'), (actions) => actions[name](context, page));
}

function actions(context, page) {
  const { id, name, version } = page;
  const mayRelease = context.session.reason('releaser', { app: context.app });
  return [
    menu(null, [
      { label: t('version.edit-notes'), icon: 'edit', onclick: act('editNotes', context, page), reason: context.session.reason('publisher', { app: context.app }) },
      version.retired ? { label: t('version.unretire'), icon: 'undo', onclick: act('unretire', context, page), reason: mayRelease }
        : { label: t('version.retire'), icon: 'lock', danger: true, onclick: act('retire', context, page), reason: mayRelease },
    ], { name: t('version.more') }),
    button(t('version.download'), { icon: 'download', onclick: act('downloadArchive', context, page) }),
    button(t('version.release'), {
      kind: 'primary', href: context.href('new-release', { package: id, version: name }), keys: undefined,
      reason: version.retired ? t('version.retired-reason') : context.session.reason('releaser', context.scope),
    }),
  ];
}

function factsPanel({ version }) {
  return panel({ title: t('version.facts'), body: [facts([
    [t('version.host-app'), hostRange(version)],
    version.needs ? [t('version.needs'), Object.entries(version.needs).map(([id, range]) => [code(`${id} ${range}`), ' '])] : null,
    version.apis?.length ? [t('version.apis'), list(version.apis)] : null,
    [t('version.entry'), version.entry ? code(version.entry) : t('version.no-entry')],
    [t('version.url-prefix'), code(version.urlPrefix)],
    [t('version.tree'), h('span', { class: 'row' }, code(`${version.tree.slice(0, 8)}…`), copyButton(version.tree, { label: null, kind: 'quiet', small: true, name: t('version.copy-tree') }))],
  ])] });
}

function hostRange({ minAppVersion: low, maxAppVersion: high }) {
  if (low && high) return t('version.host-between', { low, high });
  if (low) return t('version.host-from', { low });
  return high ? t('version.host-to', { high }) : t('version.host-all');
}

function notesPanel(context, page) {
  const { notes } = page.version;
  return panel({
    title: t('version.notes'),
    actions: [button(t('version.edit'), {
      icon: 'edit', kind: 'quiet', small: true, onclick: act('editNotes', context, page), reason: context.session.reason('publisher', { app: context.app }),
    })],
    body: notes ? notes.split(/\n{2,}/).map((text) => h('p', { class: 'lines' }, text)) : [h('p', { class: 'muted' }, t('version.no-notes'))],
  });
}

function releasesPanel(context, page, badges) {
  const isReleaseEvent = (event) => /^release/.test(event.action ?? '');
  return livePanel(context, {
    title: t('version.releases'), rows: 2, changes: isReleaseEvent,
    load: () => context.get(['packages', page.id, 'releases'], { version: page.name, limit: 20 }),
    render: ({ releases }) => {
      const own = releases.find((each) => each.channel === context.channel && ['active', 'paused', 'halted', 'scheduled'].includes(each.state));
      badges.replaceChildren(...[page.version.retired ? badge(t('version.retired'), 'warn', 'lock') : null,
        own ? stateBadge(own, t('version.release-badge', { percent: percent(own.percent), id: own.id })) : null].filter(Boolean));
      if (!releases.length) return emptyState({ icon: 'rocket', title: t('version.no-releases'), text: t('version.no-releases-text') });
      return h('ul', { class: 'list dense' }, releases.map((each) => h('li', null,
        h('a', { class: 'grow', href: releaseHref(context, each) }, t('version.release-line', { id: each.id, channel: each.channel })),
        h('span', { class: 'muted' }, percent(each.percent)), stateBadge(each))));
    },
  });
}

function releaseHref(context, release) {
  const page = release.releaseSet ? `sets/${release.releaseSet}` : `releases/${release.package}/${release.id}`;
  return context.href(page).replace(`/${encodeURIComponent(context.channel)}/`, `/${encodeURIComponent(release.channel)}/`);
}
