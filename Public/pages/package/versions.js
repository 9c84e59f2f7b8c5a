import { api, path } from '../../api/client.js';
import { chips } from '../../elements/chips.js';
import { h } from '../../elements/index.js';
import { livePanel } from '../../elements/live.js';
import { t } from '../../i18n/index.js';
import { listPosition, onlyLatest, searchField } from '../parts/paged.js';
import { concerns, noVersions, versionFacts, versionTable } from './version-table.js';

/**
 * Returns the part of a package's page with all versions.
 *
 * @param {any} context
 * @param {any} each the package
 */
export function content(context, each) {
  const { query } = context;
  const position = listPosition(context, () => panel.reload());
  const latest = onlyLatest();
  const facts = versionFacts(context, each);
  const panel = livePanel(context, {
    rows: 8, changes: concerns(each),
    load: async (signal) => {
      facts.refresh();
      return api.read(path('apps', context.app, 'packages', each.id, 'versions'), {
        signal: latest(signal),
        query: { ...position.query(), sort: '-published', prefix: query.get('prefix'), state: query.get('state') },
      });
    },
    render: ({ value, next }, element) => {
      element.setFooter(position.pager(next, value.versions.length));
      if (!value.versions.length) return noVersions(context, each, query.get('prefix') || query.get('state'));
      return versionTable(context, each, value.versions, facts);
    },
  });
  return [
    h('div', { class: 'filters' },
      searchField({ label: t('package.search-version'), value: query.get('prefix'), onsearch: (text) => position.restart({ prefix: text || null }) }),
      chips([
        { label: t('package.all-versions'), value: '' }, { label: t('package.releasable'), value: 'releasable' }, { label: t('package.retired'), value: 'retired' },
      ], { value: query.get('state') ?? '', label: t('packages.filter'), onchange: (value) => position.restart({ state: value || null }) })),
    panel,
  ];
}
