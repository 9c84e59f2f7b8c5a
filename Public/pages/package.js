import { api, path } from '../api/client.js';
import { badge, button, code, h, menu } from '../elements/index.js';
import { tabs } from '../elements/tabs.js';
import { t } from '../i18n/index.js';
import { packageBadges } from './parts/package-badges.js';

/** The parts of the page; each is loaded when it is opened. */
const parts = {
  overview: () => import('./package/overview.js'),
  versions: () => import('./package/versions.js'),
  releases: () => import('./package/releases.js'),
  reports: () => import('./package/reports.js'),
  waivers: () => import('./package/waivers.js'),
  settings: () => import('./package/settings.js'),
};

/**
 * Opens a package.
 *
 * @param {any} context
 */
export async function open(context) {
  const { app, params, query } = context;
  const where = path('apps', app, 'packages', params.package);
  const { value: each, tag } = await api.read(where, { signal: context.signal });
  const current = Object.hasOwn(parts, query.get('tab') ?? '') ? query.get('tab') : 'overview';
  const part = await parts[current]();
  const href = (tab) => context.href(`packages/${each.id}`, { tab: tab === 'overview' ? null : tab });
  const state = h('span', { class: 'row tight' }, offBadge(each));
  showState(context, each, state);
  context.onEvent((event) => {
    // The settings keep what was entered: saving shows what somebody else has changed meanwhile.
    if (current === 'settings') return;
    if (event.isGap || (event.subject === each.id && event.action === 'package.put')) context.reload();
  });
  const release = context.href('new-release', { package: each.id });
  const releaseReason = context.session.reason('releaser', context.scope);
  context.keys({ r: () => { if (!releaseReason) location.hash = release; } });
  return {
    title: each.name,
    badge: state,
    sub: h('span', { class: 'row' }, code(each.id), h('span', { class: 'muted' }, t('package.pages-under')), code(each.urlPrefix),
      each.entry ? [h('span', { class: 'muted' }, t('package.entry')), code(each.entry)] : null),
    crumbs: [{ label: t('nav.packages'), href: context.href('packages') }],
    actions: [
      menu(t('package.emergency'), async () => (await import('./package/emergency.js')).emergencyItems(context, each, tag)),
      button(t('package.upload'), {
        icon: 'upload', href: context.href('upload', { package: each.id }), reason: context.session.reason('publisher', { app }),
      }),
      button(t('releases.new'), { kind: 'primary', keys: 'R', href: release, reason: releaseReason }),
    ],
    content: [
      tabs(Object.keys(parts).map((name) => ({ label: t(`package.tab-${name}`), href: href(name), current: name === current })), { label: each.name }),
      part.content(context, each, tag),
    ],
  };
}

function offBadge(each) {
  return each.enable ? null : badge(t('packages.off'), '', 'cross');
}

/** Shows beside the name what of the package is in flight on the channel. */
async function showState(context, each, place) {
  try {
    const { packages } = await context.get(['packages'], { channel: context.channel, text: each.id });
    const found = packages.find((one) => one.id === each.id);
    if (found) place.replaceChildren(packageBadges(found) ?? '');
  } catch {
    // The panels of the page show why the server cannot be read.
  }
}
