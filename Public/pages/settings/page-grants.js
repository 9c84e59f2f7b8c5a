import { api, path } from '../../api/client.js';
import { field } from '../../elements/fields.js';
import { textInput } from '../../elements/inputs.js';
import { badge, button, dialog, h, menu, tag, toast } from '../../elements/index.js';
import { relativeTime, timeTag } from '../../elements/time.js';
import { dateTimeInput } from '../../elements/moments.js';
import { t } from '../../i18n/index.js';
import { pagedPanel, removalDialog } from './parts.js';

/** The time in milliseconds for which a new grant holds if nothing else is entered. */
const standardTime = 90 * 86_400_000;

/** The time in milliseconds before its end from which a grant is marked. */
const soon = 14 * 86_400_000;

/** Opens the tab with the native APIs that pages outside packages may use. */
export async function open(context) {
  const { app, session } = context;
  const reason = session.reason('releaser', { app });
  const where = (name) => path('apps', app, 'page-grants', name);

  const panel = pagedPanel(context, {
    title: t('page-grants.title'), where: path('apps', app, 'page-grants'), list: 'pageGrants', caption: t('page-grants.title'),
    changes: (event) => event.action?.startsWith('page-grant.'),
    empty: { icon: 'globe', title: t('page-grants.none'), text: t('page-grants.none-text'), actions: [button(t('page-grants.new'), { onclick: () => edit(null), reason })] },
    columns: [{ label: t('page-grants.pages') }, { label: t('page-grants.apis') }, { label: t('page-grants.expires') }, { label: t('page-grants.actions'), numeric: true, hidden: true }],
    row: (grant) => ({ cells: [
      h('div', null, h('b', null, grant.name), h('div', { class: 'small' }, h('code', null, `${grant.origin}${grant.path}`))),
      h('span', { class: 'row' }, grant.apis.map((each) => tag(each))), expiry(grant),
      menu(null, [
        { label: t('page-grants.edit'), icon: 'edit', onclick: () => edit(grant), reason },
        { label: t('page-grants.delete'), icon: 'trash', danger: true, onclick: () => remove(grant), reason },
      ], { name: t('page-grants.actions-of', { name: grant.name }), small: true, kind: 'quiet' }),
    ] }),
  });

  const put = async (name, { origin, path: below, apis, expires }, options) => {
    const { value } = await api.send('PUT', where(name), { origin, path: below, apis, expires }, options);
    panel.reload();
    return value;
  };

  async function edit(grant) {
    const name = field(t('page-grants.name'), textInput({ name: 'name', maxlength: 63, class: 'mono', autofocus: true }), { required: true, hint: t('page-grants.name-hint') });
    const origin = field(t('page-grants.origin'), textInput({ name: 'origin', value: grant?.origin ?? 'https://', class: 'mono', autofocus: Boolean(grant) }), { required: true, hint: t('page-grants.origin-hint') });
    const below = field(t('page-grants.path'), textInput({ name: 'path', value: grant?.path ?? '/', class: 'mono' }), { required: true, hint: t('page-grants.path-hint') });
    const apis = field(t('page-grants.apis'), textInput({ name: 'apis', value: grant?.apis.join(', ') ?? '', placeholder: 'camera, pay' }), { required: true, hint: t('page-grants.apis-hint') });
    const expires = field(t('page-grants.expires'), dateTimeInput({ name: 'expires', value: grant?.expires ?? new Date(Date.now() + standardTime).toISOString() }), { required: true });
    const tagNow = grant ? (await api.read(where(grant.name))).tag : undefined;
    const done = await dialog({
      title: grant ? t('page-grants.edit-title', { name: grant.name }) : t('page-grants.new-title'), confirm: grant ? t('page-grants.save') : t('page-grants.create'),
      body: [grant ? null : name, origin, below, apis, expires].filter(Boolean),
      act: () => put(grant?.name ?? name.control.value.trim(), {
        origin: origin.control.value.trim(), path: below.control.value.trim(), apis: apis.control.value.split(/[\s,]+/).filter(Boolean), expires: expires.control.value,
      }, { tag: tagNow }),
    });
    if (!done) return;
    const undo = grant ? () => put(grant.name, grant) : async () => { await api.send('DELETE', where(done.name)); panel.reload(); };
    toast(grant ? t('page-grants.saved', { name: done.name }) : t('page-grants.made', { name: done.name }), { action: { label: t('page-grants.undo'), run: undo } });
  }

  async function remove(grant) {
    const removed = await removalDialog({
      title: t('page-grants.delete-title', { name: grant.name }), text: t('page-grants.delete-text', { url: `${grant.origin}${grant.path}` }), name: grant.name,
      confirm: t('page-grants.delete-do'), where: where(grant.name),
    });
    if (!removed) return;
    panel.reload();
    const isOver = new Date(grant.expires) <= new Date();
    toast(t('page-grants.deleted', { name: grant.name }), isOver ? {} : { action: { label: t('page-grants.undo'), run: () => put(grant.name, grant) } });
  }

  return {
    title: t('page-grants.title'), sub: t('page-grants.text'), content: [panel],
    actions: [button(t('page-grants.new'), { icon: 'plus', kind: 'primary', onclick: () => edit(null), reason })],
  };
}

function expiry(grant) {
  const rest = new Date(grant.expires).getTime() - Date.now();
  if (rest <= 0) return badge(t('page-grants.over'), 'bad', 'clock');
  return h('div', null, timeTag(grant.expires), h('div', { class: rest < soon ? 'small warn-text' : 'small muted' }, relativeTime(grant.expires)));
}
