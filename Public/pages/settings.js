import { h } from '../elements/index.js';
import { withStyle } from '../elements/stylesheet.js';
import { tabs } from '../elements/tabs.js';
import { t } from '../i18n/index.js';

/** The tabs of the settings, in their order, with their modules. */
const modules = {
  channels: () => import('./settings/channels.js'),
  health: () => withStyle(import('./settings/health.js'), 'releases.css'),
  'device-lists': () => import('./settings/device-lists.js'),
  'page-grants': () => import('./settings/page-grants.js'),
  dialects: () => import('./settings/dialects.js'),
  keys: () => import('./settings/keys.js'),
  webhooks: () => import('./settings/webhooks.js'),
  tokens: () => import('./settings/tokens.js'),
  trusts: () => import('./settings/trusts.js'),
  members: () => import('./settings/members.js'),
  system: () => import('./settings/system.js'),
  account: () => import('./settings/account.js'),
};

/**
 * Opens the settings with one of their tabs. The module of a tab returns `{title, content, actions}` for the tab itself, and
 * for an item of it also the title of that item.
 *
 * @param {any} context
 * @returns {Promise<any>}
 */
export async function open(context) {
  const name = Object.hasOwn(modules, context.params.tab ?? '') ? context.params.tab : 'channels';
  if (name !== context.params.tab) history.replaceState(null, '', context.href(`settings/${name}`));
  const { item } = context.params;
  const page = await (await modules[name]()).open(context);
  const bar = tabs(Object.keys(modules).map((each) => ({
    label: t(`settings.tab-${each}`), href: context.href(`settings/${each}`), current: each === name,
  })), { label: t('settings.tabs') });
  requestAnimationFrame(() => bar.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }));
  const crumbs = [{ label: t('nav.settings'), href: context.href('settings/channels') }];
  if (item) crumbs.push({ label: t(`settings.tab-${name}`), href: context.href(`settings/${name}`) });
  return {
    title: item ? page.title : t('nav.settings'),
    crumbTitle: item ? page.title : t(`settings.tab-${name}`),
    pageTitle: item ? page.title : `${t(`settings.tab-${name}`)} – ${t('nav.settings')}`,
    crumbs, badge: page.badge, sub: item ? page.sub : undefined,
    actions: item ? page.actions : undefined,
    content: [bar, !item && (page.sub || page.actions?.length) ? lead(page) : null, page.content],
  };
}

/** Returns what a tab is for, with its actions. */
function lead(page) {
  return h('div', { class: 'row tab-lead' }, h('p', { class: 'grow ink2' }, page.sub ?? ''), page.actions ?? []);
}
