import { Problem, getAll, path, putTagged } from './api.js';
import { empty, field, h, table } from './dom.js';
import { Form } from './form.js';
import { number } from './format.js';

/** Returns the page with the packages of an app and a form for a new one. */
export async function packagesView(app) {
  const packages = await getAll(path('apps', app, 'packages'), 'packages');
  return {
    title: 'Packages',
    content: [
      h('p', { class: 'lead' }, 'The offline packages of the app ', h('strong', null, app), '.'),
      packages.length ? list(app, packages) : empty('There is no package yet. Create the first one below.'),
      creation(app, packages.length === 0),
    ],
  };
}

function address(app, id) {
  return `#/${path('apps', app, 'packages', id)}`;
}

function list(app, packages) {
  const rows = packages.map((item) => [
    [h('a', { href: address(app, item.id) }, item.name), item.name === item.id ? null : h('div', { class: 'muted' }, item.id)],
    h('code', null, item.urlPrefix),
    number(item.priority),
    h('span', { class: item.enable ? 'tag good' : 'tag' }, item.enable ? 'on' : 'off'),
  ]);
  return h('section', { class: 'card', 'aria-label': 'Packages' },
    table(`Packages of ${app}`, ['Package', 'URL prefix', 'Priority', 'Updates'], rows));
}

function creation(app, isOpen) {
  const id = h('input', {
    name: 'id', required: true, maxlength: 64, pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]*', autocomplete: 'off',
    autocapitalize: 'off', spellcheck: 'false',
  });
  const name = h('input', { name: 'name', maxlength: 200, autocomplete: 'off' });
  const prefix = h('input', { name: 'urlPrefix', value: '/', autocomplete: 'off', spellcheck: 'false' });
  const entry = h('input', { name: 'entry', value: 'index.html', autocomplete: 'off', spellcheck: 'false' });
  const form = new Form('Create package', [
    h('div', { class: 'grid two' },
      field('Id', id, 'Letters, digits, “.”, “_” and “-”. It never changes: apps know the package by it.'),
      field('Name', name, 'A name for people; empty means the id.'),
      field('URL prefix', prefix, 'The online path under which the same pages live, such as /news/.'),
      field('Entry page', entry, 'The page that opens first. Empty for a package of common files.')),
  ], async () => {
    if (await exists(app, id.value)) {
      throw new Problem(`There is a package ${id.value} already. Open it in the list, or choose another id.`);
    }
    await putTagged(path('apps', app, 'packages', id.value), {
      ...(name.value ? { name: name.value } : {}), urlPrefix: prefix.value || '/', entry: entry.value || null,
    });
    location.hash = address(app, id.value);
    return null;
  });
  return h('details', { class: 'card', open: isOpen }, h('summary', null, h('h2', null, 'New package')), form.element);
}

/** Returns whether a package exists, which creating one must not change with its `PUT`. */
async function exists(app, id) {
  const packages = await getAll(path('apps', app, 'packages'), 'packages');
  return packages.some((item) => item.id === id);
}
