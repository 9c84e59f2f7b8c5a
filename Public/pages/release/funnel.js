import { emptyState, h } from '../../elements/index.js';
import { progress } from '../../elements/progress.js';
import { table } from '../../elements/table.js';
import { livePanel } from '../../elements/live.js';
import { number, percent, t } from '../../i18n/index.js';
import { chartStart } from './statistics.js';

/** The steps of the funnel after the audience, in the order of an update. */
const funnelSteps = ['offered', 'downloaded', 'applied', 'activated'];

/** The time in milliseconds after which statistics are read again. */
const refreshTime = 60_000;

/** Returns the panel of the steps from the offer of a version to its opening. */
export function funnelPanel(context, store) {
  return livePanel(context, {
    title: t('release.funnel'), rows: 4, every: refreshTime,
    load: () => context.get(['packages', store.value.package, 'stats'], {
      from: chartStart(store.value.activeTime), bucket: 'all', version: store.value.version, groupBy: 'event',
    }),
    render: (stats, panel) => {
      const counts = stats.funnel[store.value.version];
      if (!counts) return emptyState({ icon: 'filter', title: t('release.no-reports'), text: t('release.funnel-none') });
      const known = funnelSteps.filter((step) => counts[step]);
      const first = counts[known[0]].devices || 1;
      panel.setFooter(t('release.funnel-note', { version: store.value.version }));
      return table({
        caption: t('release.funnel'), dense: true, cards: false,
        columns: [{ label: t('release.funnel-step') }, { label: t('release.funnel-share') }, { label: t('release.devices-column'), numeric: true }, { label: t('release.funnel-before'), numeric: true }],
        rows: known.map((step, index) => {
          const devices = counts[step].devices;
          const before = index ? counts[known[index - 1]].devices : null;
          return { cells: [
            h('span', { class: 'nowrap' }, t(`release.funnel.${step}`)), progress(devices / first, { label: percent(devices / first * 100) }), h('b', null, number(devices)),
            before ? percent(devices / before * 100) : '–',
          ] };
        }),
      });
    },
  });
}
