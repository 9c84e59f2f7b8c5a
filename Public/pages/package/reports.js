import { segmented } from '../../elements/segmented.js';
import { button, emptyState, h } from '../../elements/index.js';
import { progress } from '../../elements/progress.js';
import { table } from '../../elements/table.js';
import { livePanel } from '../../elements/live.js';
import { number, percent, t } from '../../i18n/index.js';
import { byEvent, capital, hoursAgo, pageFailures, updateFailures } from '../parts/failures.js';
import { minor } from '../parts/release-basics.js';
import { sharedGet } from '../parts/shared.js';

/** The ranges in hours, by the text in the address. */
const ranges = { '24h': 23, '7d': 24 * 7, '30d': 24 * 30 };

/** The reasons that are shown. */
const shownReasons = 10;

/**
 * Returns the part of a package's page about what devices report.
 *
 * @param {any} context
 * @param {any} each the package
 */
export function content(context, each) {
  const { query } = context;
  const range = () => (Object.hasOwn(ranges, query.get('range') ?? '') ? query.get('range') : '7d');
  const load = () => sharedGet(context, ['packages', each.id, 'stats'],
    { from: hoursAgo(ranges[range()]), bucket: 'all', groupBy: 'version,event' });
  const panels = [
    livePanel(context, {
      title: t('package.report-failures'), note: t('package.report-failures-note'), rows: 5, every: 120_000, load,
      isEmpty: ({ series }) => series.length === 0,
      empty: { icon: 'chart', title: t('package.no-reports'), text: t('package.no-reports-text') },
      render: ({ series }) => failureTable(context, each, series),
    }),
    livePanel(context, {
      title: t('package.funnel'), note: t('package.funnel-note'), rows: 5, every: 120_000, load,
      render: ({ funnel }) => funnelTable(funnel),
    }),
    livePanel(context, {
      title: t('package.reasons'), rows: 4, every: 120_000, load,
      render: ({ reasons }) => (reasons.length ? reasonTable(reasons) : emptyState({ icon: 'check', kind: 'good', title: t('package.no-reasons') })),
    }),
  ];
  return [
    h('div', { class: 'filters' },
      segmented(Object.keys(ranges).map((value) => ({ value, label: t(`package.range-${value}`) })), {
        value: range(), label: t('package.range'),
        onchange: (value) => {
          context.setQuery({ range: value === '7d' ? null : value }, { reload: false });
          for (const panel of panels) panel.reload();
        },
      }),
      button(t('package.all-reports'), { kind: 'quiet', icon: 'arrow-right', href: context.href('reports', { package: each.id }) })),
    panels,
  ];
}

const newestFirst = (one, other) => other.localeCompare(one, 'en', { numeric: true });

function failureTable(context, each, series) {
  const versions = Map.groupBy(series, (row) => row.version);
  const kinds = [...pageFailures, ...updateFailures].filter((event) => series.some((row) => row.event === event));
  return table({
    caption: t('package.report-failures'),
    columns: [
      { label: t('package.version') }, { label: t('package.opened'), numeric: true },
      ...kinds.map((event) => ({ label: capital(t(`failure.${event}`)), numeric: true })), { label: t('package.load-time'), numeric: true },
    ],
    rows: [...versions].sort(([one], [other]) => newestFirst(one, other)).map(([version, rows]) => {
      const events = byEvent(rows);
      const opened = events.get('opened')?.devices ?? 0;
      const applied = events.get('applied')?.devices ?? 0;
      const durations = events.get('pageLoad')?.durations;
      return {
        key: version, href: context.href(`packages/${each.id}/versions/${version}`),
        cells: [
          version, number(opened),
          ...kinds.map((event) => {
            const devices = events.get(event)?.devices ?? 0;
            const all = pageFailures.includes(event) ? Math.max(opened, applied) : applied + devices;
            return all ? [percent(devices / all * 100), minor(number(devices))] : t('common.none');
          }),
          durations ? [t('package.milliseconds', { n: durations.p50 }), minor(t('package.p90', { n: durations.p90 }))] : t('common.none'),
        ],
      };
    }),
  });
}

const steps = ['offered', 'downloaded', 'applied', 'activated'];

function funnelTable(funnel) {
  const rows = Object.entries(funnel).sort(([one], [other]) => newestFirst(one, other));
  if (!rows.length) return emptyState({ icon: 'chart', title: t('package.no-reports'), text: t('package.no-reports-text') });
  return table({
    caption: t('package.funnel'),
    columns: [{ label: t('package.version') }, ...steps.map((step) => ({ label: t(`package.step-${step}`) }))],
    rows: rows.map(([version, counts]) => ({
      key: version,
      cells: [h('b', null, version), ...steps.map((step) => {
        const share = counts.offered.devices ? counts[step].devices / counts.offered.devices : 0;
        return h('div', { class: 'stack tight' }, h('span', null, number(counts[step].devices), ' ', h('span', { class: 'muted' }, percent(share * 100))), progress(share));
      })],
    })),
  });
}

function reasonTable(reasons) {
  return table({
    caption: t('package.reasons'),
    columns: [{ label: t('package.reason') }, { label: t('package.kind') }, { label: t('package.devices'), numeric: true }, { label: t('package.reports'), numeric: true }],
    rows: reasons.slice(0, shownReasons).map((row) => ({
      cells: [row.reason || h('span', { class: 'muted' }, t('package.no-reason')), capital(t(`failure.${row.event}`)), number(row.devices), number(row.reports)],
    })),
  });
}
