import { api, path } from '../../api/client.js';
import { chips } from '../../elements/chips.js';
import { field } from '../../elements/fields.js';
import { textInput } from '../../elements/inputs.js';
import { badge, button, dialog, h, menu, toast } from '../../elements/index.js';
import { relativeTime, timeTag } from '../../elements/time.js';
import { durationInput } from '../../elements/durations.js';
import { dateTimeInput } from '../../elements/moments.js';
import { roleWall } from '../../elements/role-wall.js';
import { t } from '../../i18n/index.js';
import { grantFields, grantText, pagedPanel, removalDialog, seconds, secretDialog } from './parts.js';

/** The length of a day in milliseconds. */
const dayLength = 86_400_000;

const states = ['active', 'expired', 'revoked'];

/** Opens the tab with the tokens of programs. */
export async function open(context) {
  const isAdmin = context.session.grants.some((grant) => grant.role === 'admin');
  const wall = isAdmin ? null : roleWall(context, 'admin', { app: context.app });
  if (wall) return { title: t('settings.tab-tokens'), content: [wall] };
  const state = () => (states.includes(context.query.get('state')) ? context.query.get('state') : 'active');

  const panel = pagedPanel(context, {
    title: t('settings.tab-tokens'),
    actions: [chips(states.map((each) => ({ label: t(`settings.token-${each}`), value: each })), {
      value: state(), label: t('settings.state'),
      onchange: (value) => { context.setQuery({ state: value ?? 'active' }, { reload: false }); panel.restart(); },
    })],
    where: 'tokens', list: 'tokens', query: () => ({ state: state() }),
    caption: t('settings.tab-tokens'),
    empty: { icon: 'key', title: t('settings.tokens-empty'), text: t('settings.tokens-empty-text') },
    columns: [{ label: t('settings.name') }, { label: t('settings.grant') }, { label: t('settings.owner') }, { label: t('settings.last-used') },
      { label: t('settings.expires') }, { label: t('settings.actions'), hidden: true }],
    row: (token) => ({ cells: [
      h('span', null, h('b', null, token.name), ' ', h('span', { class: 'ink3' }, `#${token.id}`)),
      grantText(token), token.owner ?? '–',
      token.lastUsedAt ? relativeTime(token.lastUsedAt) : h('span', { class: 'ink3' }, t('settings.never')),
      expiry(token), actions(token),
    ] }),
  });

  function actions(token) {
    if (token.revokedAt) return '';
    const items = [
      { label: t('settings.change'), icon: 'edit', onclick: () => change(token) },
      { label: t('settings.rotate'), icon: 'undo', onclick: () => rotate(token) },
      { label: t('settings.revoke'), icon: 'trash', danger: true, onclick: () => revoke(token) },
    ];
    return menu(null, items, { icon: 'more', name: t('settings.actions-of', { name: token.name }) });
  }

  function showSecret(token, title) {
    panel.reload();
    return secretDialog({ title, text: t('settings.token-secret', { name: token.name }), secret: token.token });
  }

  async function add() {
    const name = field(t('settings.name'), textInput({ name: 'name' }), { hint: t('settings.token-name-hint'), required: true });
    const grant = grantFields(context, { value: { role: 'publisher', app: context.app } });
    const expires = field(t('settings.expires'), dateTimeInput({ name: 'expiresAt', value: inDays(90) }), { hint: t('settings.expires-hint') });
    const made = await dialog({
      title: t('settings.token-new-title'), body: [name, grant, expires], confirm: t('settings.create'), wide: true,
      act: async () => (await api.send('POST', 'tokens', {
        name: name.control.value.trim(), ...grant.value, ...(expires.control.value ? { expiresAt: expires.control.value } : {}),
      })).value,
    });
    if (made) await showSecret(made, t('settings.token-made'));
  }

  async function change(token) {
    const where = path('tokens', token.id);
    const { value, tag } = await api.read(where);
    const name = field(t('settings.name'), textInput({ name: 'name', value: value.name }), { required: true });
    const expires = field(t('settings.expires'), dateTimeInput({ name: 'expiresAt', value: value.expiresAt }), { hint: t('settings.expires-hint') });
    const changed = await dialog({
      title: t('settings.token-change-title', { name: token.name }), body: [name, expires], confirm: t('settings.save'),
      act: async () => (await api.send('PATCH', where, { name: name.control.value.trim(), expiresAt: expires.control.value }, { tag })).value,
    });
    if (!changed) return;
    panel.reload();
    toast(t('settings.changed', { name: changed.name }), { action: { label: t('settings.undo'), run: async () => {
      await api.send('PATCH', where, { name: value.name, expiresAt: value.expiresAt ?? null });
      panel.reload();
    } } });
  }

  async function rotate(token) {
    const overlap = field(t('settings.overlap'), durationInput({ name: 'overlapSeconds', value: '1d' }), { hint: t('settings.overlap-hint') });
    const rotated = await dialog({
      title: t('settings.rotate-title', { name: token.name }), body: [h('p', null, t('settings.rotate-text')), overlap], confirm: t('settings.rotate-do'),
      act: async () => (await api.send('POST', `${path('tokens', token.id)}/rotate`, { overlapSeconds: seconds(overlap.control.value) })).value,
    });
    if (rotated) await showSecret(rotated, t('settings.rotated'));
  }

  async function revoke(token) {
    const done = await removalDialog({
      title: t('settings.revoke-title', { name: token.name }), text: t('settings.revoke-text'), name: token.name, confirm: t('settings.revoke-do'),
      where: path('tokens', token.id),
    });
    if (!done) return;
    panel.reload();
    toast(t('settings.token-was-revoked', { name: token.name }));
  }

  return {
    title: t('settings.tab-tokens'), sub: t('settings.tokens-text'),
    actions: [button(t('settings.token-new'), { icon: 'plus', kind: 'primary', onclick: add })],
    content: [panel],
  };
}

/** Returns when a token ends or ended. */
function expiry(token) {
  if (token.revokedAt) return h('span', null, badge(t('settings.token-revoked'), '', 'cross'), ' ', timeTag(token.revokedAt));
  const previous = token.previousSecretExpiresAt && new Date(token.previousSecretExpiresAt) > new Date()
    ? h('div', { class: 'small ink3' }, t('settings.previous-secret'), ' ', relativeTime(token.previousSecretExpiresAt)) : null;
  if (!token.expiresAt) return h('div', null, t('settings.no-expiry'), previous);
  const rest = new Date(token.expiresAt).getTime() - Date.now();
  const isSoon = rest < 14 * dayLength;
  return h('div', null, isSoon ? [badge(t(rest < 0 ? 'settings.token-expired' : 'settings.expires-soon'), 'warn', 'clock'), ' '] : null,
    timeTag(token.expiresAt), previous);
}

function inDays(days) {
  return new Date(Date.now() + days * dayLength).toISOString();
}
