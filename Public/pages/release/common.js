import { badge, emptyState, h } from '../../elements/index.js';
import { progress } from '../../elements/progress.js';
import { table } from '../../elements/table.js';
import { livePanel } from '../../elements/live.js';
import { number, percent, t } from '../../i18n/index.js';
import { eventName } from '../parts/events.js';
import { factValue } from './audience-text.js';
import { eventsOf } from './series.js';
import { metricName } from './signals.js';
import { baseEvents, chartStart } from './statistics.js';
import { trippedRules } from './verdict.js';

/** The most groups and errors that the panel of what devices have in common lists. */
const shownGroups = 8;

/**
 * Returns the groups of devices with the share that has a signal, the largest share first.
 *
 * @param {any[]} rows statistics by a dimension and event
 * @param {string} dimension such as `platform`
 * @param {string} metric
 * @returns {{name: string, affected: number, devices: number, percent: number}[]}
 */
export function sharesBy(rows, dimension, metric) {
  const groups = new Map();
  for (const row of rows) {
    const sums = groups.get(row[dimension]) ?? { affected: 0, devices: 0 };
    groups.set(row[dimension], sums);
    if (baseEvents.includes(row.event)) sums.devices = Math.max(sums.devices, row.devices);
    if (eventsOf[metric]?.includes(row.event)) sums.affected += row.devices;
  }
  return [...groups].filter(([name, sums]) => name && sums.devices > 0)
    .map(([name, sums]) => ({ name, ...sums, percent: Math.min(100, sums.affected / sums.devices * 100) }))
    .sort((one, other) => other.percent - one.percent || other.devices - one.devices);
}

/** Returns the panel of what the devices with a tripped signal have in common; `null` if no rule has tripped. */
export function commonPanel(context, release) {
  const rule = trippedRules(release.verdict).find((each) => each.metric !== 'loadTime');
  if (!rule) return null;
  const read = (groupBy) => context.get(['packages', release.package, 'stats'], {
    from: chartStart(release.activeTime), bucket: 'all', version: release.version, groupBy: `${groupBy},event`,
  });
  return livePanel(context, {
    title: t('release.common'), rows: 4,
    load: async () => {
      const [platforms, builds] = await Promise.all([read('platform'), read('appVersion')]);
      return {
        groups: [
          ...sharesBy(platforms.series, 'platform', rule.metric).map((each) => ({ ...each, name: factValue('platform', each.name), kind: t('release.fact.platform') })),
          ...sharesBy(builds.series, 'appVersion', rule.metric).map((each) => ({ ...each, kind: t('release.fact.appVersion') })),
        ].sort((one, other) => other.percent - one.percent).slice(0, shownGroups),
        reasons: platforms.reasons.filter((each) => each.reason && eventsOf.failures.includes(each.event) === (rule.metric === 'failures')).slice(0, shownGroups),
      };
    },
    render: ({ groups, reasons }, panel) => {
      panel.setFooter(h('a', { href: context.href('reports', { package: release.package, version: release.version }) }, t('release.reports-all')));
      if (!groups.length && !reasons.length) return emptyState({ icon: 'search', title: t('release.common-none'), text: t('release.common-none-text') });
      const highest = Math.max(...groups.map((each) => each.percent), 1);
      return [
        groups.length ? [h('p', { class: 'small muted' }, t('release.common-note', { metric: metricName(rule.metric) })), table({
          caption: t('release.common'), dense: true,
          columns: [{ label: t('release.common-group') }, { label: t('release.funnel-share') }, { label: t('release.common-share'), numeric: true }, { label: t('release.devices-column'), numeric: true }],
          rows: groups.map((each) => ({ cells: [
            h('span', null, h('span', { class: 'muted' }, each.kind), ' ', each.name),
            progress(each.percent / highest, { kind: 'bad', label: percent(each.percent) }), h('b', null, percent(each.percent)),
            t('release.of-devices', { affected: number(each.affected), n: each.devices }),
          ] })),
        })] : null,
        reasons.length ? [h('p', { class: 'small muted' }, t('release.common-errors')), table({
          caption: t('release.errors'), dense: true, cards: false,
          columns: [{ label: t('release.error') }, { label: t('release.devices-column'), numeric: true }],
          rows: reasons.map((each) => ({ cells: [h('span', null, badge(eventName(each.event)), ' ', h('code', null, each.reason)), number(each.devices)] })),
        })] : null,
      ];
    },
  });
}
