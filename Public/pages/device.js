import { api, path } from '../api/client.js';
import { segmented } from '../elements/segmented.js';
import { facts, tiles } from '../elements/facts.js';
import { textInput } from '../elements/inputs.js';
import { copyButton } from '../elements/copy.js';
import { button, emptyState, h, later, menu, notice, panel } from '../elements/index.js';
import { timeline } from '../elements/timeline.js';
import { relativeTime, timeTag } from '../elements/time.js';
import { roleWall } from '../elements/role-wall.js';
import { day, list, number, t, time } from '../i18n/index.js';
import { bytes } from '../i18n/sizes.js';
import { ExplanationView, explainCommand, versionsInUse } from './devices/explanation.js';
import { askedRelease, deviceAddress, rememberDevice } from './devices/recent.js';
import { eventKind, eventName } from './parts/events.js';
import { factName, factValue } from './release/audience-text.js';

/** The time in milliseconds after an event of the stream until the device is read again. */
const settleTime = 400;

/** Opens the page of a device: why it has what it has. */
export async function open(context) {
  const id = context.params.device;
  const crumbs = [{ label: t('nav.devices'), href: context.href('devices') }];
  const short = id.length > 12 ? `${id.slice(0, 10)}…` : id;
  const wall = roleWall(context, 'releaser', { app: context.app });
  if (wall) {
    return { title: t('device.title'), crumbs, crumbTitle: short, pageTitle: short, content: [wall,
      h('div', { class: 'row' }, button(t('device.explain-id'), { href: context.href('devices', { deviceId: id }) }))] };
  }
  const load = () => api.get(path('apps', context.app, 'devices'), { query: { id }, signal: context.signal });
  const device = await load();
  rememberDevice(context.app, id);
  const page = { context, id, device, place: h('div', { class: 'stack wide' }), change: button(t('device.change-facts'), { href: '#', icon: 'edit' }) };
  show(page);
  watch(page, load);
  return {
    title: t('device.title'), crumbs, crumbTitle: short, pageTitle: short, sub: t('device.sub'),
    actions: [menu(null, [{
      label: t('device.erase'), icon: 'trash', danger: true, onclick: later(() => import('./devices/erase.js'), (module) => module.erase(context, id)), reason: context.session.reason('admin', { app: context.app }),
    }], { name: t('device.more') }), page.change],
    content: [lookUp(context, id), page.place],
  };
}

function lookUp(context, id) {
  const input = textInput({ name: 'id', value: id, class: 'mono', maxlength: 256, 'aria-label': t('devices.id') });
  return h('form', { class: 'row nowrap', onsubmit: (event) => {
    event.preventDefault();
    if (input.value.trim()) location.hash = deviceAddress(context, input.value.trim(), askedRelease(context) ?? {});
  } }, h('div', { class: 'grow' }, input), copyButton(() => input.value, { label: null, name: t('device.copy-id') }), button(t('devices.explain'), { type: 'submit', kind: 'primary' }));
}

/** Reads the device again when a release, a package or a list changes, or when another one was opened. */
function watch(page, load) {
  const { context } = page;
  let timer;
  context.onEvent((event) => {
    if (!event.isGap && !/^(release|release-set|package|device-list|build)\./.test(event.action ?? '')) return;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      try {
        page.device = await load();
        show(page);
      } catch {
        // The page stays as it is; the frame says that the server cannot be reached.
      }
    }, settleTime);
  });
}

/** Returns what the device sent on the open channel, or else on the one that it was seen on last. */
function seenOf({ device, context }) {
  return device.seen.find((each) => each.channel === context.channel) ?? [...device.seen].sort((one, other) => (one.seenAt < other.seenAt ? 1 : -1))[0];
}

/** Returns what the device sent as the parameters of an explanation. */
function sentBy(page) {
  const seen = seenOf(page);
  const have = Object.entries(seen?.have ?? {}).flatMap(([id, versions]) => versions.map((version) => `${id}@${version}`)).join(',');
  return { deviceId: page.id, ...seen?.facts, have };
}

function show(page) {
  const { context, device } = page;
  const seen = seenOf(page);
  const offer = device.offers.find((each) => each.channel === (seen?.channel ?? context.channel)) ?? device.offers[0];
  const focused = page.place.contains(document.activeElement) ? document.activeElement?.getAttribute('data-key') : null;
  const own = { has: versionsInUse(seen?.have, device.installed), sent: seen?.have ?? {}, knowsHas: Boolean(seen?.have) || Object.keys(device.installed).length > 0, events: device.events };
  const view = offer ? new ExplanationView(context, {
    packages: offer.packages, device: own, channel: offer.channel,
    command: explainCommand(context, { channel: offer.channel, ...sentBy(page) }),
  }) : null;
  const reports = reportsPanel(page, view, own.sent);
  view?.beside.append(reports);
  const follow = () => {
    reports.update();
    page.change.setAttribute('href', context.href('devices', { ...sentBy(page), package: view?.selected, ...askedRelease(context) }));
  };
  if (view) view.onSelect = follow;
  follow();
  page.place.replaceChildren(...[
    device.seen.length ? seenTiles(seen) : notice('info', t('device.not-seen', { channel: offer?.channel ?? context.channel })),
    seen && seen.channel !== context.channel ? notice('warn', t('device.other-channel', { channel: seen.channel, open: context.channel })) : null,
    view ? view.element : reports, device.seen.length ? factsPanel(page) : null,
  ].filter(Boolean));
  if (focused) page.place.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

/** Returns the tile of the attributes that the app sent, which rules may use like the other facts. */
function attributesTile(sent) {
  const attributes = Object.entries(sent).filter(([name]) => name.startsWith('attr.'));
  const most = 3;
  if (!attributes.length) return [];
  const values = attributes.slice(0, most).map(([, value]) => value).join(', ');
  return [{ label: t('device.attributes'), value: attributes.length > most ? `${values}…` : values, note: attributes.map(([name]) => name.slice(5)).join(', ') }];
}

function seenTiles(seen) {
  const { appVersion, platform, osVersion, model, region, network } = seen.facts;
  return tiles([
    { label: t('device.last'), value: relativeTime(seen.seenAt), note: network === 'wifi' ? t('device.on-wifi') : network ? t('device.on-network', { network: factValue('network', network) }) : undefined },
    { label: t('device.host-app'), value: appVersion ?? '–' },
    { label: t('device.system'), value: [platform && factValue('platform', platform), osVersion].filter(Boolean).join(' ') || '–', note: [model, region].filter(Boolean).join(', ') || undefined },
    ...attributesTile(seen.facts),
  ]);
}

function factsPanel({ device }) {
  return panel({ title: t('device.sent'), note: t('device.sent-note'), body: device.seen.map((each) => facts([
    [t('device.channel'), each.channel], [t('device.seen'), timeTag(each.seenAt)],
    ...Object.entries(each.facts).map(([name, value]) => [factName(name), factValue(name, value)]),
    [t('devices.fact-have'), each.have ? list(Object.entries(each.have).map(([id, versions]) => `${id} ${versions.join(', ')}`)) || '–' : t('device.no-have')],
    each.cut ? [t('device.cut'), t('device.cut-text')] : null,
  ])) });
}

function reportsPanel(page, view, sent) {
  const { device } = page;
  let isAll = !view?.selected;
  const scope = h('span');
  const element = panel({ title: t('device.reports'), footer: device.truncated ? t('device.reports-cut') : t('device.reports-note'), actions: [scope] });
  element.update = () => {
    const selected = view?.selected;
    scope.replaceChildren(...selected ? [segmented([{ label: selected, value: false }, { label: t('device.all-packages'), value: true }], {
      value: isAll, label: t('device.reports-of'), onchange: (next) => { isAll = next; element.update(); },
    })] : []);
    const version = sent[selected]?.[0];
    const events = device.events.filter((event) => isAll || event.package === selected);
    element.setBody(events.length ? timeline(events.map(entry)) : emptyState({ icon: 'list', title: isAll ? t('device.no-reports') : t('device.no-reports-of', { package: selected }), text: isAll || !version ? null : t('device.no-reports-asked', { version }) }));
  };
  return element;
}

function entry(event) {
  const isToday = new Date(event.time).toDateString() === new Date().toDateString();
  const { duration, reason, bytes: size, kind, message } = event.details ?? {};
  const remarks = [
    kind, size === undefined ? null : bytes(Number(size)), duration === undefined ? null : number(Number(duration), { style: 'unit', unit: 'millisecond' }),
    reason, message,
  ].filter(Boolean).map(String);
  return {
    kind: eventKind(event.event), when: timeTag(event.time, isToday ? time(event.time) : day(event.time)),
    text: [h('b', null, eventName(event.event)), ' ', `${event.package} ${event.version}`, remarks.length ? `, ${remarks.join(', ')}` : ''],
  };
}
