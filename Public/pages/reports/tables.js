import { h } from '../../elements/index.js';
import { progress } from '../../elements/progress.js';
import { table } from '../../elements/table.js';
import { livePanel } from '../../elements/live.js';
import { number, percent, t } from '../../i18n/index.js';
import { eventName } from '../parts/events.js';
import { compareVersions } from './data.js';
import { readTotals, refreshTime, shownRows } from './reading.js';

/** Returns the panel of the steps of an update by version. */
export function funnelPanel(page) {
  const steps = ['offered', 'downloaded', 'applied', 'activated'];
  return livePanel(page.context, {
    title: t('reports.funnel'), note: t('reports.funnel-note'), rows: 4, every: refreshTime,
    load: () => readTotals(page),
    isEmpty: ({ funnel }) => !Object.keys(funnel ?? {}).length,
    empty: { icon: 'download', title: t('reports.no-funnel') },
    render: ({ funnel }) => table({
      caption: t('reports.funnel'), dense: true,
      columns: [{ label: t('reports.version') }, ...steps.map((step) => ({ label: t(`reports.step-${step}`), numeric: true })), { label: t('reports.arrived') }],
      rows: Object.entries(funnel).sort(([one], [other]) => compareVersions(one, other)).slice(0, shownRows).map(([version, counts]) => {
        const [first, last] = [counts.offered.devices, counts.activated.devices];
        return { cells: [h('b', { class: 'nowrap' }, version), ...steps.map((step) => number(counts[step].devices)),
          h('div', { class: 'row nowrap' }, progress(first ? last / first : 0), h('span', null, first ? percent(last / first * 100) : '–'))] };
      }),
    }),
  });
}

/** Returns the panel of the reasons that devices report. */
export function reasonsPanel(page) {
  return livePanel(page.context, {
    title: t('reports.reasons'), note: t('reports.reasons-note'), rows: 4, every: refreshTime,
    load: () => readTotals(page),
    isEmpty: ({ reasons }) => !reasons?.length,
    empty: { icon: 'check', title: t('reports.no-failures') },
    render: ({ reasons }) => table({
      caption: t('reports.reasons'), dense: true,
      columns: [{ label: t('reports.event') }, { label: t('reports.reason') }, { label: t('reports.devices'), numeric: true }, { label: t('reports.reports'), numeric: true }],
      rows: reasons.slice(0, shownRows).map((each) => ({ cells: [eventName(each.event), each.reason || h('span', { class: 'muted' }, t('reports.no-reason')), number(each.devices), number(each.reports)] })),
    }),
  });
}
