import { api, path } from '../api/client.js';
import { h } from '../elements/index.js';
import { table } from '../elements/table.js';
import { pager, tabs } from '../elements/tabs.js';
import { countdown, relativeTime } from '../elements/time.js';
import { livePanel } from '../elements/live.js';
import { sentences, t } from '../i18n/index.js';
import { approvalBadge, requestText } from './approval/text.js';
import { actorName } from './parts/actor.js';

/** The requests of a page of the list. */
const pageLength = 25;

/**
 * Opens the list of the changes that wait for a second person.
 *
 * @param {any} context
 * @returns {Promise<any>}
 */
export async function open(context) {
  const isAll = context.query.get('state') === 'all';
  /** @type {(string | null)[]} The cursors of the pages up to the one that is shown. */
  const cursors = [null];
  const element = livePanel(context, {
    rows: 5, changes: (event) => /^approval\./.test(event.action),
    load: (signal) => api.read(path('apps', context.app, 'approvals'), {
      signal, query: { state: isAll ? null : 'pending', limit: pageLength, cursor: cursors[cursors.length - 1] },
    }),
    render: ({ value, next }, panel) => {
      const move = (change) => {
        change();
        panel.reload();
      };
      panel.setFooter(next || cursors.length > 1 ? pager({
        hasPrevious: cursors.length > 1, hasNext: Boolean(next),
        onPrevious: () => move(() => cursors.pop()), onNext: () => move(() => cursors.push(next)),
      }) : null);
      return list(context, value.approvals, isAll);
    },
    isEmpty: ({ value }) => value.approvals.length === 0 && cursors.length === 1,
    empty: isAll ? { icon: 'shield', title: t('approvals.none'), text: t('approvals.none-text'), actions: [] }
      : { icon: 'check', title: t('approvals.none-pending'), text: h('span', null, sentences(t('approvals.none-text'), h('code', null, 'larder approval list'))), actions: [] },
  });
  return {
    title: t('approvals.title'), sub: t('approvals.sub'), crumbs: [{ label: t('nav.releases'), href: context.href('releases') }],
    content: [
      tabs([
        { label: t('approvals.pending'), href: context.href('approvals'), current: !isAll }, { label: t('approvals.all'), href: context.href('approvals', { state: 'all' }), current: isAll },
      ]),
      element,
    ],
  };
}

/** Returns the requests as a table. */
function list(context, approvals, isAll) {
  const actor = context.session.facts.actor;
  return table({
    caption: t('approvals.title'),
    columns: [
      { label: t('approvals.change') }, { label: t('approvals.channel') }, { label: t('approvals.by') }, { label: t('approvals.when') }, { label: isAll ? t('approvals.state') : t('approvals.expires') },
    ],
    rows: approvals.map((approval) => ({
      href: context.href(`approvals/${approval.id}`), key: `approval-${approval.id}`,
      cells: [
        requestText(approval), approval.channel,
        h('span', null, actorName(approval.requestedBy), approval.requestedBy === actor ? h('span', { class: 'small muted' }, ` ${t('approvals.you')}`) : null),
        relativeTime(approval.requestedAt),
        isAll ? approvalBadge(approval.state) : countdown(approval.expiresAt),
      ],
    })),
  });
}
