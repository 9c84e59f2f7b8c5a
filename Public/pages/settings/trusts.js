import { api, path } from '../../api/client.js';
import { field } from '../../elements/fields.js';
import { select, textArea, textInput } from '../../elements/inputs.js';
import { button, dialog, h, menu, tag, toast } from '../../elements/index.js';
import { durationInput } from '../../elements/durations.js';
import { roleWall } from '../../elements/role-wall.js';
import { t } from '../../i18n/index.js';
import { duration } from '../../i18n/times.js';
import { grantFields, grantText, pagedPanel, removalDialog, seconds } from './parts.js';

/** Known platforms, with their issuer and the claims that name a project and a branch or tag. */
const platforms = {
  github: { label: 'GitHub Actions', issuer: 'https://token.actions.githubusercontent.com', claims: 'repository=acme/shop\nref=refs/tags/*' },
  gitlab: { label: 'GitLab CI', issuer: 'https://gitlab.com', claims: 'project_path=acme/shop\nref=main\nref_type=branch' },
  other: { label: '', issuer: '', claims: '' },
};

/** The roles that the token of a CI job may have. */
const choices = ['viewer', 'publisher', 'releaser'];

/** Opens the tab with the CI jobs that get tokens. */
export async function open(context) {
  const isAdmin = context.session.grants.some((grant) => grant.role === 'admin');
  const wall = isAdmin ? null : roleWall(context, 'admin', { app: context.app });
  if (wall) return { title: t('settings.tab-trusts'), content: [wall] };

  const panel = pagedPanel(context, {
    title: t('settings.trusts'), where: 'ci-trusts', list: 'ciTrusts', caption: t('settings.trusts'),
    empty: { icon: 'shield', title: t('settings.trusts-empty'), text: t('settings.trusts-empty-text') },
    columns: [{ label: t('settings.name') }, { label: t('settings.issuer') }, { label: t('settings.claims'), full: true }, { label: t('settings.grant') },
      { label: t('settings.lifetime') }, { label: t('settings.actions'), hidden: true }],
    row: (trust) => ({ cells: [
      h('b', null, trust.name), h('code', null, trust.issuer.replace(/^https:\/\//, '')),
      h('span', { class: 'tags' }, Object.entries(trust.claims).map(([name, value]) => tag(`${name} = ${value}`))),
      grantText(trust), duration(trust.lifetimeSeconds),
      menu(null, [
        { label: t('settings.change'), icon: 'edit', onclick: () => edit(trust) },
        { label: t('settings.delete'), icon: 'trash', danger: true, onclick: () => remove(trust) },
      ], { icon: 'more', name: t('settings.actions-of', { name: trust.name }) }),
    ] }),
  });

  async function edit(trust) {
    const where = (name) => path('ci-trusts', name);
    const current = trust ? await api.read(where(trust.name)) : null;
    const value = current?.value ?? { ...platforms.github, audience: location.origin, role: 'publisher', app: context.app, lifetimeSeconds: 900 };
    const name = field(t('settings.name'), textInput({ name: 'name', value: trust?.name ?? 'github', readonly: Boolean(trust) }), { required: true });
    const issuer = field(t('settings.issuer'), textInput({ name: 'issuer', value: value.issuer, type: 'url' }), { required: true, hint: t('settings.issuer-hint') });
    const audience = field(t('settings.audience'), textInput({ name: 'audience', value: value.audience }), { required: true, hint: t('settings.audience-hint') });
    const claims = field(t('settings.claims'), textArea({
      name: 'claims', rows: 4, class: 'mono', spellcheck: 'false',
      value: trust ? Object.entries(value.claims).map((pair) => pair.join('=')).join('\n') : value.claims,
    }), { required: true, hint: t('settings.claims-hint') });
    const platform = field(t('settings.platform'), select(
      Object.entries(platforms).map(([key, each]) => [key, each.label || t('settings.platform-other')]), { value: 'github', onchange: (event) => {
        const chosen = platforms[event.target.value];
        name.control.value = event.target.value === 'other' ? '' : event.target.value;
        issuer.control.value = chosen.issuer;
        claims.control.value = chosen.claims;
      } }));
    const grant = grantFields(context, { value: { role: value.role, app: value.app, channel: value.channel }, choices });
    const lifetime = field(t('settings.lifetime'), durationInput({ name: 'lifetimeSeconds', value: `${value.lifetimeSeconds}s`, units: ['m', 'h'] }),
      { hint: t('settings.lifetime-hint') });
    const saved = await dialog({
      title: trust ? t('settings.trust-change-title', { name: trust.name }) : t('settings.trust-new-title'), wide: true,
      body: [trust ? null : platform, name, issuer, audience, claims, grant, lifetime].filter(Boolean), confirm: t(trust ? 'settings.save' : 'settings.create'),
      act: async () => (await api.send('PUT', where(name.control.value.trim()), {
        issuer: issuer.control.value.trim(), audience: audience.control.value.trim(), claims: parseClaims(claims.control.value),
        ...grant.value, lifetimeSeconds: seconds(lifetime.control.value),
      }, current ? { tag: current.tag } : {})).value,
    });
    if (!saved) return;
    panel.reload();
    toast(t(trust ? 'settings.changed' : 'settings.made', { name: saved.name }));
  }

  async function remove(trust) {
    const { name } = trust;
    const done = await removalDialog({
      title: t('settings.delete-title', { name }), text: t('settings.trust-delete-text'), name, confirm: t('settings.delete-do'), where: path('ci-trusts', name),
    });
    if (!done) return;
    panel.reload();
    const { name: gone, dryRun, ...facts } = done;
    toast(t('settings.deleted', { name: gone }), { action: { label: t('settings.restore'), run: async () => {
      await api.send('PUT', path('ci-trusts', gone), facts);
      panel.reload();
    } } });
  }

  return {
    title: t('settings.trusts'), sub: t('settings.trusts-text'),
    actions: [button(t('settings.trust-new'), { icon: 'plus', kind: 'primary', onclick: () => edit(null) })],
    content: [panel],
  };
}

/**
 * Returns the conditions of lines such as `ref=refs/tags/*`.
 *
 * @param {string} text
 * @returns {Object<string, string>}
 */
export function parseClaims(text) {
  return Object.fromEntries(text.split('\n').map((line) => line.trim()).filter(Boolean).map((line) => {
    const [name, ...value] = line.split('=');
    return [name.trim(), value.join('=').trim()];
  }));
}
