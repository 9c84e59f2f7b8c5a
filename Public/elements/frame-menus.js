import { path } from '../api/client.js';
import { t } from '../i18n/index.js';
import { navigation } from '../pages/index.js';
import { later } from './later.js';

/** Returns the items of the menu of channels and apps. */
export function placeItems({ app, channel, apps, channels }) {
  return [
    ...channels.map((each) => ({
      label: each.name, icon: each.approvals ? 'lock' : undefined, href: `#/${path(app, each.name)}`, current: each.name === channel,
      group: t('nav.channels'),
    })),
    ...(apps.length > 1 ? apps.map((each) => ({
      label: each.name ?? each.id, href: `#/${path(each.id)}`, current: each.id === app, group: t('nav.apps'),
    })) : []),
  ];
}

/** Returns the items of the menu of the person. */
export function accountItems(frame) {
  return [
    { label: t('account.title'), icon: 'user', href: frame.context.href('settings/account') },
    { label: t('shortcuts.title'), icon: 'info', onclick: later(() => import('./shortcuts.js'), (module) => module.showShortcuts()) },
    { label: t('nav.reference'), icon: 'external', href: 'api' },
    { label: t('account.sign-out'), icon: 'arrow-right', onclick: () => frame.leave() },
  ];
}

/** Returns the items of the menu with the pages that a narrow screen does not show. */
export function moreItems(frame, shown) {
  return [
    ...navigation.filter((entry) => !shown.includes(entry.name))
      .map((entry) => ({ label: t(`nav.${entry.name}`), icon: entry.icon, href: frame.context.href(entry.path) })),
    { label: t('account.title'), icon: 'user', href: frame.context.href('settings/account') },
    { label: t('account.sign-out'), icon: 'arrow-right', onclick: () => frame.leave() },
  ];
}
