import { field } from '../../elements/fields.js';
import { textArea } from '../../elements/inputs.js';
import { button, dialog, h, notice, toast } from '../../elements/index.js';
import { t } from '../../i18n/index.js';
import { addressOn, needsApproval } from './subject.js';

/** The fewest and the most characters of the reason of a change without an approval. */
const breakGlassLengths = { least: 10, most: 500 };

/**
 * Returns what a dialog or a page needs for a change that waits for a second person on a protected channel.
 *
 * @param {any} context
 * @param {string} channel
 * @param {string} change such as `widen`
 * @param {(extra: any) => Promise<any>} run makes the change with further members of the body
 * @returns {{isNeeded: boolean, members: () => any, nodes: (close: (value: any) => void) => any[]}} `members` returns the
 *   members of the body; `nodes` is given what to do once an admin has made the change without an approval
 */
export function approvalPart(context, channel, change, run) {
  const isNeeded = needsApproval(context, channel, change);
  if (!isNeeded) return { isNeeded, members: () => ({}), nodes: () => [] };
  const reason = textArea({ name: 'approvalReason', rows: 2, maxlength: breakGlassLengths.most });
  return {
    isNeeded,
    members: () => (reason.value.trim() ? { approvalReason: reason.value.trim() } : {}),
    nodes: (close) => [
      notice('info', t('release.protected', { channel })),
      field(t('release.approval-reason'), reason, { hint: t('release.approval-reason-hint') }),
      context.session.may('admin', { app: context.app, channel })
        ? h('p', { class: 'small' }, button(t('release.break-glass'), { kind: 'quiet', small: true, onclick: async () => {
          const value = await askBreakGlass(channel, run);
          if (value !== null) close(value);
        } })) : null,
    ],
  };
}

/**
 * Asks an admin for the reason to make a change without a second person, and makes it.
 *
 * @param {string} channel
 * @param {(extra: any) => Promise<any>} run
 * @returns {Promise<any>} the value of `run`, or `null`
 */
function askBreakGlass(channel, run) {
  const reason = textArea({ name: 'breakGlass', rows: 3, minlength: breakGlassLengths.least, maxlength: breakGlassLengths.most, autofocus: true });
  const place = field(t('release.break-glass-reason'), reason, {
    required: true, hint: t('release.break-glass-hint', { n: breakGlassLengths.least }),
  });
  return dialog({
    title: t('release.break-glass-title', { channel }),
    body: [h('p', null, t('release.break-glass-text')), place],
    confirm: t('release.break-glass-confirm'), kind: 'danger-fill',
    act: async () => {
      const text = reason.value.trim();
      if (text.length < breakGlassLengths.least) {
        throw Object.assign(new Error(t('release.break-glass-short', { n: breakGlassLengths.least })), { status: 400, member: 'breakGlass' });
      }
      return run({ breakGlass: text });
    },
  });
}

/**
 * Says that a change waits for a second person.
 *
 * @param {any} context
 * @param {any} approval
 */
export function showRequest(context, approval) {
  toast(t('approval.requested', { id: String(approval.id) }), {
    action: { label: t('approval.show'), run: () => { location.hash = addressOn(context, approval.channel, 'approvals', String(approval.id)); } },
  });
}
