import { chartSpace } from '../../charts/place.js';
import { emptyState, h } from '../../elements/index.js';
import { livePanel } from '../../elements/live.js';
import { t } from '../../i18n/index.js';
import { draw } from './charts.js';
import { refreshTime } from './devices.js';
import { metricName } from './signals.js';
import { baseEvents } from './statistics.js';
import { trippedRules } from './verdict.js';

/** Returns the signal that the chart of a release shows: of a rule that has tripped, or of the one nearest to it. */
function shownMetric(release) {
  const [tripped] = trippedRules(release.verdict);
  if (tripped && tripped.metric !== 'loadTime') return tripped.metric;
  const rules = (release.verdict?.rules ?? release.health?.rules ?? []).filter((rule) => rule.metric !== 'loadTime');
  const [worst] = rules.sort((one, other) => (other.evidence ?? 0) / (other.bound || 1) - (one.evidence ?? 0) / (one.bound || 1));
  return worst?.metric ?? 'whiteScreens';
}

/** Returns the panel of the failures of devices with and without a release. */
export function failuresPanel(context, store, rows) {
  const metric = shownMetric(store.value);
  return livePanel(context, {
    title: t('release.failures-title', { metric: metricName(metric) }), rows: 6, every: refreshTime,
    actions: [h('a', { href: context.href('reports', { package: store.value.package, version: store.value.version }) }, t('release.reports'))],
    load: rows,
    render: (series) => {
      const release = store.value;
      const hasReports = series.some((row) => row.version === release.version && row.devices > 0 && baseEvents.includes(row.event));
      if (!hasReports) return chartSpace(emptyState({ icon: 'chart', title: t('release.no-reports'), text: t('release.no-reports-text') }));
      return h('div', null, draw((drawings) => drawings.failuresChart(release, series, metric)));
    },
  });
}
