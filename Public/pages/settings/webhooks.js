import { path } from '../../api/client.js';
import { badge, button, h, later, tag } from '../../elements/index.js';
import { roleWall } from '../../elements/role-wall.js';
import { t } from '../../i18n/index.js';
import { pagedPanel } from './parts.js';

/** The kind and the icon of each state of a webhook and each outcome of an attempt. */
const looks = {
  active: ['good', 'check'], failing: ['bad', 'warning'], paused: ['warn', 'pause'], unreadable: ['bad', 'warning'],
  delivered: ['good', 'check'], rejected: ['bad', 'cross'], unreachable: ['bad', 'warning'], forbidden: ['bad', 'lock'],
};

/** Opens the tab with the webhooks of the app, or one of them. */
export async function open(context) {
  const { app } = context;
  const wall = roleWall(context, 'admin', { app });
  if (wall) return { title: t('settings.tab-webhooks'), content: [wall] };
  return context.params.item ? (await import('./webhook.js')).openOne(context) : openAll(context);
}

/** Returns the badge of a webhook's state, or of an attempt's outcome. */
export const badgeOf = (name) => badge(t(`settings.webhook-${name}`), ...looks[name] ?? []);

function openAll(context) {
  const { app } = context;
  const panel = pagedPanel(context, {
    title: t('settings.tab-webhooks'), where: path('apps', app, 'webhooks'), list: 'webhooks', caption: t('settings.tab-webhooks'),
    changes: (event) => event.action?.startsWith('webhook.'),
    empty: { icon: 'external', title: t('settings.webhooks-empty'), text: t('settings.webhooks-empty-text') },
    columns: [{ label: t('settings.receiver') }, { label: t('settings.kind') }, { label: t('settings.events'), full: true }, { label: t('settings.state') }],
    row: (webhook) => ({
      href: context.href(`settings/webhooks/${webhook.id}`),
      cells: [
        [`#${webhook.id} `, host(webhook)], t(`settings.kind-${webhook.kind}`), h('span', { class: 'tags' }, webhook.events.map((each) => tag(each))),
        h('span', null, badgeOf(webhook.state), webhook.failures ? h('div', { class: 'small ink3' }, t('settings.failures', { n: webhook.failures })) : null),
      ],
    }),
  });

  return {
    title: t('settings.tab-webhooks'), sub: t('settings.webhooks-text'),
    actions: [button(t('settings.webhook-new'), { icon: 'plus', kind: 'primary', onclick: later(() => import('./webhook.js'), (module) => module.addWebhook(context)) })],
    content: [panel],
  };
}

/** Returns the host to which a webhook sends. */
export function host(webhook) {
  try {
    return new URL(webhook.url).host;
  } catch {
    return t('settings.webhook-unreadable');
  }
}
