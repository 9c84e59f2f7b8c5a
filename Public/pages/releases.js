import { api, path } from '../api/client.js';
import { loadFlight } from '../api/flight.js';
import { button, emptyState, h } from '../elements/index.js';
import { stateBadge } from '../elements/state-badge.js';
import { table } from '../elements/table.js';
import { tabs } from '../elements/tabs.js';
import { timeTag } from '../elements/time.js';
import { livePanel } from '../elements/live.js';
import { percent, t, tn } from '../i18n/index.js';
import { plannedTable, rollingTable } from './parts/flight-tables.js';
import { listPosition, onlyLatest, searchField } from './parts/paged.js';
import { minor } from './parts/release-basics.js';
import { releaseFilters, releaseTable } from './parts/release-table.js';

const concernsReleases = ({ action }) => /^(release|release-set|approval)\./.test(action);

/** The parts of the page, by the text in the address. */
const parts = { flight: flightPart, planned: plannedPart, all: allPart, sets: setsPart };

/**
 * Opens the releases of a channel and of the app.
 *
 * @param {any} context
 */
export async function open(context) {
  const { channel, query } = context;
  const tab = query.get('tab') ?? '';
  const current = Object.hasOwn(parts, tab) ? tab : 'flight';
  const isOfChannel = current === 'flight' || current === 'planned';
  return {
    title: t('nav.releases'),
    sub: isOfChannel ? tn('releases.sub', { channel: h('b', null, channel) }) : t('releases.sub-all'),
    actions: [
      button(t('releases.approvals'), { icon: 'shield', href: context.href('approvals') }),
      button(t('releases.new'), {
        icon: 'plus', kind: 'primary', keys: 'R', href: context.href('new-release'), reason: context.session.reason('releaser', context.scope),
      }),
    ],
    content: [
      tabs(Object.keys(parts).map((name) => ({
        label: t(`releases.tab-${name}`), href: context.href('releases', { tab: name === 'flight' ? null : name }), current: name === current,
      })), { label: t('nav.releases') }),
      parts[current](context),
    ],
  };
}

function newRelease(context) {
  return button(t('releases.new'), { href: context.href('new-release'), reason: context.session.reason('releaser', context.scope) });
}

function flightPart(context) {
  return livePanel(context, {
    rows: 5, changes: concernsReleases, every: 60_000,
    load: async () => (await loadFlight(context.app, context.channel)).releases.filter((release) => release.state !== 'scheduled'),
    empty: { icon: 'rocket', title: t('overview.rolling-empty'), text: t('overview.rolling-empty-text'), actions: [newRelease(context)] },
    render: (releases) => rollingTable(context, releases),
  });
}

function plannedPart(context) {
  return livePanel(context, {
    rows: 4, changes: concernsReleases, every: 60_000,
    load: async () => (await loadFlight(context.app, context.channel)).releases.filter((release) => release.state === 'scheduled'),
    empty: { icon: 'clock', title: t('overview.planned-empty'), text: t('overview.planned-empty-text'), actions: [newRelease(context)] },
    render: (releases) => plannedTable(context, releases),
  });
}

function nothingFound(context, tab) {
  return emptyState({
    icon: 'search', title: t('releases.none-found'), text: t('releases.none-found-text'),
    actions: [h('a', { class: 'button', href: context.href('releases', { tab }) }, t('packages.show-all'))],
  });
}

function allPart(context) {
  const { app, query } = context;
  const position = listPosition(context, () => panel.reload());
  const latest = onlyLatest();
  const panel = livePanel(context, {
    rows: 10, changes: concernsReleases,
    load: (signal) => api.read(path('apps', app, 'releases'), {
      signal: latest(signal),
      query: { ...position.query(), channel: query.get('channel'), state: query.get('state'), text: query.get('text'), package: query.get('package') },
    }),
    render: ({ value: { releases }, next }, element) => {
      element.setFooter(position.pager(next, releases.length));
      if (releases.length) return releaseTable(context, releases);
      if (['channel', 'state', 'text', 'package'].some((name) => query.get(name))) return nothingFound(context, 'all');
      return emptyState({ icon: 'rocket', title: t('package.no-releases'), text: t('package.no-releases-text'), actions: [newRelease(context)] });
    },
  });
  return [
    h('div', { class: 'filters' },
      searchField({ label: t('releases.search'), value: query.get('text'), onsearch: (text) => position.restart({ text: text || null }) }),
      releaseFilters(context, position)),
    panel,
  ];
}

function setsPart(context) {
  const { app, query } = context;
  const position = listPosition(context, () => panel.reload());
  const latest = onlyLatest();
  const panel = livePanel(context, {
    rows: 4, changes: ({ action }) => action.startsWith('release-set.'),
    load: (signal) => api.read(path('apps', app, 'release-sets'), {
      signal: latest(signal), query: { ...position.query(), channel: query.get('channel'), state: query.get('state') },
    }),
    render: ({ value: { releaseSets }, next }, element) => {
      element.setFooter(position.pager(next, releaseSets.length));
      if (releaseSets.length) return setTable(context, releaseSets);
      if (query.get('channel') || query.get('state')) return nothingFound(context, 'sets');
      return emptyState({ icon: 'layers', title: t('releases.no-sets'), text: t('releases.no-sets-text'), actions: [newRelease(context)] });
    },
  });
  return [h('div', { class: 'filters' }, releaseFilters(context, position)), panel];
}

function setTable(context, sets) {
  return table({
    caption: t('releases.tab-sets'),
    columns: [
      { label: t('releases.set') }, { label: t('releases.versions'), full: true }, { label: t('releases.channel') }, { label: t('releases.state') },
      { label: t('releases.audience') }, { label: t('releases.takes-effect') },
    ],
    rows: sets.map((set) => ({
      key: `set-${set.id}`, href: context.href(`sets/${set.id}`),
      cells: [
        t('releases.set-name', { n: set.id }), set.releases.map((release) => `${release.package} ${release.version}`).join(', '),
        set.channel, stateBadge(set), [percent(set.percent), set.mandatory ? minor(t('releases.mandatory')) : null], timeTag(set.activeTime),
      ],
    })),
  });
}
