import { select } from '../../elements/inputs.js';
import { h } from '../../elements/index.js';
import { stateBadge } from '../../elements/state-badge.js';
import { table } from '../../elements/table.js';
import { relativeTime, timeTag } from '../../elements/time.js';
import { percent, t } from '../../i18n/index.js';
import { isAhead, stepText } from '../release/plan-text.js';
import { minor, releasePath } from './release-basics.js';

/** The states of releases, for filters. */
const states = ['active', 'paused', 'halted', 'scheduled', 'completed', 'superseded', 'rolled-back'];

/** Returns the audience of a release in words, such as `10% → 100%, mandatory`. */
function audienceText(release) {
  const last = release.plan?.at(-1);
  const parts = [last && isAhead(last, release) ? t('releases.from-to', { percent: percent(release.percent), last: stepText(last) }) : percent(release.percent)];
  if (release.mandatory) parts.push(t('releases.mandatory'));
  if (release.whitelist) parts.push(t('releases.whitelist', { list: release.whitelist }));
  if (release.excluded) parts.push(t('releases.excluded', { list: release.excluded }));
  if (release.rules?.length) parts.push(t('releases.rules', { n: release.rules.length }));
  return parts.join(', ');
}

/**
 * Returns a table of releases in any state.
 *
 * @param {any} context
 * @param {any[]} releases
 * @param {{hasPackage?: boolean, hasChannel?: boolean}} options
 * @returns {any}
 */
export function releaseTable(context, releases, { hasPackage = true, hasChannel = true } = {}) {
  return table({
    caption: t('nav.releases'),
    columns: [
      { label: t('releases.release') }, ...(hasChannel ? [{ label: t('releases.channel') }] : []), { label: t('releases.state') },
      { label: t('releases.audience') }, { label: t('releases.takes-effect') }, { label: t('releases.made') },
    ],
    rows: releases.map((release) => ({
      key: `release-${release.id}`, href: context.href(releasePath(release)),
      cells: [
        [hasPackage ? `${release.package} ${release.version}` : release.version,
          minor(`#${release.id}`, release.releaseSet ? `, ${t('releases.set-name', { n: release.releaseSet })}` : null)],
        ...(hasChannel ? [release.channel] : []),
        stateBadge(release), audienceText(release), timeTag(release.activeTime),
        h('span', null, relativeTime(release.createdAt), release.createdBy ? minor(release.createdBy) : null),
      ],
    })),
  });
}

/**
 * Returns the fields that select a channel and a state of releases.
 *
 * @param {any} context
 * @param {any} position the position of the list, which begins anew after a change
 * @returns {any[]}
 */
export function releaseFilters(context, position) {
  return [
    select([['', t('releases.all-channels')], ...context.channels.map(({ name }) => [name, name])], {
      value: context.query.get('channel') ?? '', 'aria-label': t('releases.channel'),
      onchange: (event) => position.restart({ channel: event.target.value || null }),
    }),
    select([['', t('releases.all-states')], ...states.map((state) => [state, t(state === 'rolled-back' ? 'releases.rolled-back-or-cancelled' : `state.${state}`)])], {
      value: context.query.get('state') ?? '', 'aria-label': t('releases.state'),
      onchange: (event) => position.restart({ state: event.target.value || null }),
    }),
  ];
}
