import { api, path } from '../../api/client.js';
import { chips } from '../../elements/chips.js';
import { segmented } from '../../elements/segmented.js';
import { facts } from '../../elements/facts.js';
import { field } from '../../elements/fields.js';
import { textInput } from '../../elements/inputs.js';
import { button, dialog, h, menu, notice, tag, toast } from '../../elements/index.js';
import { relativeTime, timeTag } from '../../elements/time.js';
import { durationInput } from '../../elements/durations.js';
import { livePanel } from '../../elements/live.js';
import { number, t, tn } from '../../i18n/index.js';
import { pagedPanel, removalDialog, seconds, secretDialog } from './parts.js';
import { badgeOf, host } from './webhooks.js';

const kinds = ['standard', 'slack', 'feishu', 'dingtalk'];

/** The patterns of events that are offered; others can be typed. */
const patterns = ['*', 'release.*', 'release-set.*', 'release.unhealthy', 'version.*', 'package.*', 'approval.*', 'channel.*', 'key.*'];

/** Asks for a new webhook, and opens its page. */
export async function addWebhook(context) {
  const { app } = context;
  const url = urlField('');
  const events = eventsField(['release.*']);
  const secret = field(t('settings.robot-secret'), textInput({ name: 'secret', type: 'password' }), { hint: t('settings.robot-secret-hint') });
  const hint = h('p', { class: 'hint' });
  const kind = segmented(kinds.map((each) => ({ label: t(`settings.kind-${each}`), value: each })), {
    label: t('settings.kind'), onchange: (value) => choose(value),
  });
  const choose = (value) => {
    secret.hidden = value !== 'feishu' && value !== 'dingtalk';
    hint.textContent = t(`settings.kind-${value}-hint`);
  };
  choose('standard');
  const made = await dialog({
    title: t('settings.webhook-new-title'), body: [field(t('settings.kind'), kind), hint, url, secret, events], confirm: t('settings.create'), wide: true,
    act: async () => (await api.send('POST', path('apps', app, 'webhooks'), {
      kind: kind.value, url: url.control.value.trim(), events: events.list(),
      ...(secret.hidden || !secret.control.value ? {} : { secret: secret.control.value }),
    })).value,
  });
  if (!made) return;
  if (made.secret) {
    await secretDialog({ title: t('settings.webhook-made'), text: t('settings.webhook-secret'), secret: made.secret });
  }
  context.go(`settings/webhooks/${made.id}`);
}

/** Opens the page of a webhook. */
export async function openOne(context) {
  const { app } = context;
  const id = context.params.item;
  const where = path('apps', app, 'webhooks', id);
  const first = await api.get(where, { signal: context.signal });
  const isRobot = first.kind === 'feishu' || first.kind === 'dingtalk';

  const overview = livePanel(context, {
    title: t('settings.webhook-facts'), rows: 4, every: 15_000,
    load: (signal) => api.get(where, { signal }), changes: (event) => event.action?.startsWith('webhook.'),
    render: (webhook) => [
      warning(webhook),
      facts([
        [t('settings.state'), badgeOf(webhook.state)], [t('settings.kind'), t(`settings.kind-${webhook.kind}`)],
        [t('settings.url'), webhook.url ? h('code', null, webhook.url) : null],
        [t('settings.events'), h('span', { class: 'tags' }, webhook.events.map((each) => tag(each)))],
        [t('settings.created'), timeTag(webhook.createdAt)], [t('settings.delivered-through'), number(webhook.deliveredThrough)],
        webhook.nextAttempt ? [t('settings.next-attempt'), relativeTime(webhook.nextAttempt)] : null,
        webhook.previousSecretUntil ? [t('settings.previous-secret'), relativeTime(webhook.previousSecretUntil)] : null,
      ]),
    ].filter(Boolean),
  });
  const deliveries = pagedPanel(context, {
    title: t('settings.deliveries'), note: t('settings.deliveries-note'), where: `${where}/deliveries`, list: 'deliveries', caption: t('settings.deliveries'),
    every: 15_000, changes: () => true,
    empty: { icon: 'clock', title: t('settings.deliveries-empty'), text: t('settings.deliveries-empty-text') },
    columns: [{ label: t('settings.outcome') }, { label: t('settings.event') }, { label: t('settings.time') }, { label: t('settings.took'), numeric: true },
      { label: t('settings.reason'), full: true }],
    row: (each) => ({ cells: [
      h('span', null, badgeOf(each.outcome), each.status ? ` ${each.status}` : ''), h('span', null, h('code', null, each.event), each.entry ? ` #${each.entry}` : ''),
      timeTag(each.time), t('settings.milliseconds', { n: each.milliseconds }), each.reason ?? '–',
    ] }),
  });
  const reload = () => {
    overview.reload();
    deliveries.reload();
  };

  async function act(name, body) {
    try {
      const { value } = await api.send('POST', `${where}/${name}`, body ?? {});
      reload();
      return value;
    } catch (problem) {
      toast(problem.message, { kind: 'bad' });
      return null;
    }
  }

  async function test() {
    const result = await act('test');
    if (!result) return;
    const isDelivered = result.outcome === 'delivered';
    toast(isDelivered ? t('settings.test-delivered', { status: result.status, n: result.milliseconds }) : result.reason ?? t(`settings.webhook-${result.outcome}`),
      { kind: isDelivered ? 'good' : 'bad' });
  }

  async function pause() {
    if (await act('pause')) toast(t('settings.webhook-was-paused'), { action: { label: t('settings.resume'), run: () => act('resume') } });
  }

  async function resume() {
    const choice = segmented([{ label: t('settings.resume-all'), value: false }, { label: t('settings.resume-skip'), value: true }], { value: false, label: t('settings.waiting-entries') });
    const done = await dialog({
      title: t('settings.resume-title'), body: [field(t('settings.waiting-entries'), choice)], confirm: t('settings.resume'),
      act: async () => (await api.send('POST', `${where}/resume`, choice.value ? { skip: true } : {})).value,
    });
    if (!done) return;
    reload();
    toast(t('settings.webhook-was-resumed'), { action: { label: t('settings.pause'), run: () => act('pause') } });
  }

  async function change() {
    const { value, tag: state } = await api.read(where);
    const url = urlField(value.url ?? '');
    const events = eventsField(value.events);
    const secret = field(t('settings.robot-secret'), textInput({ name: 'secret', type: 'password' }), { hint: t('settings.robot-secret-keep') });
    const changed = await dialog({
      title: t('settings.webhook-change-title', { id }), body: [url, isRobot ? secret : null, events].filter(Boolean), confirm: t('settings.save'), wide: true,
      act: async () => (await api.send('PATCH', where, {
        url: url.control.value.trim(), events: events.list(), ...(isRobot && secret.control.value ? { secret: secret.control.value } : {}),
      }, { tag: state })).value,
    });
    if (!changed) return;
    reload();
    toast(t('settings.changed', { name: `#${id}` }));
  }

  async function rotate() {
    const overlap = field(t('settings.overlap'), durationInput({ name: 'overlapHours', value: '24h', units: ['h', 'd'] }), { hint: t('settings.overlap-webhook') });
    const rotated = await dialog({
      title: t('settings.rotate-title', { name: `#${id}` }), body: [overlap], confirm: t('settings.rotate-do'),
      act: async () => (await api.send('POST', `${where}/rotate-secret`, { overlapHours: Math.round(seconds(overlap.control.value) / 3_600) })).value,
    });
    if (!rotated) return;
    reload();
    await secretDialog({ title: t('settings.rotated'), text: t('settings.webhook-secret'), secret: rotated.secret });
  }

  async function remove() {
    const name = host(first);
    const done = await removalDialog({ title: t('settings.delete-title', { name }), text: t('settings.webhook-delete-text'), name, confirm: t('settings.delete-do'), where });
    if (!done) return;
    toast(t('settings.deleted', { name }));
    context.go('settings/webhooks');
  }

  function warning(webhook) {
    if (webhook.state === 'failing') {
      return notice('bad', h('span', null, tn('settings.failing-since', { time: relativeTime(webhook.failingSince), n: webhook.failures })),
        button(t('settings.try-now'), { small: true, onclick: () => act('resume') }));
    }
    if (webhook.state === 'paused') return notice('warn', webhook.pausedBecause ?? t('settings.paused-text'), button(t('settings.resume-ask'), { small: true, onclick: resume }));
    return webhook.state === 'unreadable' ? notice('bad', t('settings.unreadable-text')) : null;
  }

  return {
    title: `#${id} ${host(first)}`,
    actions: [
      button(t('settings.test'), { icon: 'play', onclick: test }),
      menu(t('settings.more'), [
        { label: t('settings.change'), icon: 'edit', onclick: change },
        { label: t('settings.pause'), icon: 'pause', onclick: pause },
        { label: t('settings.resume-ask'), icon: 'play', onclick: resume },
        { label: t('settings.rotate'), icon: 'key', onclick: rotate, reason: isRobot ? t('settings.robot-no-rotation') : null },
        { label: t('settings.delete'), icon: 'trash', danger: true, onclick: remove },
      ]),
    ],
    content: [overview, deliveries],
  };
}

function urlField(value) {
  return field(t('settings.url'), textInput({ name: 'url', type: 'url', value, placeholder: 'https://ci.example.com/larder' }), { required: true, hint: t('settings.url-hint') });
}

/** Returns the choice of events; `list()` of the element returns their patterns. */
function eventsField(chosen) {
  const own = chosen.filter((each) => !patterns.includes(each));
  const choice = chips(patterns.map((each) => ({ label: each === '*' ? t('settings.all-events') : each, value: each })), {
    values: chosen.filter((each) => patterns.includes(each)), label: t('settings.events'),
  });
  const more = textInput({ name: 'events', value: own.join(' '), class: 'mono', placeholder: 'build.put page-grant.*' });
  const element = h('div', { class: 'stack' }, field(t('settings.events'), choice), field(t('settings.more-events'), more, { hint: t('settings.more-events-hint') }));
  element.list = () => {
    const all = [...choice.value, ...more.value.split(/[\s,]+/).filter(Boolean)];
    return all.includes('*') || all.length === 0 ? ['*'] : all;
  };
  return element;
}
