import { button, h } from '../../elements/index.js';
import { isServersLanguage, list, sentences, t, tn } from '../../i18n/index.js';
import { requestText } from '../approval/text.js';
import { actorName } from '../parts/actor.js';
import { whenText } from '../parts/when.js';

/** Returns the entry of a request that waits for approval. */
export function approvalItem(context, approval) {
  const href = context.href(`approvals/${approval.id}`);
  const name = approval.package ? [approval.package, approval.version].filter(Boolean).join(' ') : list(approval.packages);
  const mayDecide = context.session.may('releaser', context.scope) && !approval.requestedBy.startsWith(`${context.session.user} (user #`);
  return {
    icon: 'shield', kind: 'warn',
    title: tn('overview.approval', {
      name: h('a', { class: 'strong', href }, name), who: actorName(approval.requestedBy), time: whenText(approval.requestedAt),
    }),
    text: sentences(isServersLanguage() ? approval.summary : requestText(approval), approval.estimate && t('overview.approval-devices', { n: approval.estimate.matching })).join(''),
    action: button(t(mayDecide ? 'overview.decide' : 'overview.review'), {
      href, name: t(mayDecide ? 'overview.decide-name' : 'overview.review-name', { name }),
    }),
  };
}
