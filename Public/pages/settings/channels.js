import { api, path, Problem } from '../../api/client.js';
import { checkbox, field } from '../../elements/fields.js';
import { textInput } from '../../elements/inputs.js';
import { badge, button, dialog, h, menu, toast } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { livePanel } from '../../elements/live.js';
import { t } from '../../i18n/index.js';
import { baseURL, removalDialog } from './parts.js';

/** Opens the tab with the channels of the app. */
export async function open(context) {
  const { app, session } = context;
  const where = (name) => path('apps', app, 'channels', name);
  const protectReason = session.reason('admin', { app });

  const panel = livePanel(context, {
    title: t('settings.channels'),
    load: async (signal) => (await api.get(path('apps', app, 'channels'), { signal })).channels,
    changes: (event) => event.action?.startsWith('channel.'),
    render: (channels) => table({
      caption: t('settings.channels'),
      columns: [{ label: t('settings.name') }, { label: t('settings.protection') }, { label: t('settings.base-url'), full: true }, { label: t('settings.actions'), hidden: true }],
      rows: channels.map((channel) => ({ cells: [
        h('b', null, channel.name),
        channel.approvals ? badge(t('settings.protected'), 'good', 'lock') : h('span', { class: 'ink3' }, t('settings.unprotected')),
        h('code', null, baseURL(app, channel.name)),
        menu(null, [
          channel.approvals
            ? { label: t('settings.unprotect'), icon: 'lock', onclick: () => protect(channel, 0), reason: protectReason }
            : { label: t('settings.protect'), icon: 'lock', onclick: () => protect(channel, 1), reason: protectReason },
          { label: t('settings.delete'), icon: 'trash', danger: true, onclick: () => remove(channel), reason: session.reason('releaser', { app }) },
        ], { icon: 'more', name: t('settings.actions-of', { name: channel.name }) }),
      ] })),
    }),
  });

  async function protect(channel, approvals) {
    const { tag } = await api.read(where(channel.name));
    const result = await dialog({
      title: t(approvals ? 'settings.protect-title' : 'settings.unprotect-title', { name: channel.name }),
      body: [h('p', null, t(approvals ? 'settings.protect-text' : 'settings.unprotect-text', { name: channel.name }))],
      confirm: t(approvals ? 'settings.protect-do' : 'settings.unprotect-do'), kind: approvals ? 'primary' : 'danger-fill',
      act: async () => (await api.send('PUT', where(channel.name), { approvals }, { tag })).value,
    });
    if (!result) return;
    panel.reload();
    context.changed();
    toast(t(approvals ? 'settings.protect-done' : 'settings.unprotect-done', { name: channel.name }), { action: {
      label: t('settings.undo'), run: async () => {
        await api.send('PUT', where(channel.name), { approvals: approvals ? 0 : 1 });
        panel.reload();
        context.changed();
      },
    } });
  }

  async function add() {
    const name = field(t('settings.name'), textInput({ name: 'name', autocapitalize: 'none', spellcheck: 'false' }), { hint: t('settings.channel-hint') });
    const guarded = checkbox(t('settings.protect-new'), { name: 'approvals', hint: t('settings.protect-hint') });
    const made = await dialog({
      title: t('settings.channel-new-title'), body: [name, protectReason ? null : guarded], confirm: t('settings.create'), kind: 'primary',
      act: async () => {
        const id = name.control.value.trim();
        if (context.channels.some((each) => each.name === id)) throw new Problem(t('settings.channel-exists', { name: id }));
        const approvals = guarded.checked ? 1 : 0;
        return (await api.send('PUT', where(id), approvals ? { approvals } : {})).value;
      },
    });
    if (!made) return;
    panel.reload();
    toast(t('settings.channel-made', { name: made.name }), {
      action: { label: t('settings.delete-do'), run: async () => { await api.send('DELETE', where(made.name)); panel.reload(); } },
    });
  }

  async function remove(channel) {
    const { name } = channel;
    const removed = await removalDialog({
      title: t('settings.channel-delete-title', { name }), text: t('settings.channel-delete-text'), name, confirm: t('settings.delete-do'),
      where: where(name),
    });
    if (!removed) return;
    panel.reload();
    toast(t('settings.deleted', { name }), {
      action: { label: t('settings.restore'), run: async () => { await api.send('PUT', where(name), {}); panel.reload(); } },
    });
  }

  return {
    title: t('settings.channels'), sub: t('settings.channels-text'),
    actions: [button(t('settings.channel-new'), { icon: 'plus', kind: 'primary', onclick: add, reason: session.reason('releaser', { app }) })],
    content: [panel],
  };
}
