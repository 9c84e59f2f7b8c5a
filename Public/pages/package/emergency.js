import { later } from '../../elements/index.js';
import { t } from '../../i18n/index.js';

/**
 * Returns the items of the menu for emergencies.
 *
 * @param {any} context
 * @param {any} each the package
 * @param {string | undefined} tag its state as the page shows it
 * @returns {any[]}
 */
export function emergencyItems(context, each, tag) {
  const appReason = context.session.reason('releaser', { app: context.app });
  const channelReason = context.session.reason('releaser', context.scope);
  const isOnline = each.onlineUntil && new Date(each.onlineUntil) > new Date();
  const run = (name) => later(() => import('./emergency-dialogs.js'), async (dialogs) => {
    if (await dialogs[name](context, each, tag)) context.reload();
  });
  return [
    isOnline
      ? { label: t('package.end-online-item'), icon: 'globe', reason: appReason, onclick: run('endOnline') }
      : { label: t('package.online-item'), icon: 'globe', reason: appReason, onclick: run('serveOnline') },
    {
      label: t(each.enable ? 'package.off-item' : 'package.on-item'), icon: each.enable ? 'pause' : 'play', reason: appReason,
      onclick: run('switchUpdates'),
    },
    null,
    {
      label: t('package.kill-item'), icon: 'stop', danger: true, onclick: run('kill'),
      reason: channelReason ?? (each.enable ? null : t('package.kill-off')),
    },
  ];
}
