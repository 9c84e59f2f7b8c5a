import { api, path } from '../../api/client.js';
import { field } from '../../elements/fields.js';
import { textInput } from '../../elements/inputs.js';
import { codeBlock } from '../../elements/copy.js';
import { button, dialog, h, menu, tag, toast } from '../../elements/index.js';
import { t } from '../../i18n/index.js';
import { grantFields, grantText, pagedPanel, removalDialog } from './parts.js';

/**
 * Returns the panel with the providers of OpenID Connect by which people sign in.
 *
 * @param {any} context
 * @returns {any}
 */
export function providersPanel(context) {
  const where = (name) => path('sign-in-providers', name);
  const panel = pagedPanel(context, {
    title: t('settings.providers'), note: t('settings.providers-note'), where: 'sign-in-providers', list: 'signInProviders', caption: t('settings.providers'),
    actions: [button(t('settings.provider-new'), { icon: 'plus', small: true, onclick: () => edit(null) })],
    empty: { icon: 'key', title: t('settings.providers-empty'), text: t('settings.providers-empty-text') },
    columns: [{ label: t('settings.name') }, { label: t('settings.issuer'), full: true }, { label: t('settings.groups'), full: true }, { label: t('settings.actions'), hidden: true }],
    row: (provider) => ({ cells: [
      h('span', null, h('b', null, provider.label), ' ', h('span', { class: 'ink3' }, provider.name)), h('code', null, provider.issuer.replace(/^https:\/\//, '')),
      h('span', { class: 'tags' }, provider.groups.flatMap((each) => each.grants.map((grant) => tag(`${each.group}: ${grantText(grant)}`)))),
      menu(null, [
        { label: t('settings.change'), icon: 'edit', onclick: () => edit(provider) },
        { label: t('settings.delete'), icon: 'trash', danger: true, onclick: () => remove(provider) },
      ], { icon: 'more', name: t('settings.actions-of', { name: provider.name }) }),
    ] }),
  });

  async function edit(provider) {
    const current = provider ? await api.read(where(provider.name)) : null;
    const value = current?.value ?? { scopes: ['openid', 'profile', 'email', 'groups'], userClaim: 'preferred_username', groupsClaim: 'groups', groups: [] };
    const input = (name, label, options = {}, /** @type {string | undefined} */ hint = undefined) =>
      field(label, textInput({ name, value: value[name] ?? '', ...options }), { hint, required: !options.isOptional });
    const name = input('name', t('settings.name'), { readonly: Boolean(provider) }, t('settings.provider-name-hint'));
    const label = input('label', t('settings.label'), {}, t('settings.label-hint'));
    const issuer = input('issuer', t('settings.issuer'), { type: 'url', placeholder: 'https://id.example.com/realms/acme' }, t('settings.issuer-hint'));
    const client = input('clientId', t('settings.client-id'));
    const secret = field(t('settings.client-secret'), textInput({ name: 'clientSecret', type: 'password', autocomplete: 'off' }),
      { hint: t(provider ? 'settings.client-secret-keep' : 'settings.client-secret-hint'), required: !provider });
    const scopes = input('scopes', t('settings.scopes'), { value: value.scopes.join(' '), class: 'mono' });
    const userClaim = input('userClaim', t('settings.user-claim'), { class: 'mono' });
    const groupsClaim = input('groupsClaim', t('settings.groups-claim'), { class: 'mono' });
    const groups = groupList(context, value.groups);
    const saved = await dialog({
      title: provider ? t('settings.provider-change-title', { name: provider.name }) : t('settings.provider-new-title'), wide: true,
      body: [
        provider ? null : h('div', null, h('p', null, t('settings.redirect-uri')), redirectAddress(name)),
        name, label, issuer, h('div', { class: 'grid-2' }, client, secret), h('div', { class: 'grid-3' }, scopes, userClaim, groupsClaim), groups,
        provider ? h('p', { class: 'hint' }, t('settings.provider-ends')) : null,
      ].filter(Boolean),
      confirm: t(provider ? 'settings.save' : 'settings.create'),
      act: async () => (await api.send('PUT', where(name.control.value.trim()), {
        issuer: issuer.control.value.trim(), label: label.control.value.trim(), clientId: client.control.value.trim(),
        ...(secret.control.value ? { clientSecret: secret.control.value } : {}), scopes: scopes.control.value.split(/[\s,]+/).filter(Boolean),
        userClaim: userClaim.control.value.trim(), groupsClaim: groupsClaim.control.value.trim(), groups: groups.value,
      }, current ? { tag: current.tag } : {})).value,
    });
    secret.control.value = '';
    if (!saved) return;
    panel.reload();
    toast(t(provider ? 'settings.changed' : 'settings.made', { name: saved.name }));
  }

  async function remove({ name }) {
    const done = await removalDialog({
      title: t('settings.delete-title', { name }), text: t('settings.provider-delete-text'), name, confirm: t('settings.delete-do'), where: where(name),
    });
    if (!done) return;
    panel.reload();
    toast(t('settings.deleted', { name }));
  }
  return panel;
}

/** Returns the address to enter at the provider, which follows the name that is typed. */
function redirectAddress(name) {
  const place = h('div');
  const show = () => {
    const address = new URL(`../api/v1/session/oidc/${encodeURIComponent(name.control.value.trim() || 'NAME')}/callback`, document.baseURI);
    place.replaceChildren(codeBlock(address.href));
  };
  name.control.addEventListener('input', show);
  show();
  return place;
}

/** Returns the fields of groups and their permissions; `value` of the element is the list of groups. */
function groupList(context, groups) {
  const list = h('div', { class: 'stack' });
  const add = (group, grant) => {
    const name = field(t('settings.group'), textInput({ value: group }), { required: true });
    const fields = grantFields(context, { value: grant });
    const row = h('div', { class: 'row nowrap top' }, name, fields, button(null, {
      icon: 'trash', kind: 'quiet', name: t('settings.grant-remove'), onclick: () => { if (list.children.length > 1) row.remove(); },
    }));
    row.read = () => ({ group: name.control.value.trim(), grant: fields.value });
    list.append(row);
  };
  groups.forEach((each) => each.grants.forEach((grant) => add(each.group, grant)));
  const start = { role: 'viewer', app: context.app };
  if (!groups.length) add('', start);
  const element = h('div', { class: 'stack' }, h('p', { class: 'hint' }, t('settings.groups-hint')), list,
    h('div', null, button(t('settings.group-add'), { icon: 'plus', small: true, onclick: () => add('', start) })));
  Object.defineProperty(element, 'value', { get: () => {
    /** @type {Map<string, any[]>} */
    const found = new Map();
    for (const row of list.children) {
      const { group, grant } = /** @type {any} */ (row).read();
      found.set(group, [...found.get(group) ?? [], grant]);
    }
    return [...found].map(([group, grants]) => ({ group, grants }));
  } });
  return element;
}
