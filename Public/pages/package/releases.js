import { api, path } from '../../api/client.js';
import { button, emptyState, h } from '../../elements/index.js';
import { livePanel } from '../../elements/live.js';
import { t } from '../../i18n/index.js';
import { listPosition, onlyLatest } from '../parts/paged.js';
import { releaseFilters, releaseTable } from '../parts/release-table.js';

/**
 * Returns the part of a package's page with its releases.
 *
 * @param {any} context
 * @param {any} each the package
 */
export function content(context, each) {
  const { query } = context;
  const position = listPosition(context, () => panel.reload());
  const latest = onlyLatest();
  const panel = livePanel(context, {
    rows: 8, changes: ({ action, subject }) => /^release(-set)?\./.test(action) && subject?.includes(each.id),
    load: (signal) => api.read(path('apps', context.app, 'packages', each.id, 'releases'), {
      signal: latest(signal), query: { ...position.query(), channel: query.get('channel'), state: query.get('state') },
    }),
    render: ({ value: { releases }, next }, element) => {
      element.setFooter(position.pager(next, releases.length));
      if (releases.length) return releaseTable(context, releases, { hasPackage: false });
      if (query.get('channel') || query.get('state')) return emptyState({ icon: 'search', title: t('releases.none-found'), text: t('releases.none-found-text') });
      return emptyState({
        icon: 'rocket', title: t('package.no-releases'), text: t('package.no-releases-text'),
        actions: button(t('releases.new'), {
          href: context.href('new-release', { package: each.id }), reason: context.session.reason('releaser', context.scope),
        }),
      });
    },
  });
  return [
    h('div', { class: 'filters' }, releaseFilters(context, position)),
    panel,
  ];
}
