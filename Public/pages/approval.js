import { api, path } from '../api/client.js';
import { facts } from '../elements/facts.js';
import { field } from '../elements/fields.js';
import { textArea } from '../elements/inputs.js';
import { form } from '../elements/form.js';
import { codeBlock } from '../elements/copy.js';
import { button, emptyState, h, notice, panel, toast } from '../elements/index.js';
import { table } from '../elements/table.js';
import { countdown, timeTag } from '../elements/time.js';
import { has, number, percent, t, tn } from '../i18n/index.js';
import { approvalBadge, changedMembers, memberText, objectAddress, requestText } from './approval/text.js';
import { actorName } from './parts/actor.js';
import { ReleaseStore } from './release/store.js';

/** The most characters of a comment. */
const commentLimit = 500;

/**
 * Opens the page of a change that waits for a second person, or waited for one.
 *
 * @param {any} context
 * @returns {Promise<any>}
 */
export async function open(context) {
  const { approval: id } = context.params;
  const where = path('apps', context.app, 'approvals', id);
  const read = async () => (await api.read(where, { signal: context.signal })).value;
  const first = await read();
  const store = new ReleaseStore(context, first, read, (value, event) => /^approval\./.test(event.action ?? '') && String(event.subject).replace('#', '') === String(value.id));
  return {
    title: t('approval.title', { id: String(first.id) }), badge: store.fill(h('span'), (value) => approvalBadge(value.state)),
    sub: store.fill(h('span'), (value) => tn('approval.sub', { person: h('b', { title: value.requestedBy }, actorName(value.requestedBy)), time: timeTag(value.requestedAt) })),
    crumbs: [{ label: t('nav.releases'), href: context.href('releases') }, { label: t('approvals.title'), href: context.href('approvals') }],
    content: [
      store.fill(h('div', { class: 'flush', role: 'status' }), (value) => answer(context, value)),
      h('div', { class: 'columns' },
        h('div', null, store.fill(panel({ title: t('approval.change') }), (value) => changeTable(value)), store.fill(panel({ title: t('approval.decision') }), (value) => decision(context, value, where, store)), requestPanel(first)),
        h('div', null, store.fill(panel({ title: t('approval.facts') }), (value) => about(context, value)))),
    ],
  };
}

/** Returns what the request asks for, and what has become of it. */
function answer(context, approval) {
  const kind = { pending: 'warn', approved: 'good', rejected: 'bad' }[approval.state] ?? 'info';
  const address = objectAddress(context, approval);
  return notice(kind, h('p', null, h('b', null, requestText(approval))),
    h('p', { class: 'small' }, approval.state === 'pending' ? tn('approval.waits', { time: countdown(approval.expiresAt) })
      : approval.decidedBy ? t(`approval.was.${approval.state}`, { person: actorName(approval.decidedBy) }) : t(`approval.state.${approval.state}`),
    approval.comment ? ` “${approval.comment}”` : null),
    address ? button(t('approval.open'), { small: true, href: address }) : null);
}

/** Returns the members before and after the change. */
function changeTable(approval) {
  const members = changedMembers(approval.change);
  if (!members.length) return h('p', null, approval.summary);
  const isNew = !approval.change.before;
  return table({
    caption: t('approval.change'),
    columns: [{ label: t('approval.member') }, ...(isNew ? [] : [{ label: t('approval.before') }]), { label: isNew ? t('approval.value') : t('approval.after') }],
    rows: members.map(({ name, before, after }) => ({ cells: [
      h('span', { class: 'nowrap' }, has(`approval.member.${name}`) ? t(`approval.member.${name}`) : h('code', null, name)),
      ...(isNew ? [] : [h('span', { class: 'diff-before' }, memberText(name, before))]), h('span', { class: 'diff-after' }, memberText(name, after)),
    ] })),
  });
}

/** Returns who asked, why, and for how many devices. */
function about(context, approval) {
  const address = objectAddress(context, approval);
  const { estimate } = approval;
  return facts([
    [t('approval.by'), h('span', { title: approval.requestedBy }, actorName(approval.requestedBy))],
    approval.reason ? [t('approval.reason'), approval.reason] : null,
    [t('approvals.channel'), approval.channel],
    [t('approval.estimate'), estimate ? t('approval.estimate-text', { n: estimate.matching, matching: number(estimate.matching), seen: number(estimate.seen), percent: percent(estimate.seen ? estimate.matching / estimate.seen * 100 : 0) }) : t('approval.estimate-none')],
    [t('approval.requested-at'), timeTag(approval.requestedAt)],
    approval.state === 'pending' ? [t('approvals.expires'), timeTag(approval.expiresAt)] : null,
    approval.decidedBy ? [t('approval.decided-by'), h('span', { title: approval.decidedBy }, actorName(approval.decidedBy))] : null,
    approval.decidedAt ? [t('approval.decided-at'), timeTag(approval.decidedAt)] : null,
    address ? [t('approval.object'), h('a', { href: address }, approval.releaseSet ? t('release-set.name', { id: String(approval.releaseSet) }) : `#${approval.release}`)] : null,
  ]);
}

/** Returns the panel with the body as it was sent. */
function requestPanel(approval) {
  return panel({ title: t('approval.request'), body: [codeBlock(JSON.stringify(approval.request, null, 2))] });
}

/** Returns the form of the decision, or why there is none to make. */
function decision(context, approval, where, store) {
  if (approval.state !== 'pending') return emptyState({ icon: 'check', title: t('approval.decided'), text: t('approval.decided-text') });
  const isOwn = approval.requestedBy === context.session.facts.actor;
  const scope = { app: context.app, channel: approval.channel };
  const reason = context.session.reason('releaser', scope) ?? (isOwn ? t('approval.own') : null);
  const send = async (verb, body) => {
    const { value } = await api.send('POST', `${where}/${verb}`, body, { tag: approval.state });
    context.changed();
    const address = verb === 'approve' ? objectAddress(context, value) : null;
    toast(t(`approval.done.${verb}`, { id: String(approval.id) }), { kind: 'good', action: address ? { label: t('approval.open'), run: () => { location.hash = address; } } : undefined });
    await store.refresh();
  };
  const comment = textArea({ name: 'comment', rows: 3, maxlength: commentLimit });
  const body = () => (comment.value.trim() ? { comment: comment.value.trim() } : {});
  const fill = form({
    fields: [field(t('approval.comment'), comment, { hint: t('approval.comment-hint') })], submit: t('approval.approve'), icon: 'check', reason,
    extra: [button(t('approval.reject'), { kind: 'danger', icon: 'cross', reason, 'data-key': 'approval-reject', onclick: () => guarded(fill, () => send('reject', body())) }),
      isOwn || context.session.may('admin', scope)
        ? button(t('approval.withdraw'), { kind: 'quiet', icon: 'undo', reason: context.session.reason('releaser', scope), 'data-key': 'approval-withdraw', onclick: () => guarded(fill, () => send('withdraw', {})) }) : null],
    onsubmit: () => send('approve', body()),
  });
  return h('div', { class: 'stack' }, isOwn ? notice('info', t('approval.own')) : null, h('p', null, t('approval.effect')), fill);
}

/** Runs an action beside the main one of a form. */
async function guarded(fill, run) {
  fill.setBusy(true);
  try {
    await run();
  } catch (/** @type {any} */ problem) {
    toast(problem.message, { kind: 'bad' });
  } finally {
    fill.setBusy(false);
  }
}
