import { api, path, Problem } from '../../api/client.js';
import { field } from '../../elements/fields.js';
import { select } from '../../elements/inputs.js';
import { codeBlock } from '../../elements/copy.js';
import { dialog, h, notice } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { pager } from '../../elements/tabs.js';
import { livePanel } from '../../elements/live.js';
import { number, t } from '../../i18n/index.js';

/** The roles that a grant may have, the lowest first. */
export const roles = ['viewer', 'publisher', 'releaser', 'admin'];

/** The units of durations in seconds. */
const unitSeconds = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** The rows of a page of a list. */
const pageSize = 25;

/**
 * Returns a grant in words, such as `Releaser of travel, production`.
 *
 * @param {{role: string, app?: string, channel?: string}} grant
 * @returns {string}
 */
export function grantText({ role, app, channel }) {
  const name = t(`role.${role}`);
  if (!app) return t('settings.grant-all', { role: name });
  return channel ? t('settings.grant-channel', { role: name, app, channel }) : t('settings.grant-app', { role: name, app });
}

/**
 * Returns the fields of one grant: role, app and channel. `value` of the element is the grant.
 *
 * @param {any} context
 * @param {{value?: {role: string, app?: string, channel?: string}, choices?: string[]}} options `choices` are the roles
 * @returns {any} the element
 */
export function grantFields(context, { value = { role: 'viewer', app: context.app }, choices = roles } = {}) {
  const mayAll = context.session.may('admin', {});
  const apps = context.apps.map((each) => each.id).filter((app) => mayAll || context.session.may('admin', { app }) || app === value.app);
  const meaning = h('span', null, t(`settings.role-${value.role}`));
  const role = field(t('settings.role'), select(choices.map((each) => [each, t(`role.${each}`)]), { value: value.role }),
    { hint: meaning });
  role.control.addEventListener('change', () => { meaning.textContent = t(`settings.role-${role.control.value}`); });
  const app = field(t('settings.app'), select(
    [...(mayAll || !value.app ? [['', t('settings.everything')]] : []), ...apps.map((each) => [each, each])], { value: value.app ?? '' }));
  const channel = field(t('settings.channel'), select([['', t('settings.all-channels')]], { value: '' }));
  const element = h('div', { class: 'grid-3 grow' }, role, app, channel);

  async function loadChannels(chosen) {
    const name = app.control.value;
    channel.control.disabled = name === '';
    const options = [h('option', { value: '' }, t('settings.all-channels'))];
    channel.control.replaceChildren(...options);
    if (!name) return;
    if (chosen) channel.control.append(h('option', { value: chosen, selected: true }, chosen));
    const names = name === context.app ? context.channels.map((each) => each.name)
      : (await api.get(path('apps', name, 'channels'), { signal: context.signal })).channels.map((each) => each.name);
    if (app.control.value !== name) return;
    channel.control.replaceChildren(...options, ...names.map((each) => h('option', { value: each }, each)));
    channel.control.value = chosen ?? '';
  }
  app.control.addEventListener('change', () => loadChannels());
  loadChannels(value.channel);
  Object.defineProperty(element, 'value', { get: () => ({
    role: role.control.value,
    ...(app.control.value ? { app: app.control.value } : {}),
    ...(app.control.value && channel.control.value ? { channel: channel.control.value } : {}),
  }) });
  return element;
}

/**
 * Shows a secret that the server shows only once.
 *
 * @param {{title: string, text: any, secret: string, extra?: any}} options
 * @returns {Promise<any>}
 */
export function secretDialog({ title, text, secret, extra }) {
  return dialog({ title, cancelLabel: t('settings.done'), body: [h('p', null, text), codeBlock(secret), extra ?? null, notice('warn', t('settings.secret-once'))] });
}

/**
 * Asks before an object is removed, with what the server says about it beforehand, and removes it.
 *
 * @param {{title: string, text: any, name: string, confirm: string, method?: string, where: string, body?: any}} options `name`
 *   has to be typed
 * @returns {Promise<any>} the response, or `null` if the person cancelled
 */
export function removalDialog({ title, text, name, confirm, method = 'DELETE', where, body }) {
  return dialog({
    title, confirm, kind: 'danger-fill', requireName: name,
    load: async (signal) => {
      await api.send(method, where, body, { dryRun: true, signal });
      return [h('p', null, text)];
    },
    act: async () => (await api.send(method, where, body)).value ?? true,
  });
}

/**
 * Returns a panel with a list of the server that is shown page by page.
 *
 * @param {any} context
 * @param {{title?: any, note?: any, actions?: any[], where: string, list: string, query?: () => Object<string, any>,
 *   columns: any[], row: (item: any) => any, caption: string, empty: any, changes?: (event: any) => boolean, every?: number}} options `list` is
 *   the member of the response that has the items
 * @returns {any} the panel; its `restart()` goes back to the first page
 */
export function pagedPanel(context, { where, list, query = () => ({}), columns, row, caption, ...options }) {
  /** @type {(string | null)[]} The cursors of the pages up to the open one. */
  let cursors = [null];
  const panel = livePanel(context, {
    ...options, rows: 5,
    load: (signal) => api.read(where, { signal, query: { limit: pageSize, ...query(), cursor: cursors.at(-1) } }),
    isEmpty: ({ value }) => value[list].length === 0 && cursors.length === 1,
    render: ({ value, next }) => {
      const first = (cursors.length - 1) * pageSize + 1;
      const items = value[list];
      const hasPages = cursors.length > 1 || next;
      panel.setFooter(hasPages ? pager({
        hasPrevious: cursors.length > 1, hasNext: Boolean(next),
        onPrevious: () => { cursors.pop(); panel.reload(); },
        onNext: () => { cursors.push(next); panel.reload(); },
        text: t('settings.range', { first: number(first), last: number(first + items.length - 1) }),
      }) : null);
      return table({ caption, columns, rows: items.map(row), cards: true });
    },
  });
  panel.restart = () => {
    cursors = [null];
    panel.reload();
  };
  return panel;
}

/**
 * Returns a duration in seconds.
 *
 * @param {string | null} text such as `2h`
 * @returns {number}
 */
export function seconds(text) {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text ?? '') ?? [];
  if (!unit) throw new Problem(t('settings.duration-missing'));
  return Number(count) * unitSeconds[unit];
}

/**
 * Returns the base URL of an app's channel, under which devices find their packages.
 *
 * @param {string} app
 * @param {string} channel
 * @returns {string}
 */
export function baseURL(app, channel) {
  const root = new URL('..', document.baseURI).href.replace(/\/$/, '');
  if (channel !== 'production') return `${root}/apps/${app}/channels/${channel}`;
  return app === 'default' ? root : `${root}/apps/${app}`;
}
