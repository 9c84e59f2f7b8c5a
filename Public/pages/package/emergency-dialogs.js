import { api, path } from '../../api/client.js';
import { field } from '../../elements/fields.js';
import { textInput } from '../../elements/inputs.js';
import { code, dialog, h, notice, toast } from '../../elements/index.js';
import { durationInput } from '../../elements/durations.js';
import { dateTime, list, t } from '../../i18n/index.js';

/** The time for which a package is served from the network unless another one is chosen. */
const usualTime = '2h';

/**
 * Ends the time in which a package's pages load from the network, after a question.
 *
 * @param {any} context
 * @param {any} each the package
 * @returns {Promise<any>} `null` if it was cancelled
 */
export async function endOnline(context, each) {
  const where = path('apps', context.app, 'packages', each.id, 'online');
  const { onlineUntil } = each;
  const done = await dialog({
    title: t('package.end-online-title', { name: each.id }),
    body: h('p', null, t('package.end-online-text')),
    confirm: t('package.end-online'),
    act: () => api.send('DELETE', where),
  });
  if (!done) return null;
  context.changed();
  toast(t('package.online-ended', { name: each.id }), {
    action: {
      label: t('package.online-again'),
      run: async () => {
        await api.send('POST', where, { until: onlineUntil });
        context.changed();
      },
    },
  });
  return done;
}

/** Lists what the clients of each protocol do. */
function clientList(clients) {
  return h('ul', { class: 'stack tight' }, clients.map((client) => h('li', null, code(client.client), ' ', client.does)));
}

/**
 * Asks for a length of time, and lets the package's pages load from the network meanwhile.
 *
 * @param {any} context
 * @param {any} each the package
 * @returns {Promise<any>} `null` if it was cancelled
 */
export async function serveOnline(context, each) {
  const where = path('apps', context.app, 'packages', each.id, 'online');
  const length = durationInput({ value: usualTime, name: 'for', units: ['m', 'h', 'd'], onchange: () => refresh() });
  let refresh = () => {};
  const value = await dialog({
    title: t('package.online-title', { name: each.id }),
    body: ({ reload }) => {
      refresh = reload;
      return field(t('package.online-for'), length, { hint: t('package.online-hint'), required: true });
    },
    load: async (signal) => {
      const { value: rehearsal } = await api.send('POST', where, { for: length.value ?? usualTime }, { dryRun: true, signal });
      return [h('p', null, t('package.online-until', { time: dateTime(rehearsal.onlineUntil) })), clientList(rehearsal.clients)];
    },
    confirm: t('package.online-confirm'),
    act: async () => (await api.send('POST', where, { for: length.value })).value,
  });
  if (!value) return null;
  context.changed();
  toast(t('package.online-done', { name: each.id, time: dateTime(value.onlineUntil) }), {
    action: {
      label: t('package.end-online'),
      run: async () => {
        await api.send('DELETE', where);
        context.changed();
        context.reload();
      },
    },
  });
  return value;
}

/**
 * Turns the updates of a package off or on, if it is as the page shows it.
 *
 * @param {any} context
 * @param {any} each the package
 * @param {string | undefined} tag its state as the page shows it
 * @returns {Promise<any>} `null` if it was cancelled
 */
export async function switchUpdates(context, each, tag) {
  const where = path('apps', context.app, 'packages', each.id);
  const enable = !each.enable;
  const set = (value, options) => api.send('PUT', where, { enable: value }, options);
  const done = await dialog({
    title: t(enable ? 'package.on-title' : 'package.off-title', { name: each.id }),
    body: h('p', null, t(enable ? 'package.on-text' : 'package.off-text')),
    confirm: t(enable ? 'package.on-confirm' : 'package.off-confirm'), kind: enable ? 'primary' : 'danger',
    act: () => set(enable, { tag }),
  });
  if (!done) return null;
  context.changed();
  toast(t(enable ? 'package.on-done' : 'package.off-done', { name: each.id }), {
    action: {
      label: t(enable ? 'package.off-confirm' : 'package.on-confirm'),
      run: async () => {
        await set(!enable, { tag: done.tag });
        context.changed();
        context.reload();
      },
    },
  });
  return done;
}

/**
 * Shows what a kill does, and takes the package off the channel's devices once its id is typed.
 *
 * @param {any} context
 * @param {any} each the package
 * @returns {Promise<any>} `null` if it was cancelled
 */
export async function kill(context, each) {
  const where = path('apps', context.app, 'packages', each.id, 'kill');
  const to = textInput({ name: 'to', type: 'url', placeholder: `https://example.com${each.urlPrefix}`, class: 'mono', autofocus: true });
  let hasLosses = false;
  const body = () => ({ to: to.value.trim(), channel: context.channel, ...(hasLosses ? { force: true } : {}) });
  const value = await dialog({
    title: t('package.kill-title', { name: each.id, channel: context.channel }), wide: true,
    body: field(t('package.kill-to'), to, { hint: t('package.kill-hint'), required: true }),
    load: async (signal) => {
      // The consequence is the same for every target.
      const { value: rehearsal } = await api.send('POST', where, { ...body(), to: 'https://example.com/' }, { dryRun: true, signal });
      hasLosses = rehearsal.losses.length > 0;
      return killConsequence(context, rehearsal);
    },
    confirm: t('package.kill-confirm'), kind: 'danger', requireName: each.id,
    act: async () => (await api.send('POST', where, body())).value,
  });
  if (!value) return null;
  context.changed();
  toast(t('package.kill-done', { name: each.id, version: value.version }), {
    action: { label: t('package.kill-undo'), run: () => context.go(`releases/${each.id}/${value.release}`) },
  });
  return value;
}

function killConsequence(context, rehearsal) {
  const named = (release) => `${release.version} (#${release.release})`;
  return [
    h('p', null, t('package.kill-effect', { version: rehearsal.version, channel: context.channel })),
    rehearsal.replaces.length ? h('p', null, t('package.kill-replaces', { releases: list(rehearsal.replaces.map(named)) })) : null,
    ...rehearsal.replacedBy.map((release) => notice('warn', h('p', null,
      t('package.kill-replaced-by', { release: named(release), time: dateTime(release.activeTime) })))),
    rehearsal.losses.length ? notice('warn', h('p', null, t('package.kill-losses')),
      h('ul', null, rehearsal.losses.map((loss) => h('li', null, `${loss.package} ${loss.version}`, loss.needs ? ` – ${loss.needs}` : '')))) : null,
    clientList(rehearsal.clients),
    h('p', { class: 'small muted' }, t('package.kill-back')),
  ];
}
