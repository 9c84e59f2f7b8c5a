import { chartsOf, chartSpace } from '../../charts/place.js';
import { emptyState, h } from '../../elements/index.js';
import { livePanel } from '../../elements/live.js';
import { progress } from '../../elements/progress.js';
import { number, sentences, t } from '../../i18n/index.js';
import { advancesOf } from './history.js';
import { chartStart } from './statistics.js';
import { shared } from './store.js';

/** Draws the charts of a release. */
export const draw = chartsOf(() => import('./drawings.js'));

/** The time in milliseconds after which counts are read again. */
export const refreshTime = 60_000;

/** Returns a function that reads the statistics by hour, version and event since a release began; panels share a request. */
export function hourlyRows(context, release) {
  return shared(context, async () => {
    const { series } = await context.get(['packages', release.package, 'stats'], { from: chartStart(release.activeTime), bucket: 'hour', groupBy: 'version,event' });
    return series;
  });
}

/**
 * Returns the panel of the devices of a release: those of its audience and those that have it. It adds their counts to `known`.
 *
 * @param {any} context
 * @param {import('./store.js').ReleaseStore} store
 * @param {() => Promise<any[]>} rows those of `hourlyRows`
 * @param {import('../../types.js').Known} known
 * @param {() => Promise<any[]>} readHistory
 */
export function devicesPanel(context, store, rows, known, readHistory) {
  let shownState = store.value.state;
  const element = livePanel(context, {
    title: t('release.devices-title'), rows: 6, every: refreshTime,
    changes: (event) => /^release(-set)?\./.test(event.action),
    load: async () => {
      const release = store.value;
      const [readiness, series, entries] = await Promise.all([
        release.state === 'rolled-back' ? null : context.get(['packages', release.package, 'releases', release.id, 'readiness']).catch((problem) => {
          if (problem.status !== 409) throw problem;
          return null;
        }),
        rows().catch(() => []), readHistory().catch(() => []),
      ]);
      known.readiness = readiness;
      known.advances = advancesOf(entries);
      store.update();
      return { release, readiness, series };
    },
    render: ({ release, readiness, series }, panel) => {
      if (store.value.state === 'rolled-back') return emptyState({ icon: 'undo', title: t('release.over-title'), text: t('release.over-text') });
      if (!readiness) return emptyState({ icon: 'phone', title: t('release.uncounted-title'), text: t('release.uncounted') });
      panel.setFooter(h('span', null, sentences(
        t('release.devices-note', { n: readiness.days, seen: number(readiness.seen) }), readiness.silent && t('release.devices-silent', { n: readiness.silent }))));
      const sums = h('p', null, h('b', null, t('release.devices-have', { holding: number(readiness.holding), n: readiness.matching, matching: number(readiness.matching) })));
      const count = series.filter((row) => row.version === release.version && row.event === 'applied').length;
      if (release.state === 'scheduled') return sums;
      return [sums, count < 2 ? [progress(readiness.holding / (readiness.matching || 1), { thick: true }), chartSpace(h('p', { class: 'muted' }, t('release.devices-no-series')))]
        : h('div', null, draw((drawings) => drawings.devicesChart(release, readiness, series, known.advances)))];
    },
  });
  store.listeners.push((value) => {
    if (value.state === shownState) return;
    shownState = value.state;
    element.reload();
  });
  return element;
}
