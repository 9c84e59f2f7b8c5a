import { lineChart } from '../../charts/index.js';
import { emptyState, h } from '../../elements/index.js';
import { livePanel } from '../../elements/live.js';
import { t } from '../../i18n/index.js';
import { rate } from '../../i18n/sizes.js';
import { chartStart } from './statistics.js';

/** The time in milliseconds after which downloads are counted again. */
const refreshTime = 60_000;

/**
 * Returns the bytes per second of each full hour in which devices downloaded a version, as if all had taken the full archive.
 * Days are left out, because their mean hides an hour over the limit.
 *
 * @param {{start: string, reports: number, span?: string}[]} rows the statistics of the downloads by hour
 * @param {number} archiveBytes
 * @param {number} [now]
 * @returns {[string, number][]}
 */
export function downloadRates(rows, archiveBytes, now = Date.now()) {
  const hours = rows.filter((row) => row.span !== 'day' && Date.parse(row.start) + 3_600_000 <= now);
  return hours.map((row) => [row.start, row.reports * archiveBytes / 3_600]);
}

/**
 * Returns the time until which the download slots of a release are in force: as long after its activeTime as before it.
 *
 * @param {string} from the beginning of the first slot
 * @param {string} activeTime
 * @returns {number}
 */
export function slotsEnd(from, activeTime) {
  return 2 * Date.parse(activeTime) - Date.parse(from);
}

/** Returns the panel of the downloads of a release by hour, against the rate to which its download slots hold them. */
export function downloadsPanel(context, store) {
  return livePanel(context, {
    title: t('release.downloads-title'), rows: 5, every: refreshTime,
    load: async () => {
      const { package: name, version, downloads, activeTime } = store.value;
      const from = chartStart(downloads.from);
      const end = Math.min(Date.now(), slotsEnd(downloads.from, activeTime));
      const to = new Date(Math.max(end, Date.parse(from) + 1)).toISOString();
      const [{ series }, { archiveBytes }] = await Promise.all([
        context.get(['packages', name, 'stats'], { from, to, bucket: 'hour', version, event: 'downloaded' }),
        context.get(['packages', name, 'versions', version]),
      ]);
      return { points: downloadRates(series, archiveBytes), downloads };
    },
    render: ({ points, downloads }, panel) => {
      const limit = rate(downloads.bytesPerSecond);
      if (!points.length) return emptyState({ icon: 'download', title: t('release.no-downloads'), text: t('release.no-downloads-text', { limit }) });
      panel.setFooter(t('release.downloads-note'));
      const highest = Math.max(...points.map(([, value]) => value));
      return h('div', null, lineChart({
        title: t('release.downloads-title'), summary: t('release.downloads-summary', { highest: rate(highest), limit }),
        series: [{ name: t('release.downloads-rate'), colour: 1, area: true, points }],
        limits: [{ value: downloads.bytesPerSecond, kind: 'bad', label: t('release.downloads-limit', { limit }) }],
        formatValue: (value) => rate(value), x: 'time',
      }));
    },
  });
}
