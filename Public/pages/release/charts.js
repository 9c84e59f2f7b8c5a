import { chartsOf, chartSpace } from '../../charts/place.js';
import { h } from '../../elements/index.js';
import { progress } from '../../elements/progress.js';
import { t } from '../../i18n/index.js';
import { chartStart } from './statistics.js';

/** Draws the charts of a release. */
export const draw = chartsOf(() => import('./drawings.js'));

/** Reads the statistics by hour, version and event since a release began. */
export async function hourlyRows(context, release) {
  const { series } = await context.get(['packages', release.package, 'stats'], { from: chartStart(release.activeTime), bucket: 'hour', groupBy: 'version,event' });
  return series;
}

/** Returns the chart of the devices of a release over time; a bar while too few hours have reports. */
export function devicesView(release, readiness, series, advances) {
  const count = series.filter((row) => row.version === release.version && row.event === 'applied').length;
  if (count >= 2) return [h('div', null, draw((drawings) => drawings.devicesChart(release, readiness, series, advances)))];
  return [progress(readiness.holding / (readiness.matching || 1), { thick: true }), chartSpace(h('p', { class: 'muted' }, t('release.devices-no-series')))];
}
