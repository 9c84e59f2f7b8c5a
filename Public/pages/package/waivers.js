import { api, path } from '../../api/client.js';
import { field } from '../../elements/fields.js';
import { textArea, textInput } from '../../elements/inputs.js';
import { button, code, dialog, h, toast } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { relativeTime } from '../../elements/time.js';
import { livePanel } from '../../elements/live.js';
import { t } from '../../i18n/index.js';
import { actorName } from '../parts/actor.js';
import { listPosition } from '../parts/paged.js';
import { minor } from '../parts/release-basics.js';

/**
 * Returns the part of a package's page with the findings of the linter that it accepts.
 *
 * @param {any} context
 * @param {any} each the package
 */
export function content(context, each) {
  const reason = context.session.reason('releaser', { app: context.app });
  const where = (code_) => path('apps', context.app, 'packages', each.id, 'waivers', ...(code_ ? [code_] : []));
  const position = listPosition(context, () => panel.reload());
  const put = (waiver) => api.send('PUT', where(waiver.code), { reason: waiver.reason }, { query: { path: waiver.path } });
  const remove = async (waiver) => {
    const done = await dialog({
      title: t('package.remove-waiver-title', { code: waiver.code }),
      body: h('p', null, t('package.remove-waiver-text')), confirm: t('package.remove-waiver-confirm'), kind: 'danger',
      act: () => api.send('DELETE', where(waiver.code), undefined, { query: { path: waiver.path } }),
    });
    if (!done) return;
    panel.reload();
    toast(t('package.waiver-removed', { code: waiver.code }), { action: { label: t('package.waive-again'), run: () => put(waiver).then(() => panel.reload()) } });
  };
  const add = async () => {
    const waiver = await askWaiver(put);
    if (!waiver) return;
    panel.reload();
    toast(t('package.waived', { code: waiver.code }));
  };
  const addButton = () => button(t('package.waive'), { icon: 'plus', reason, onclick: add });
  const panel = livePanel(context, {
    title: t('package.tab-waivers'), note: t('package.waivers-note'), actions: [addButton()], rows: 3,
    changes: ({ action, subject }) => action.startsWith('waiver.') && subject === each.id,
    load: (signal) => api.read(where(), { signal, query: position.query() }),
    isEmpty: ({ value }) => value.waivers.length === 0,
    empty: { icon: 'check', title: t('package.no-waivers'), text: t('package.no-waivers-text') },
    render: ({ value: { waivers }, next }, element) => {
      element.setFooter(position.pager(next, waivers.length));
      return table({
        caption: t('package.tab-waivers'),
        columns: [
          { label: t('package.finding') }, { label: t('package.reason'), full: true }, { label: t('package.waived-by') },
          { label: t('package.actions'), hidden: true, full: true },
        ],
        rows: waivers.map((waiver) => ({
          key: `${waiver.code} ${waiver.path ?? ''}`,
          cells: [
            [code(waiver.code), minor(waiver.path ?? t('package.every-file'))], waiver.reason,
            [actorName(waiver.by), minor(relativeTime(waiver.at))],
            button(t('package.remove-waiver'), {
              small: true, kind: 'danger', reason, onclick: () => remove(waiver), name: t('package.remove-waiver-name', { code: waiver.code }),
            }),
          ],
        })),
      });
    },
  });
  return [panel];
}

async function askWaiver(put) {
  const codeInput = textInput({ name: 'code', class: 'mono', autofocus: true });
  const pathInput = textInput({ name: 'path', class: 'mono' });
  const reason = textArea({ name: 'reason', rows: 2, maxlength: 500 });
  return dialog({
    title: t('package.waive-title'),
    body: [
      field(t('package.finding'), codeInput, { hint: t('package.finding-hint'), required: true }),
      field(t('package.path'), pathInput, { hint: t('package.path-hint') }),
      field(t('package.reason'), reason, { hint: t('package.waiver-reason-hint'), required: true }),
    ],
    confirm: t('package.waive-confirm'),
    act: async () => (await put({ code: codeInput.value.trim(), path: pathInput.value.trim() || null, reason: reason.value.trim() })).value,
  });
}
