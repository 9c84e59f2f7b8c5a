import { api, path, Problem } from '../../api/client.js';
import { field } from '../../elements/fields.js';
import { textInput } from '../../elements/inputs.js';
import { dialog, toast } from '../../elements/index.js';
import { t } from '../../i18n/index.js';

/** The ids that the server accepts. */
const idPattern = '[A-Za-z0-9][A-Za-z0-9._\\-]*';

/**
 * Asks for the id and the settings of a new package, creates it, and opens its page.
 *
 * @param {any} context
 */
export async function newPackage(context) {
  const urlPrefix = textInput({ name: 'urlPrefix', class: 'mono', oninput: () => { isOwnPrefix = true; } });
  let isOwnPrefix = false;
  const id = textInput({
    name: 'id', class: 'mono', autofocus: true, pattern: idPattern,
    oninput: () => { if (!isOwnPrefix) urlPrefix.value = id.value.trim() ? `/${id.value.trim()}/` : ''; },
  });
  const name = textInput({ name: 'name' });
  const entry = textInput({ name: 'entry', class: 'mono', value: 'index.html' });
  const made = await dialog({
    title: t('packages.new'),
    body: [
      field(t('packages.id'), id, { hint: t('packages.id-hint'), required: true }),
      field(t('packages.name'), name, { hint: t('packages.name-hint') }),
      field(t('packages.prefix'), urlPrefix, { hint: t('packages.prefix-hint') }),
      field(t('packages.entry'), entry, { hint: t('packages.entry-hint') }),
    ],
    confirm: t('packages.create'),
    act: async () => {
      const where = path('apps', context.app, 'packages', id.value.trim());
      if (await exists(context, id.value.trim())) throw new Problem(t('packages.exists', { id: id.value.trim() }), { status: 409, member: 'id' });
      const { value } = await api.send('PUT', where, {
        name: name.value.trim() || null, urlPrefix: urlPrefix.value.trim() || null, entry: entry.value.trim() || null,
      });
      return value;
    },
  });
  if (!made) return;
  toast(t('packages.created', { name: made.name }), { kind: 'good' });
  context.changed();
  context.go(`packages/${made.id}`);
}

/** Returns whether the app has a package: a `PUT` would change it. */
async function exists(context, id) {
  const { packages } = await context.get(['packages'], { text: id });
  return packages.some((each) => each.id === id);
}
