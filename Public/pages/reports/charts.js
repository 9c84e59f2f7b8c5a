import { lineChart, stackedChart } from '../../charts/index.js';
import { emptyState } from '../../elements/index.js';
import { livePanel } from '../../elements/live.js';
import { number, t } from '../../i18n/index.js';
import { failureKinds, kindOf } from './data.js';
import { milliseconds, read, readSeries, refreshTime } from './reading.js';

const kindColours = { whiteScreen: 'bad', scriptError: 4, crash: 1, resourceMissing: 5, download: 2, apply: 3 };

/** Returns the panel of the failures by kind. */
export function kindsPanel(page) {
  return livePanel(page.context, {
    title: t('reports.kinds'), note: page.range === '24h' ? t('reports.per-hour') : t('reports.per-day'), rows: 4, every: refreshTime,
    load: () => readSeries(page),
    render: ({ series }) => {
      const kinds = reportsByKind(series);
      if (!kinds.size) return emptyState({ icon: 'check', kind: 'good', title: t('reports.no-failures') });
      const counts = [...kinds].map(([kind, points]) => [t(`reports.kind-${kind}`), points.reduce((sum, [, value]) => sum + value, 0)]).sort((one, other) => Number(other[1]) - Number(one[1]));
      return stackedChart({
        title: t('reports.kinds'), summary: t('reports.kinds-summary', { kind: counts[0][0], n: Number(counts[0][1]) }), bars: true, formatValue: number,
        series: [...kinds].map(([kind, points]) => ({ name: t(`reports.kind-${kind}`), colour: kindColours[kind], points, solid: true })),
      });
    },
  });
}

/** Returns the panel of the time that pages take to load. */
export function loadPanel(page) {
  return livePanel(page.context, {
    title: t('reports.load'), note: t('reports.load-note'), rows: 4, every: refreshTime,
    load: () => read(page, { event: 'pageLoad' }),
    isEmpty: ({ series }) => !series.some((row) => row.durations),
    empty: { icon: 'clock', title: t('reports.no-load'), text: t('reports.no-load-text') },
    render: ({ series }) => {
      const rows = series.filter((row) => row.durations);
      const last = rows.at(-1).durations;
      return lineChart({
        title: t('reports.load'), summary: t('reports.load-summary', { half: milliseconds(last.p50), most: milliseconds(last.p90) }),
        formatValue: milliseconds, series: [['p99', 4], ['p90', 2], ['p50', 1]].map(([name, colour]) => ({
          name: t(`reports.quick-${name}`), colour, points: rows.map((row) => [row.start, row.durations[name]]),
        })),
      });
    },
  });
}

/**
 * Returns the numbers of failure reports at each time by kind; kinds without any are left out.
 *
 * @param {any[]} rows
 * @returns {Map<string, [string, number][]>}
 */
export function reportsByKind(rows) {
  const starts = [...new Set(rows.map((row) => row.start))].sort();
  const counts = new Map();
  for (const row of rows) {
    const kind = kindOf.get(row.event);
    if (!kind) continue;
    const byStart = counts.get(kind) ?? new Map();
    counts.set(kind, byStart);
    byStart.set(row.start, (byStart.get(row.start) ?? 0) + row.reports);
  }
  return new Map(Object.keys(failureKinds).filter((kind) => counts.has(kind))
    .map((kind) => [kind, starts.map((start) => [start, counts.get(kind).get(start) ?? 0])]));
}
