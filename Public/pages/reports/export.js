import { queryText } from '../../api/client.js';
import { t } from '../../i18n/index.js';
import { ranges } from './reading.js';

/** Returns the items of the menu that exports the statistics that the page shows. */
export function exportItems(page) {
  const { context } = page;
  const href = (format, groupBy) => {
    const query = queryText({
      format, groupBy, bucket: page.range === '24h' ? 'hour' : 'day', from: new Date(Date.now() - ranges[page.range] * 3_600_000).toISOString(),
      ...page.filters,
    });
    const where = page.package ? `packages/${encodeURIComponent(page.package)}/stats` : 'stats';
    return `../api/v1/apps/${encodeURIComponent(context.app)}/${where}?${query}`;
  };
  const groups = { events: `${page.dimension},event`, reasons: `${page.dimension},event,reason`, hosts: `${page.dimension},event,platform,appVersion` };
  return Object.entries(groups).flatMap(([name, groupBy]) => ['csv', 'ndjson'].map((format) => ({
    label: t('reports.export-item', { format: format.toUpperCase() }), href: href(format, groupBy), group: t(`reports.export-${name}`),
  })));
}
