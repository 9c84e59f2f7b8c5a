import { field } from '../elements/fields.js';
import { select, textInput } from '../elements/inputs.js';
import { form } from '../elements/form.js';
import { button, h, icon, notice, panel } from '../elements/index.js';
import { dateTimeInput } from '../elements/moments.js';
import { livePanel } from '../elements/live.js';
import { dateTime, sentences, t, tn } from '../i18n/index.js';
import { askedRelease, deviceAddress, forgetDevices, recentDevices } from './devices/recent.js';
import { fetched } from './parts/fetched.js';
import { factValue } from './release/audience-text.js';

/** The facts that a device sends, beside its id and versions. */
const facts = ['appVersion', 'platform', 'osVersion', 'model', 'region', 'network'];

/** The parameters of an explanation. */
const parameters = ['deviceId', 'bucket', ...facts, 'have', 'at'];

/** Opens the page on which one looks up a device, or explains what a device with some facts gets. */
export async function open(context) {
  const isExplaining = parameters.some((name) => context.query.get(name));
  return {
    title: t('devices.title'), sub: tn('devices.sub', { route: h('code', null, '/config') }),
    content: [
      askedNotice(context),
      h('div', { class: 'columns even' }, h('div', null, lookUpPanel(context), recentPanel(context)), h('div', null, factsPanel(context))),
      isExplaining ? explanation(context) : null,
    ],
  };
}

/** Returns a notice that names the release that the page was opened for; `null` if it was opened for none. */
function askedNotice(context) {
  const asked = askedRelease(context);
  if (!asked) return null;
  return notice('info', h('p', null, tn('devices.asked-about', {
    release: h('a', { href: context.href(`releases/${asked.package}/${asked.release}`) }, t('devices.asked-release', asked)),
  })));
}

function lookUpPanel(context) {
  const reason = context.session.reason('releaser', { app: context.app });
  const id = textInput({ name: 'id', maxlength: 256, class: 'mono', placeholder: 'a3c0f1e2-7b14-4c0e-9a51-2f6d8b1e77c0' });
  return panel({ title: t('devices.one'), note: t('devices.one-note'), body: [form({
    fields: [field(t('devices.id'), id, { required: true, hint: t('devices.id-hint') })],
    submit: t('devices.look-up'), icon: 'search', reason,
    onsubmit: async () => { location.hash = deviceAddress(context, id.value.trim(), askedRelease(context) ?? {}); },
  }), reason ? h('p', { class: 'small muted' }, sentences(reason, t('devices.use-facts'))) : null] });
}

function recentPanel(context) {
  const element = panel({ title: t('devices.recent'), note: t('devices.recent-note') });
  const show = () => {
    const ids = recentDevices(context.app);
    element.toggleAttribute('hidden', !ids.length);
    element.setBody(h('ul', { class: 'list dense' }, ids.map((id) => h('li', null, icon('phone'),
      h('a', { class: 'grow mono clip', href: deviceAddress(context, id, askedRelease(context) ?? {}) }, id),
      button(null, { icon: 'cross', kind: 'quiet', small: true, name: t('devices.forget', { id }), onclick: () => { forgetDevices(context.app, id); show(); } })))));
    element.setFooter(ids.length > 1 ? button(t('devices.forget-all'), { kind: 'quiet', small: true, onclick: () => { forgetDevices(context.app); show(); } }) : null);
  };
  show();
  return element;
}

function factsPanel(context) {
  const value = (name) => context.query.get(name) ?? '';
  const input = (name, attributes = {}) => field(t(`devices.fact-${name}`), textInput({ name, value: value(name), maxlength: 128, ...attributes }));
  const at = field(t('devices.at'), dateTimeInput({ name: 'at', value: value('at') || null }), { hint: t('devices.at-hint') });
  return panel({ title: t('devices.facts'), note: t('devices.facts-note'), body: [form({
    fields: [
      h('div', { class: 'grid-2' }, input('appVersion', { placeholder: '8.4.0' }), input('platform', { placeholder: 'android' }),
        input('osVersion', { placeholder: '14' }), input('model'), input('region', { placeholder: 'CN' }),
        field(t('devices.fact-network'), select([['', t('devices.unknown')], ...['wifi', 'cellular'].map((each) => [each, factValue('network', each)])], { name: 'network', value: value('network') }))),
      field(t('devices.fact-have'), textInput({ name: 'have', value: value('have'), class: 'mono', placeholder: 'news@1.0.0,shop@2.3.0' }), { hint: t('devices.have-hint') }),
      input('deviceId', { maxlength: 256, class: 'mono' }), at,
    ],
    submit: t('devices.explain'),
    onsubmit: async (values) => context.setQuery({ ...Object.fromEntries(parameters.map((name) => [name, String(values[name] ?? '').trim() || null])) }),
  })] });
}

function explanation(context) {
  const query = Object.fromEntries(parameters.map((name) => [name, context.query.get(name)]).filter(([, value]) => value));
  const place = h('div');
  const waiting = livePanel(context, {
    title: t('devices.explanation'), rows: 5, changes: (event) => /^(release|release-set|package|device-list|build)\./.test(event.action ?? ''),
    load: async () => {
      const [explained, views] = await Promise.all([context.get(['explain'], { channel: context.channel, ...query }), fetched(import('./devices/explanation.js'))]);
      return { explained, ...views };
    },
    render: ({ explained, ExplanationView, explainCommand }) => {
      const device = { has: havesOf(query.have), knowsHas: Boolean(query.have) };
      const view = new ExplanationView(context, {
        packages: explained.packages, device, channel: explained.channel, command: explainCommand(context, { channel: context.channel, ...query }),
      });
      place.replaceChildren(view.element);
      const bucket = explained.device?.bucket;
      return h('p', null, bucket === undefined ? t('devices.explained-open', { channel: explained.channel, time: dateTime(explained.instant) })
        : t('devices.explained', { channel: explained.channel, time: dateTime(explained.instant), bucket: String(bucket) }));
    },
  });
  return [waiting, place];
}

/** Returns the versions of `news@1.0.0,shop@2.3.0` by package. */
function havesOf(text) {
  return Object.fromEntries((text ?? '').split(',').filter((part) => part.includes('@')).map((part) => part.trim().split('@')));
}
