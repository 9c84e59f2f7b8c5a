import { loadFlight } from '../api/flight.js';
import { button, h } from '../elements/index.js';
import { livePanel } from '../elements/live.js';
import { laterPanel } from '../elements/visible.js';
import { sentences, t, tn } from '../i18n/index.js';
import { needsList, systemNeeds } from './overview/needs.js';
import { fetched } from './parts/fetched.js';
import { plannedTable, rollingTable } from './parts/flight-tables.js';
import { onDevicesSeen } from './parts/release-cells.js';
import { grouped, nextFirst, urgentFirst } from './parts/release-names.js';

/** The number of releases that a panel of the page shows. */
const shownReleases = 10;

const concernsReleases = ({ action }) => /^(release|release-set|approval|package)\./.test(action);

/**
 * Opens the overview of a channel.
 *
 * @param {any} context
 */
export async function open(context) {
  const { app, channel } = context;
  const sub = h('span', null, tn('overview.sub-loading', { channel: h('b', null, channel) }));
  const load = () => loadFlight(app, channel);
  const needs = needsPanel(context, load, sub);
  return {
    title: t('nav.overview'),
    sub,
    actions: [
      button(t('nav.upload'), { icon: 'upload', keys: 'U', href: context.href('upload'), reason: context.session.reason('publisher', { app }) }),
      button(t('releases.new'), {
        icon: 'plus', kind: 'primary', keys: 'R', href: context.href('new-release'), reason: context.session.reason('releaser', context.scope),
      }),
    ],
    content: [needs, rollingPanel(context, load), plannedPanel(context, load),
      laterPanel(t('overview.numbers'), async () => (await import('./overview/numbers.js')).numbersPanel(context)),
      laterPanel(t('overview.today'), async () => (await import('./overview/history.js')).historyPanel(context))],
  };
}

/** Returns the panel of what waits for a person; what concerns the server itself is added once the rest is there. */
function needsPanel(context, load, sub) {
  /** @type {any[] | null} */
  let system = null;
  let shown;
  /** @type {any} The function that makes the entry of a request for approval, once there is one. */
  let approvalItem;
  const needs = h('span');
  const seen = h('span');
  onDevicesSeen(context, (devices) => seen.replaceChildren(t('overview.seen', { n: devices })));
  const show = () => {
    const { element, count } = needsList(context, shown, { system: system ?? [], approvalItem, changed: () => panel.reload() });
    panel.setCount(count || null);
    needs.replaceChildren(...tn(count ? 'overview.sub' : 'overview.sub-none', { n: count, channel: h('b', null, context.channel) }));
    return element;
  };
  const addSystem = async () => {
    system = [];
    system = await systemNeeds(context);
    if (system.length && !context.signal.aborted) panel.setBody(show());
  };
  const panel = livePanel(context, {
    title: t('overview.needs'), rows: 3, changes: concernsReleases,
    load: async () => {
      const flight = await load();
      if (flight.approvals.length) ({ approvalItem } = await fetched(import('./overview/approval.js')));
      return flight;
    },
    render: (flight) => {
      shown = flight;
      sub.replaceChildren(...sentences(needs, seen));
      if (!system) addSystem();
      return show();
    },
  });
  return panel;
}

function rollingPanel(context, load) {
  return livePanel(context, {
    title: t('overview.rolling'), rows: 3, changes: concernsReleases, every: 60_000,
    actions: [h('a', { href: context.href('releases') }, t('overview.all-releases'))],
    load: async () => (await load()).releases.filter((release) => release.state !== 'scheduled'),
    empty: { icon: 'rocket', title: t('overview.rolling-empty'), text: t('overview.rolling-empty-text') },
    render: (releases, panel) => rollingTable(context, firstOf(context, panel, urgentFirst(releases))),
  });
}

/** Returns the first releases, with all of each set; if there are more, the panel has a link to the whole list. */
function firstOf(context, panel, releases, tab = '') {
  const groups = grouped(releases);
  const hasMore = groups.length > shownReleases;
  panel.setFooter(hasMore ? h('a', { href: context.href('releases', { tab }) }, t('overview.all-of', { n: groups.length })) : null);
  return groups.slice(0, shownReleases).flat();
}

function plannedPanel(context, load) {
  return livePanel(context, {
    title: t('overview.planned'), note: t('overview.planned-note'), rows: 2, changes: concernsReleases, every: 60_000,
    load: async () => (await load()).releases.filter((release) => release.state === 'scheduled'),
    empty: {
      icon: 'clock', title: t('overview.planned-empty'), text: t('overview.planned-empty-text'),
      actions: [button(t('releases.new'), { href: context.href('new-release'), reason: context.session.reason('releaser', context.scope) })],
    },
    render: (releases, panel) => plannedTable(context, firstOf(context, panel, nextFirst(releases), 'planned')),
  });
}
