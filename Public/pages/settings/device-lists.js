import { api, path } from '../../api/client.js';
import { field } from '../../elements/fields.js';
import { textArea, textInput } from '../../elements/inputs.js';
import { button, code, dialog, h, menu, toast } from '../../elements/index.js';
import { timeTag } from '../../elements/time.js';
import { number, t, tn } from '../../i18n/index.js';
import { pagedPanel, removalDialog } from './parts.js';

/** The largest file in bytes whose text is put into the field. */
const shownBytes = 200_000;

/**
 * Returns the device ids of a text, one from each line, without blank lines and repetitions.
 *
 * @param {string} text
 * @returns {string[]}
 */
function deviceIDs(text) {
  return [...new Set(text.replace(/^\uFEFF/, '').split(/\r?\n/).map((line) => line.trim()).filter(Boolean))];
}

/** Opens the tab with the device lists of the app. */
export async function open(context) {
  const { app, session } = context;
  const reason = session.reason('releaser', { app });
  const where = (name) => path('apps', app, 'device-lists', name);

  const panel = pagedPanel(context, {
    title: t('device-lists.title'), where: path('apps', app, 'device-lists'), list: 'deviceLists', caption: t('device-lists.title'),
    changes: (event) => /^device(-list)?\./.test(event.action ?? ''),
    empty: {
      icon: 'users', title: t('device-lists.none'), text: t('device-lists.none-text'),
      actions: [button(t('device-lists.new'), { onclick: () => edit(null), reason }), code('larder device-list put testers ids.txt')],
    },
    columns: [{ label: t('device-lists.name') }, { label: t('device-lists.devices'), numeric: true }, { label: t('device-lists.changed') }, { label: t('device-lists.actions'), numeric: true, hidden: true }],
    row: (list) => ({ cells: [
      h('b', null, list.name), number(list.devices), timeTag(list.changedAt),
      menu(null, [
        { label: t('device-lists.replace'), icon: 'edit', onclick: () => edit(list), reason },
        { label: t('device-lists.delete'), icon: 'trash', danger: true, onclick: () => remove(list), reason },
      ], { name: t('device-lists.actions-of', { name: list.name }), small: true, kind: 'quiet' }),
    ] }),
  });

  async function edit(list) {
    const name = field(t('device-lists.name'), textInput({ name: 'name', maxlength: 63, class: 'mono', autofocus: !list }), { required: true, hint: t('device-lists.name-hint') });
    const ids = textArea({ name: 'ids', rows: 8, class: 'mono', autofocus: Boolean(list), oninput: () => { file = null; count(); } });
    const summary = h('span', null, t('device-lists.ids-hint'));
    let file = null;
    const count = () => { summary.textContent = ids.value.trim() ? t('device-lists.count', { n: deviceIDs(ids.value).length }) : t('device-lists.ids-hint'); };
    const chooser = h('input', { type: 'file', accept: '.txt,.csv,text/plain', hidden: true, onchange: async () => {
      const [chosen] = chooser.files;
      if (!chosen) return;
      const text = await chosen.text();
      const isShort = chosen.size <= shownBytes;
      file = isShort ? null : deviceIDs(text);
      ids.value = isShort ? text : '';
      if (file) summary.textContent = t('device-lists.file', { name: chosen.name, n: file.length });
      else count();
      chooser.value = '';
    } });
    const put = async (options = {}) => {
      const body = new Blob([(file ?? deviceIDs(ids.value)).join('\n')], { type: 'text/plain' });
      return (await api.send('PUT', where(list?.name ?? name.control.value.trim()), body, options)).value;
    };
    const tag = list ? (await api.read(where(list.name))).tag : undefined;
    const done = await dialog({
      title: list ? t('device-lists.replace-title', { name: list.name }) : t('device-lists.new-title'), confirm: list ? t('device-lists.replace-do') : t('device-lists.create'),
      body: [
        list ? h('p', null, t('device-lists.replace-text', { n: list.devices })) : name,
        field(t('device-lists.ids'), ids, { hint: summary }),
        h('div', null, button(t('device-lists.choose'), { icon: 'file', small: true, onclick: () => chooser.click() }), chooser),
        h('p', { class: 'small muted' }, t('device-lists.stored')),
      ],
      act: () => put({ tag }),
    });
    if (!done) return;
    panel.reload();
    context.changed();
    toast(list ? t('device-lists.replaced', { name: done.name, n: done.devices }) : t('device-lists.made', { name: done.name, n: done.devices }), list ? {} : {
      action: { label: t('device-lists.undo'), run: async () => { await api.send('DELETE', where(done.name)); panel.reload(); } },
    });
  }

  async function remove(list) {
    const removed = await removalDialog({
      title: t('device-lists.delete-title', { name: list.name }), text: t('device-lists.delete-text', { n: list.devices }), name: list.name,
      confirm: t('device-lists.delete-do'), where: where(list.name),
    });
    if (!removed) return;
    panel.reload();
    toast(t('device-lists.deleted', { name: list.name }));
  }

  return {
    title: t('device-lists.title'), sub: tn('device-lists.text', {}), content: [panel],
    actions: [button(t('device-lists.new'), { icon: 'plus', kind: 'primary', onclick: () => edit(null), reason })],
  };
}
