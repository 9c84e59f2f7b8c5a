import { badge, emptyState, panel, toast } from '../../elements/index.js';
import { livePanel } from '../../elements/live.js';
import { t } from '../../i18n/index.js';
import { findingList, findingName, waiveButton } from '../parts/findings.js';

/**
 * Returns the panels with the findings that were stored with the version.
 *
 * @param {any} context
 * @param {any} page
 */
export async function lintPanels(context, page) {
  const { warnings, waived } = page.version;
  if (!warnings) return panel({ title: t('version.lint'), body: [emptyState({ icon: 'info', title: t('version.lint-unknown') })] });
  const waivedCount = (waived ?? []).reduce((sum, each) => sum + each.findings, 0);
  const findings = livePanel(context, {
    title: t('version.lint'), rows: 2, countKind: 'warn', changes: (event) => /^waiver\./.test(event.action ?? '') && event.subject === page.id,
    note: waivedCount ? t('finding.waived', { n: waivedCount }) : undefined,
    load: async () => (warnings.length ? (await context.get(['packages', page.id, 'waivers'])).waivers : []),
    render: (waivers, element) => {
      element.setCount(warnings.length ? t('finding.warnings', { n: warnings.length }) : null);
      if (!warnings.length) return emptyState({ icon: 'check', kind: 'good', title: t('version.lint-clean') });
      return findingList(warnings, (finding) => {
        const waiver = waivers.find((each) => each.code === finding.code && (each.path === undefined || each.path === finding.path));
        return waiver ? badge(t('version.waived-now'), 'info', 'check') : waiveButton(context, page.id, finding, (made) => {
          findings.reload();
          toast(t('version.waived-done', { name: findingName(made) }), { action: { label: t('version.undo'), run: async () => {
            const { removeWaiver } = await import('../parts/waive.js');
            await removeWaiver(context, page.id, made);
            findings.reload();
          } } });
        });
      });
    },
  });
  if (!waived?.length) return findings;
  const { waivedPanel } = await import('./waived.js');
  return [findings, waivedPanel(context, page)];
}
