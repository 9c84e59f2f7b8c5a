import { api, path } from '../../api/client.js';
import { field } from '../../elements/fields.js';
import { button, dialog, h, toast } from '../../elements/index.js';
import { textInput } from '../../elements/inputs.js';
import { t } from '../../i18n/index.js';
import { grantFields, removalDialog, secretDialog } from './parts.js';
import { sessionTable } from './sessions.js';

/**
 * Returns the functions that add a member and that return the items of a member's menu.
 *
 * @param {any} context
 * @param {any} panel the list of the members, which is read again after a change
 * @returns {{add: () => Promise<void>, items: (user: any) => any[]}}
 */
export function memberActions(context, panel) {
  const where = (name) => path('users', name);

  function items(user) {
    const own = user.name === context.session.user ? t('settings.not-yourself') : null;
    const foreign = user.provider ? t('settings.by-provider', { name: user.provider }) : null;
    return [
      { label: t('settings.grants-change'), icon: 'edit', onclick: () => changeGrants(user), reason: foreign },
      { label: t('settings.password-reset'), icon: 'key', onclick: () => resetPassword(user), reason: own ?? foreign },
      { label: t('settings.totp-reset'), icon: 'shield', onclick: () => resetFactor(user), reason: own ?? foreign ?? (user.totp ? null : t('settings.totp-none')) },
      { label: t('settings.sessions'), icon: 'list', onclick: () => showSessions(user) },
      user.disabled ? { label: t('settings.enable'), icon: 'play', onclick: () => setDisabled(user, false) }
        : { label: t('settings.disable'), icon: 'stop', onclick: () => disable(user), reason: own },
      { label: t('settings.delete'), icon: 'trash', danger: true, onclick: () => remove(user), reason: own },
    ];
  }

  async function patch(user, body, tag) {
    const { value } = await api.send('PATCH', where(user.name), body, { tag });
    panel.reload();
    return value;
  }

  async function add() {
    const name = field(t('settings.name'), textInput({ name: 'name', autocapitalize: 'none' }), { hint: t('first-run.name-hint'), required: true });
    const password = field(t('settings.first-password'), textInput({ name: 'password', value: newPassword(), class: 'mono' }),
      { hint: t('settings.first-password-hint'), required: true });
    const grants = grantList(context, [{ role: 'viewer', app: context.app }]);
    const made = await dialog({
      title: t('settings.member-new-title'), body: [name, password, grants], confirm: t('settings.create'), wide: true,
      act: async () => (await api.send('POST', 'users', {
        name: name.control.value.trim(), password: password.control.value, grants: grants.value,
      })).value,
    });
    if (!made) return;
    panel.reload();
    await secretDialog({ title: t('settings.member-made', { name: made.name }), text: t('settings.password-pass-on'), secret: password.control.value });
  }

  async function changeGrants(user) {
    const { value, tag: state } = await api.read(where(user.name));
    const grants = grantList(context, value.grants);
    const changed = await dialog({
      title: t('settings.grants-title', { name: user.name }), body: [grants, h('p', { class: 'hint' }, t('settings.ends-sessions'))], confirm: t('settings.save'), wide: true,
      act: () => patch(user, { grants: grants.value }, state),
    });
    if (changed) {
      toast(t('settings.changed', { name: user.name }), { action: { label: t('settings.undo'), run: () => patch(user, { grants: value.grants }) } });
    }
  }

  async function resetPassword(user) {
    const password = field(t('settings.new-password'), textInput({ name: 'password', value: newPassword(), class: 'mono' }), { hint: t('first-run.password-hint'), required: true });
    const changed = await dialog({
      title: t('settings.password-reset-title', { name: user.name }), body: [password, h('p', { class: 'hint' }, t('settings.ends-sessions'))],
      confirm: t('settings.password-reset-do'),
      act: () => patch(user, { password: password.control.value }),
    });
    if (changed) await secretDialog({ title: t('settings.password-new-of', { name: user.name }), text: t('settings.password-pass-on'), secret: password.control.value });
  }

  async function resetFactor(user) {
    const changed = await dialog({
      title: t('settings.totp-reset-title', { name: user.name }), body: [h('p', null, t('settings.totp-reset-text')), h('p', { class: 'hint' }, t('settings.ends-sessions'))],
      confirm: t('settings.totp-reset-do'), kind: 'danger-fill',
      act: () => patch(user, { totp: false }),
    });
    if (changed) toast(t('settings.totp-removed', { name: user.name }));
  }

  async function disable(user) {
    const changed = await dialog({
      title: t('settings.disable-title', { name: user.name }), confirm: t('settings.disable-do'), kind: 'danger-fill',
      load: async (signal) => {
        await api.send('PATCH', where(user.name), { disabled: true }, { dryRun: true, signal });
        return h('p', null, t('settings.disable-text'));
      },
      act: () => patch(user, { disabled: true }),
    });
    if (changed) toast(t('settings.was-disabled', { name: user.name }), { action: { label: t('settings.enable'), run: () => patch(user, { disabled: false }) } });
  }

  async function setDisabled(user, disabled) {
    await patch(user, { disabled });
    toast(t('settings.was-enabled', { name: user.name }), { action: { label: t('settings.disable-do'), run: () => patch(user, { disabled: true }) } });
  }

  async function remove(user) {
    const done = await removalDialog({
      title: t('settings.delete-title', { name: user.name }), text: t('settings.member-delete-text'), name: user.name, confirm: t('settings.delete-do'),
      where: where(user.name),
    });
    if (!done) return;
    panel.reload();
    toast(t('settings.deleted', { name: user.name }));
  }

  async function showSessions(user) {
    let again = () => {};
    await dialog({
      title: t('settings.sessions-of', { name: user.name }), wide: true,
      body: ({ reload }) => {
        again = reload;
        return [];
      },
      load: async (signal) => {
        const { sessions } = await api.get('sessions', { signal, query: { user: user.name } });
        return sessions.length ? sessionTable(sessions, async (each) => {
          await api.send('DELETE', path('sessions', each.id));
          again();
        }) : h('p', { class: 'ink3' }, t('settings.sessions-none'));
      },
    });
  }

  return { add, items };
}

/** Returns the fields of several grants; `value` of the element is the list. */
function grantList(context, grants) {
  const list = h('div', { class: 'stack' });
  const add = (value) => {
    const fields = grantFields(context, { value });
    const row = h('div', { class: 'row nowrap grant-row' }, fields, button(null, {
      icon: 'trash', kind: 'quiet', name: t('settings.grant-remove'),
      onclick: () => { if (list.children.length > 1) row.remove(); },
    }));
    row.grant = fields;
    list.append(row);
  };
  grants.forEach(add);
  const element = h('div', { class: 'stack' }, list,
    h('div', null, button(t('settings.grant-add'), { icon: 'plus', small: true, onclick: () => add({ role: 'viewer', app: context.app }) })));
  Object.defineProperty(element, 'value', { get: () => [...list.children].map((/** @type {any} */ row) => row.grant.value) });
  return element;
}

/** Returns a random password of 20 letters and digits, without those that look alike. */
function newPassword() {
  const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  return Array.from(crypto.getRandomValues(new Uint32Array(20)), (value) => letters[value % letters.length]).join('');
}
