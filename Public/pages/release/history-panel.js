import { livePanel } from '../../elements/live.js';
import { t } from '../../i18n/index.js';
import { historyTimeline } from '../parts/history.js';
import { concerns } from './subject.js';

/** The entries of the history that the page shows. */
const historyLimit = 50;

/**
 * Returns the panel of what happened to a release or a release set.
 *
 * @param {any} context
 * @param {any} store
 * @param {() => Promise<any[]>} readHistory
 * @returns {any}
 */
export function historyPanel(context, store, readHistory) {
  return livePanel(context, {
    title: t('release.history'), rows: 4, changes: (event) => concerns(store.value, event),
    load: async () => (await readHistory()).slice(0, historyLimit),
    render: (entries) => historyTimeline(context, entries),
    empty: { icon: 'clock', title: t('release.history-none') },
  });
}
