import { badge, button, h, later, menu, tag } from '../../elements/index.js';
import { textInput } from '../../elements/inputs.js';
import { relativeTime } from '../../elements/time.js';
import { roleWall } from '../../elements/role-wall.js';
import { t } from '../../i18n/index.js';
import { grantText, pagedPanel } from './parts.js';
import { providersPanel } from './providers.js';

/** Loads what is done with a member. */
const load = () => import('./member-actions.js');

/** Opens the tab with the people who may sign in. */
export async function open(context) {
  const wall = roleWall(context, 'admin', {});
  if (wall) return { title: t('settings.tab-members'), content: [wall] };
  let timer;
  const search = textInput({
    type: 'search', name: 'text', value: context.query.get('text') ?? '', placeholder: t('settings.member-search'), 'aria-label': t('settings.member-search'),
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(() => { context.setQuery({ text: search.value }, { reload: false }); panel.restart(); }, 200);
    },
  });

  const panel = pagedPanel(context, {
    title: t('settings.tab-members'), actions: [search], where: 'users', list: 'users', query: () => ({ text: search.value }),
    caption: t('settings.tab-members'), empty: { icon: 'users', title: t('settings.members-empty') },
    columns: [{ label: t('settings.name') }, { label: t('settings.grants'), full: true }, { label: t('settings.second-factor') },
      { label: t('settings.signed-in') }, { label: t('settings.actions'), hidden: true }],
    row: (user) => ({ cells: [
      h('span', { class: 'row' }, h('b', null, user.name), user.name === context.session.user ? badge(t('settings.you')) : null,
        user.provider ? badge(user.provider, 'info', 'key') : null, user.disabled ? badge(t('settings.disabled'), 'warn', 'cross') : null),
      h('span', { class: 'tags' }, user.grants.map((grant) => tag(grantText(grant)))),
      user.totp ? badge(t('settings.on'), 'good', 'shield') : h('span', { class: 'ink3' }, t('settings.off')),
      user.signedInAt ? relativeTime(user.signedInAt) : h('span', { class: 'ink3' }, t('settings.never')),
      menu(null, async () => (await load()).memberActions(context, panel).items(user), { icon: 'more', name: t('settings.actions-of', { name: user.name }) }),
    ] }),
  });

  return {
    title: t('settings.tab-members'), sub: t('settings.members-text'),
    actions: [button(t('settings.member-new'), { icon: 'plus', kind: 'primary', onclick: later(load, (module) => module.memberActions(context, panel).add()) })],
    content: [panel, providersPanel(context)],
  };
}
