import { button, code, h, panel } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { t } from '../../i18n/index.js';
import { findingName } from '../parts/findings.js';

/**
 * Returns the panel with the findings that were waived when the version was published.
 *
 * @param {any} context
 * @param {any} page
 */
export function waivedPanel(context, page) {
  const { waived } = page.version;
  return panel({ title: t('version.waived-title'), body: [table({
    caption: t('version.waived-title'),
    columns: [{ label: t('version.finding') }, { label: t('version.file') }, { label: t('finding.reason'), full: true }],
    rows: waived.map((each) => ({ cells: [findingName(each), each.path ? code(each.path) : t('finding.in-all'), each.reason] })),
  })], footer: [h('span', null, t('version.waived-footer')), button(t('version.all-waivers'), { kind: 'quiet', small: true, href: context.href(`packages/${page.id}`, { tab: 'waivers' }) })] });
}
