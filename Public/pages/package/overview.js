import { chartsOf } from '../../charts/place.js';
import { segmented } from '../../elements/segmented.js';
import { h, notice } from '../../elements/index.js';
import { progress } from '../../elements/progress.js';
import { table } from '../../elements/table.js';
import { livePanel } from '../../elements/live.js';
import { laterPanel } from '../../elements/visible.js';
import { number, percent, t } from '../../i18n/index.js';
import { minor } from '../parts/release-basics.js';
import { sharedGet } from '../parts/shared.js';
import { lanesPanel } from './lanes.js';

/** Draws the chart, once there is a history. */
const draw = chartsOf(() => import('./shares-chart.js'));

/** The ranges of the chart in days. */
const ranges = ['14', '30', '90'];

/**
 * Returns the part of a package's page that says which versions devices run.
 *
 * @param {any} context
 * @param {any} each the package
 */
export function content(context, each) {
  return [sharePanel(context, each), lanesPanel(context, each), laterPanel(t('package.tab-versions'), async () => (await import('./version-table.js')).latestVersions(context, each))];
}

function sharePanel(context, each) {
  let days = ranges.includes(context.query.get('days') ?? '') ? context.query.get('days') : ranges[0];
  /** @type {any} */
  let shown = null;
  const panel = livePanel(context, {
    title: t('package.share'), note: t('package.share-note'), rows: 4,
    actions: [segmented(ranges.map((value) => ({ value, label: t('package.days', { n: Number(value) }) })), {
      value: days, label: t('package.range'),
      onchange: (value) => {
        days = value;
        context.setQuery({ days: value === ranges[0] ? null : value }, { reload: false });
        if (shown) panel.setBody(...shareNodes(shown, Number(days)));
      },
    })],
    changes: ({ action, subject }) => action.startsWith('release') && subject?.includes(each.id), every: 120_000,
    load: () => sharedGet(context, ['packages', each.id, 'adoption'], { channel: context.channel }),
    isEmpty: (adoption) => adoption.seen === 0,
    empty: { icon: 'phone', title: t('package.share-empty'), text: t('package.share-empty-text') },
    render: (adoption) => {
      shown = adoption;
      return shareNodes(adoption, Number(days));
    },
  });
  return panel;
}

function shareNodes(adoption, days) {
  const chart = historyChart(adoption, days);
  return [
    h('p', null, sentence(adoption)),
    chart,
    versionBars(adoption),
    adoption.truncated.devices ? notice('info', t('package.truncated')) : null,
  ].filter(Boolean);
}

/** Returns the sentence that answers which version devices run. */
function sentence(adoption) {
  const [first, second] = adoption.versions;
  if (!first) return t('package.share-none', { n: adoption.seen });
  const share = (one) => percent(one.devices / adoption.seen * 100);
  const values = { first: first.version, share: share(first), n: adoption.seen };
  return second ? t('package.share-two', { ...values, second: second.version, other: share(second) }) : t('package.share-one', values);
}

/** Returns the chart of the share of each version by day; `null` with less than two days. */
function historyChart(adoption, days) {
  const since = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const rows = adoption.history.filter((row) => row.day >= since);
  if (new Set(rows.map((row) => row.day)).size < 2) return null;
  return draw(({ sharesChart }) => sharesChart(rows, adoption.version, sentence(adoption)));
}

function versionBars(adoption) {
  const others = [['unpublished', 'package.unpublished'], ['noVersion', 'package.no-version'], ['unknownVersion', 'package.unknown-version']]
    .filter(([name]) => adoption[name] > 0).map(([name, key]) => ({ version: t(key), devices: adoption[name], isOther: true }));
  return table({
    caption: t('package.share'), dense: true, cards: false,
    columns: [
      { label: t('package.version') }, { label: t('package.share-column'), numeric: true }, { label: t('package.bar'), hidden: true },
      { label: t('package.devices'), numeric: true },
    ],
    rows: [...adoption.versions.slice(0, 8), ...others].map((row) => ({
      cells: [
        row.isOther ? h('span', { class: 'muted' }, row.version)
          : [h('b', null, row.version), row.version === adoption.version ? minor(t('package.newest-release')) : null],
        percent(row.devices / adoption.seen * 100), progress(row.devices / adoption.seen, { kind: row.version === adoption.version ? 'good' : 'plain' }),
        number(row.devices),
      ],
    })),
  });
}
