import { emptyState, h } from '../../elements/index.js';
import { progress } from '../../elements/progress.js';
import { table } from '../../elements/table.js';
import { livePanel } from '../../elements/live.js';
import { list, number, percent, t } from '../../i18n/index.js';
import { eventName } from '../parts/events.js';
import { refusalText } from '../parts/refusal.js';

/** The causes that are shown. */
const shownCauses = 12;

/**
 * Returns the panel with the devices that use another version than the released one, and why.
 *
 * @param {any} context
 * @param {any} page
 */
export function adoptionPanel(context, page) {
  return livePanel(context, {
    title: t('reports.old'), rows: 5, changes: (event) => /^release/.test(event.action ?? ''),
    load: () => context.get(['packages', page.package, 'adoption'], { channel: context.channel }),
    render: (adoption, element) => {
      element.setNote(adoption.version === null ? t('reports.old-none')
        : t('reports.old-note', { n: adoption.otherVersion, version: adoption.version, seen: adoption.seen, channel: context.channel }));
      element.setFooter(footerText(adoption));
      if (!adoption.causes.length) return emptyState({ icon: 'check', kind: 'good', title: adoption.version === null ? t('reports.old-none') : t('reports.old-nobody', { version: adoption.version }) });
      const causes = [...adoption.causes].sort((one, other) => other.devices - one.devices);
      const rest = causes.slice(shownCauses).reduce((sum, cause) => sum + cause.devices, 0);
      return table({
        caption: t('reports.old'),
        columns: [{ label: t('reports.cause') }, { label: t('reports.share') }, { label: t('reports.devices'), numeric: true }, { label: t('reports.part'), numeric: true }],
        rows: [...causes.slice(0, shownCauses).map((cause) => row(causeText(cause, adoption.release), cause.devices, adoption.otherVersion)),
          ...rest ? [row(t('reports.cause-rest'), rest, adoption.otherVersion)] : []],
      });
    },
  });
}

function row(text, devices, all) {
  const share = all ? devices / all : 0;
  return { cells: [text, progress(share, { kind: 'info' }), h('b', null, number(devices)), percent(share * 100)] };
}

/** Returns why devices do not use the released version. */
function causeText(cause, release) {
  if (cause.cause === 'refused') return t('reports.cause-refused', { release: `#${release}`, rule: refusalText(cause.refusal, cause.rule) });
  if (cause.cause === 'failed') return cause.reason ? t('reports.cause-failed-reason', { event: eventName(cause.event), reason: cause.reason }) : t('reports.cause-failed', { event: eventName(cause.event) });
  return t(`reports.cause-${cause.cause}`);
}

/** Returns how far to trust the numbers. */
function footerText({ coverage, truncated, unknownVersion, noVersion, unpublished }) {
  const parts = [
    unknownVersion ? t('reports.unknown-version', { n: unknownVersion }) : null, noVersion ? t('reports.no-version', { n: noVersion }) : null,
    unpublished ? t('reports.unpublished', { n: unpublished }) : null,
  ].filter(Boolean);
  return [parts.length ? h('span', null, t('reports.not-counted', { parts: list(parts) })) : null,
    truncated.devices || truncated.reports ? h('span', null, t('reports.truncated')) : null,
    coverage.limitReached ? h('span', null, t('reports.limit-reached', { n: coverage.limit })) : null].filter(Boolean);
}
