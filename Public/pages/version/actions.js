import { api } from '../../api/client.js';
import { field } from '../../elements/fields.js';
import { dialog, h, toast } from '../../elements/index.js';
import { textArea, textInput } from '../../elements/inputs.js';
import { t } from '../../i18n/index.js';

/** Asks for the notes of a version. */
export async function editNotes(context, page) {
  const text = textArea({ name: 'notes', rows: 8, value: page.version.notes ?? '', maxlength: 2000, autofocus: true });
  const before = page.version.notes ?? null;
  const put = (notes, tag) => api.send('PUT', `${page.where}/notes`, { notes }, { tag });
  const changed = await dialog({
    title: t('version.notes-title', { version: page.name }), confirm: t('version.save'),
    body: [field(t('version.notes'), text, { hint: t('version.notes-hint') })],
    act: () => put(text.value.trim() || null, page.tag),
  });
  if (!changed) return;
  toast(t('version.notes-saved'), { action: { label: t('version.undo'), run: async () => { await put(before, changed.tag); context.reload(); } } });
  context.reload();
}

/** Retires a version, after a question. */
export async function retire(context, page) {
  const reason = textInput({ name: 'reason', maxlength: 500, autofocus: true });
  const done = await dialog({
    title: t('version.retire-title', { version: `${page.id} ${page.name}` }), confirm: t('version.retire-confirm'), kind: 'danger-fill',
    load: async (signal) => {
      await api.send('POST', `${page.where}/retire`, { reason: t('version.retire-confirm') }, { dryRun: true, signal });
      return [h('p', null, t('version.retire-text'))];
    },
    body: [field(t('finding.reason'), reason, { required: true })],
    act: () => api.send('POST', `${page.where}/retire`, { reason: reason.value.trim() }, { tag: page.tag }),
  });
  if (!done) return;
  toast(t('version.retired-done', { version: page.name }), { action: { label: t('version.undo'), run: () => post(context, page, 'unretire') } });
  context.reload();
}

/** Makes a retired version releasable again. */
export async function unretire(context, page) {
  const { reason } = page.version.retired;
  try {
    await post(context, page, 'unretire');
    toast(t('version.unretired-done', { version: page.name }), { action: { label: t('version.undo'), run: () => post(context, page, 'retire', { reason }) } });
  } catch (problem) {
    toast(problem.message, { kind: 'bad' });
  }
}

async function post(context, page, action, body = {}) {
  await api.send('POST', `${page.where}/${action}`, body);
  context.reload();
}

/** Downloads the archive that devices get. */
export async function downloadArchive(context, page) {
  try {
    const { archives } = await context.get(['packages', page.id, 'versions', page.name, 'archives']);
    const archive = archives.find((each) => each.layout === 'app-folder') ?? archives[0];
    location.assign(archive.url);
  } catch (problem) {
    toast(problem.message, { kind: 'bad' });
  }
}
