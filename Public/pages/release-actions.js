import { button, later } from '../elements/index.js';
import { t } from '../i18n/index.js';
import { needsApproval, shownAction } from './release/subject.js';

/** The actions in the order of their buttons, each with its icon. */
const icons = { widen: 'plus', complete: 'check', reschedule: 'clock', resume: 'play', pause: 'pause', halt: 'stop', rollback: 'undo', cancel: 'cross' };

/**
 * Returns the buttons of the actions that the state of a release or a release set allows.
 *
 * @param {any} context
 * @param {any} release
 * @param {{only?: string[], small?: boolean}} options `only` selects actions
 * @returns {any[]}
 */
export function releaseActions(context, release, { only, small } = {}) {
  const reason = context.session.reason('releaser', { app: context.app, channel: release.channel });
  return Object.keys(icons).filter((action) => release.allowed.includes(action) && (!only || only.includes(action)) && !(action === 'widen' && release.percent >= 100 && !release.rules?.length))
    .map((action) => button(labelOf(context, release, action), {
      icon: icons[shownAction(release, action)], small, reason, 'data-key': `action-${action}`,
      kind: action === 'rollback' ? 'danger' : undefined,
      onclick: () => runAction(context, release, action),
    }));
}

/** Returns the label of an action's button; `…` says that a dialog follows. */
export function labelOf(context, release, action) {
  return action === 'pause' || (action === 'resume' && isDirect(context, release, 'resume')) ? t(`release.action.${action}-now`) : t(`release.action.${shownAction(release, action)}`);
}

/** Returns whether an action is made without a dialog. */
export function isDirect(context, release, action) {
  if (action === 'pause') return true;
  return action === 'resume' && release.state !== 'halted' && !needsApproval(context, release.channel, action);
}

/**
 * Runs an action of a release or a release set: with a dialog that shows its consequence, if it has one.
 *
 * @type {(context: any, release: any, action: string) => Promise<any>} `action` is one of `allowed`; resolves to the changed
 *   release or the approval request, and to `null` if nothing was changed
 */
export const runAction = later(() => import('./release/perform.js'), (module, context, release, action) => module.perform(context, release, action));
