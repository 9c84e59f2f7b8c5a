import { api, path } from '../api/client.js';
import { chips } from '../elements/chips.js';
import { button, code, emptyState, h } from '../elements/index.js';
import { table } from '../elements/table.js';
import { relativeTime } from '../elements/time.js';
import { livePanel } from '../elements/live.js';
import { number, percent, t, tn } from '../i18n/index.js';
import { newPackage } from './packages/new-package.js';
import { hoursAgo, worstFailure } from './parts/failures.js';
import { listPosition, onlyLatest, searchField } from './parts/paged.js';
import { packageBadges } from './parts/package-badges.js';
import { minor } from './parts/release-basics.js';

const concernsPackages = ({ action }) => /^(package|version|release|release-set)\./.test(action);

/**
 * Opens the list of packages.
 *
 * @param {any} context
 */
export async function open(context) {
  const { app, channel, query } = context;
  const failures = loadFailures(context);
  const latest = onlyLatest();
  const position = listPosition(context, () => list.reload());
  const isFiltered = () => Boolean(query.get('text') || query.get('show'));
  const create = () => newPackage(context);
  const createReason = context.session.reason('publisher', { app });
  const sort = () => ({ key: 'name', descending: query.get('sort') === '-name' });

  const list = livePanel(context, {
    rows: 12, changes: concernsPackages,
    load: (signal) => api.read(path('apps', app, 'packages'), {
      signal: latest(signal),
      query: {
        ...position.query(), channel, text: query.get('text'), sort: query.get('sort') ?? 'name',
        flight: query.get('show') === 'flight' ? 1 : null, online: query.get('show') === 'online' ? 1 : null,
      },
    }),
    render: ({ value: { packages }, next }, panel) => {
      panel.setFooter(position.pager(next, packages.length));
      if (!packages.length) return emptyList(context, isFiltered(), { create, createReason });
      return table({
        caption: t('nav.packages'),
        columns: [
          { label: t('packages.package'), sort: 'name' }, { label: t('packages.everyone') }, { label: t('packages.flight'), full: true },
          { label: t('packages.failures') }, { label: t('packages.versions'), numeric: true }, { label: t('packages.published') },
        ],
        sort: sort(),
        onSort: ({ descending }) => position.restart({ sort: descending ? '-name' : null }),
        rows: packages.map((each) => packageRow(context, each, failures)),
      });
    },
  });
  return {
    title: t('nav.packages'),
    sub: tn('packages.sub', { channel: h('b', null, channel) }),
    actions: [
      button(t('nav.upload'), { icon: 'upload', keys: 'U', href: context.href('upload'), reason: context.session.reason('publisher', { app }) }),
      button(t('packages.new'), { icon: 'plus', kind: 'primary', onclick: create, reason: createReason }),
    ],
    content: [
      h('div', { class: 'filters' },
        searchField({ label: t('packages.search'), value: query.get('text'), onsearch: (text) => position.restart({ text: text || null }) }),
        chips([
          { label: t('packages.all'), value: '' },
          { label: t('packages.in-flight'), value: 'flight', icon: 'rocket' },
          { label: t('packages.online'), value: 'online', icon: 'globe' },
        ], { value: query.get('show') ?? '', label: t('packages.filter'), onchange: (value) => position.restart({ show: value || null }) })),
      list,
    ],
  };
}

function packageRow(context, each, failures) {
  const { onChannel } = each;
  return {
    key: each.id, href: context.href(`packages/${each.id}`),
    cells: [
      [each.name, minor(each.id)],
      onChannel.everyone ? h('b', null, onChannel.everyone.version) : h('span', { class: 'muted' }, t('packages.nothing')),
      packageBadges(each) ?? '–',
      failureCell(failures, each.id),
      number(onChannel.versions),
      onChannel.lastPublishedAt ? relativeTime(onChannel.lastPublishedAt) : '–',
    ],
  };
}

/** Reads the failures of all packages in the last 24 hours in one request; the list does not wait for it. */
async function loadFailures(context) {
  try {
    const { series } = await context.get(['stats'], { from: hoursAgo(23), bucket: 'all', groupBy: 'package,event' });
    return Map.groupBy(series, (row) => row.package);
  } catch {
    return new Map();
  }
}

function failureCell(failures, id) {
  const place = h('span', { class: 'muted' }, '…');
  failures.then((rows) => {
    const worst = worstFailure(rows.get(id) ?? []);
    place.replaceChildren(...(worst?.devices
      ? [h('b', null, percent(worst.percent)), ' ', t(`failure.${worst.event}`)] : [worst ? t('packages.no-failures') : '–']));
  });
  return place;
}

function emptyList(context, isFiltered, { create, createReason }) {
  if (isFiltered) {
    return emptyState({
      icon: 'search', title: t('packages.none-found'), text: t('packages.none-found-text'),
      actions: button(t('packages.show-all'), { onclick: () => context.go('packages') }),
    });
  }
  return emptyState({
    icon: 'box', title: t('packages.empty'), text: [h('p', null, t('packages.empty-text')), code(`larder package create ID --app ${context.app}`)],
    actions: button(t('packages.new'), { icon: 'plus', onclick: create, reason: createReason }),
  });
}
