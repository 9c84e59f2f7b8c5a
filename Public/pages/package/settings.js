import { api, path } from '../../api/client.js';
import { chips } from '../../elements/chips.js';
import { checkbox, field } from '../../elements/fields.js';
import { textArea, textInput } from '../../elements/inputs.js';
import { form } from '../../elements/form.js';
import { button, dialog, h, notice, panel, toast } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { list, t } from '../../i18n/index.js';
import { actorName } from '../parts/actor.js';
import { changedMembers, lines, readResources, sameValue } from './members.js';

/** The protocols of further clients. */
const dialects = ['newest-package', 'info-json', 'resources-json'];

/**
 * Returns the part of a package's page with its settings.
 *
 * @param {any} context
 * @param {any} each the package
 * @param {string | undefined} tag the state that the form shows
 */
export function content(context, each, tag) {
  const scope = { app: context.app };
  const ownReason = context.session.reason('publisher', scope);
  const deviceReason = context.session.reason('releaser', scope);
  const off = Boolean(ownReason);
  const offOnDevices = Boolean(deviceReason);
  const where = path('apps', context.app, 'packages', each.id);

  const name = textInput({ name: 'name', value: each.name, disabled: off, maxlength: 200 });
  const urlPrefix = textInput({ name: 'urlPrefix', value: each.urlPrefix, class: 'mono', disabled: off });
  const entry = textInput({ name: 'entry', value: each.entry ?? '', class: 'mono', disabled: off });
  const enable = checkbox(t('package.enable'), { name: 'enable', checked: each.enable, hint: t('package.enable-hint'), disabled: offOnDevices });
  const priority = textInput({ name: 'priority', type: 'number', min: -1_000_000, max: 1_000_000, step: 1, value: each.priority, disabled: offOnDevices });
  const served = offOnDevices ? textInput({ name: 'dialects', value: list(each.dialects), disabled: true })
    : chips(dialects.map((value) => ({ value, label: value })), { values: each.dialects, name: 'dialects' });
  const resources = textArea({ name: 'resources', value: JSON.stringify(each.resources, null, 2), rows: 8, class: 'mono', disabled: offOnDevices });
  const states = checkbox(t('package.permissions-on'), {
    checked: each.permissions !== null, hint: t('package.permissions-hint'), disabled: offOnDevices,
    onchange: () => { lists.toggleAttribute('hidden', !states.checked); },
  });
  const apis = textArea({ name: 'permissions', value: (each.permissions?.apis ?? []).join('\n'), class: 'mono', disabled: offOnDevices });
  const origins = textArea({ value: (each.permissions?.origins ?? []).join('\n'), class: 'mono', disabled: offOnDevices, placeholder: 'https://api.example.com' });
  const lists = h('div', { class: 'grid-2', hidden: each.permissions === null },
    field(t('package.apis'), apis, { hint: t('package.one-a-line') }), field(t('package.origins'), origins, { hint: t('package.one-a-line') }));

  const read = () => {
    const values = { name: name.value.trim(), urlPrefix: urlPrefix.value.trim(), entry: entry.value.trim() || null };
    if (offOnDevices) return values;
    return {
      ...values, enable: enable.checked, priority: Number(priority.value), dialects: served.value,
      resources: readResources(resources.value), permissions: states.checked ? { apis: lines(apis.value), origins: lines(origins.value) } : null,
    };
  };
  const save = async () => {
    const changes = changedMembers(each, read());
    if (!Object.keys(changes).length) return toast(t('package.no-change'));
    try {
      saved(context, where, each, changes, await api.send('PUT', where, changes, { tag }));
    } catch (/** @type {any} */ problem) {
      if (!problem.isOutdated) throw problem;
      await askWhich(context, where, each, changes);
    }
  };
  const element = form({
    fields: [
      h('div', { class: 'grid-2' },
        field(t('packages.name'), name, { required: true }),
        field(t('packages.prefix'), urlPrefix, { hint: t('packages.prefix-hint'), required: true }),
        field(t('packages.entry'), entry, { hint: t('packages.entry-hint') })),
      h('h3', null, t('package.on-devices')),
      h('p', { class: 'muted' }, t('package.on-devices-text')),
      deviceReason && !ownReason ? notice('info', h('p', null, deviceReason)) : null,
      enable,
      h('div', { class: 'grid-2' },
        field(t('package.priority'), priority, { hint: t('package.priority-hint'), required: true }),
        field(t('package.dialects'), served, { hint: t('package.dialects-hint') })),
      states, lists,
      h('details', null, h('summary', null, t('package.resources')),
        field(t('package.resources-label'), resources, { hint: t('package.resources-hint') })),
    ].filter(Boolean),
    submit: t('package.save'), reason: ownReason, onsubmit: save,
  });
  return [panel({ title: t('package.tab-settings'), body: element }), deletePanel(context, where, each, deviceReason)];
}

/**
 * Says that the settings are saved, and offers the way back.
 *
 * @param {any} context
 * @param {string} where the path of the package
 * @param {any} before the package as it was
 * @param {Object<string, any>} changes
 * @param {{tag?: string}} response
 */
function saved(context, where, before, changes, { tag }) {
  context.changed();
  toast(t('package.saved', { name: before.id }), {
    action: {
      label: t('package.undo'),
      run: async () => {
        const old = Object.fromEntries(Object.keys(changes).map((member) => [member, before[member]]));
        await api.send('PUT', where, old, { tag });
        context.reload();
      },
    },
  });
  context.reload();
}

/** Shows what somebody else has changed meanwhile beside the entries, and saves these if the person chooses so. */
async function askWhich(context, where, each, changes) {
  const [{ value: present, tag }, { entries }] = await Promise.all([
    api.read(where), context.get(['history'], { package: each.id, action: 'package.put', limit: 1 }),
  ]);
  const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
  const members = Object.keys(present).filter((member) => !sameValue(present[member], each[member]) || member in changes);
  const [last] = entries;
  const mine = await dialog({
    title: last ? t('package.outdated-by', { name: actorName(last.actor) }) : t('package.outdated'), wide: true,
    body: [
      h('p', null, t('package.outdated-text')),
      table({
        caption: t('package.outdated'), dense: true,
        columns: [{ label: t('package.member') }, { label: t('package.before') }, { label: t('package.theirs') }, { label: t('package.mine') }],
        rows: members.map((member) => ({
          cells: [h('code', null, member), text(each[member] ?? null), text(present[member] ?? null), member in changes ? text(changes[member]) : t('common.none')],
        })),
      }),
    ],
    confirm: t('package.save-mine'), cancelLabel: t('package.keep-theirs'),
    act: () => api.send('PUT', where, changes, { tag }),
  });
  if (mine) saved(context, where, present, changes, mine);
  else context.reload();
}

function deletePanel(context, where, each, reason) {
  const remove = async () => {
    const done = await dialog({
      title: t('package.delete-title', { name: each.id }), body: h('p', null, t('package.delete-text')),
      confirm: t('package.delete-confirm'), kind: 'danger', requireName: each.id,
      act: () => api.send('DELETE', where),
    });
    if (!done) return;
    context.changed();
    toast(t('package.deleted', { name: each.id }), {
      action: {
        label: t('package.create-again'),
        run: async () => {
          const { name, entry, urlPrefix, enable, priority, dialects: served, resources, permissions } = each;
          await api.send('PUT', where, { name, entry, urlPrefix, enable, priority, dialects: served, resources, permissions });
          context.changed();
          context.go(`packages/${each.id}`);
        },
      },
    });
    context.go('packages');
  };
  return panel({
    title: t('package.delete'),
    body: h('div', { class: 'row between' }, h('p', { class: 'grow' }, t('package.delete-text')),
      button(t('package.delete-button'), { kind: 'danger', icon: 'trash', reason, onclick: remove })),
  });
}
