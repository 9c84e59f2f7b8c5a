import { h } from '../../elements/index.js';
import { livePanel } from '../../elements/live.js';
import { t } from '../../i18n/index.js';
import { historyTimeline } from '../parts/history.js';

/** The number of changes that the page shows. */
const historyLength = 12;

/**
 * Returns the panel of the latest changes.
 *
 * @param {any} context
 */
export function historyPanel(context) {
  return livePanel(context, {
    title: t('overview.today'), rows: 6, changes: () => true,
    actions: context.session.may('admin') ? [h('a', { href: context.href('audit') }, t('overview.audit-log'))] : [],
    load: async () => (await context.get(['history'], { limit: historyLength })).entries,
    empty: { icon: 'list', title: t('overview.today-empty'), text: t('overview.today-empty-text') },
    render: (entries) => historyTimeline(context, entries),
  });
}
