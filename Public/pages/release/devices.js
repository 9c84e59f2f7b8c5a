import { emptyState, h } from '../../elements/index.js';
import { livePanel } from '../../elements/live.js';
import { number, sentences, t } from '../../i18n/index.js';
import { advancesOf } from './history.js';
import { hasBegun } from './subject.js';

/** The time in milliseconds after which devices are counted again. */
export const refreshTime = 60_000;

/**
 * Returns the panel of the devices of a release: those of its audience and those that have it. It adds their counts to `known`;
 * `rows` reads the statistics by hour.
 */
export function devicesPanel(context, store, rows, known, readHistory) {
  let shownState = store.value.state;
  const element = livePanel(context, {
    title: t('release.devices-title'), rows: 6, every: refreshTime,
    changes: (event) => /^release(-set)?\./.test(event.action),
    load: async () => {
      const release = store.value;
      const isBegun = hasBegun(release);
      const [readiness, charts, series, entries] = await Promise.all([
        release.state === 'rolled-back' ? null : context.get(['packages', release.package, 'releases', release.id, 'readiness']).catch((problem) => {
          if (problem.status !== 409) throw problem;
          return null;
        }),
        isBegun ? import('./charts.js').catch(() => null) : null, isBegun ? rows().catch(() => []) : [], readHistory().catch(() => []),
      ]);
      known.readiness = readiness;
      known.advances = advancesOf(entries);
      store.update();
      return { release, readiness, charts, series };
    },
    render: ({ release, readiness, charts, series }, panel) => {
      if (store.value.state === 'rolled-back') return emptyState({ icon: release.neverBegan ? 'cross' : 'undo', title: t('release.over-title'), text: t('release.over-text') });
      if (!readiness) return emptyState({ icon: 'phone', title: t('release.uncounted-title'), text: t('release.uncounted') });
      panel.setFooter(h('span', null, sentences(
        t('release.devices-note', { n: readiness.days, seen: number(readiness.seen) }), readiness.silent && t('release.devices-silent', { n: readiness.silent }))));
      const sums = h('p', null, h('b', null, t('release.devices-have', { holding: number(readiness.holding), n: readiness.matching, matching: number(readiness.matching) })));
      return charts ? [sums, ...charts.devicesView(release, readiness, series, known.advances)] : sums;
    },
  });
  store.listeners.push((value) => {
    if (value.state === shownState) return;
    shownState = value.state;
    element.reload();
  });
  return element;
}
