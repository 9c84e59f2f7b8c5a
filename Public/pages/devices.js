import { field } from '../elements/fields.js';
import { select, textArea, textInput } from '../elements/inputs.js';
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

/** The parameters of an explanation, beside the attributes of the app. */
const parameters = ['deviceId', 'bucket', ...facts, 'have', 'at'];

/** What the names of the parameters of attributes begin with. */
const attributePrefix = 'attr.';

/** Opens the page on which one looks up a device, or explains what a device with some facts gets. */
export async function open(context) {
  const result = explanation(context);
  return {
    title: t('devices.title'), sub: t('devices.sub'),
    content: [
      askedNotice(context),
      h('div', { class: 'columns even' }, h('div', null, lookUpPanel(context), recentPanel(context)), h('div', null, factsPanel(context, result))),
      result,
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

/** Returns the parameters of the address that describe a device and a time. */
function given({ query }) {
  return Object.fromEntries([...query].filter(([name, value]) => value && (parameters.includes(name) || name.startsWith(attributePrefix))));
}

/**
 * Returns the attributes of lines such as `city=Shenzhen` as parameters.
 *
 * @param {string} text
 * @returns {Object<string, string> | null} `null` if a line has no name or no value
 */
export function attributesOf(text) {
  const lines = text.split('\n').filter((line) => line.trim());
  const pairs = lines.flatMap((line) => [...line.matchAll(/^\s*([^=]*[^=\s])\s*=\s*(.*\S)/g)]);
  return pairs.length === lines.length ? Object.fromEntries(pairs.map(([, name, value]) => [attributePrefix + name, value])) : null;
}

function factsPanel(context, result) {
  const value = (name) => context.query.get(name) ?? '';
  const input = (name, attributes = {}) => field(t(`devices.fact-${name}`), textInput({ name, value: value(name), maxlength: 128, ...attributes }));
  const at = field(t('devices.at'), dateTimeInput({ name: 'at', value: value('at') || null }), { hint: t('devices.at-hint') });
  const names = () => [...context.query.keys()].filter((name) => name.startsWith(attributePrefix));
  const attributes = field(t('device.attributes'), textArea({
    name: 'attributes', class: 'mono', rows: 2, value: names().map((name) => `${name.slice(attributePrefix.length)}=${value(name)}`).join('\n'),
  }), { hint: t('devices.attributes-hint') });
  return panel({ title: t('devices.facts'), note: t('devices.facts-note'), body: [form({
    fields: [
      h('div', { class: 'grid-2' }, input('appVersion', { placeholder: '8.4.0' }), input('platform', { placeholder: 'android' }),
        input('osVersion', { placeholder: '14' }), input('model'), input('region', { placeholder: 'CN' }),
        field(t('devices.fact-network'), select([['', t('devices.unknown')], ...['wifi', 'cellular'].map((each) => [each, factValue('network', each)])], { name: 'network', value: value('network') }))),
      attributes,
      field(t('devices.fact-have'), textInput({ name: 'have', value: value('have'), class: 'mono', placeholder: 'news@1.0.0,shop@2.3.0' }), { hint: t('devices.have-hint') }),
      input('deviceId', { maxlength: 256, class: 'mono' }), at,
    ],
    submit: t('devices.explain'),
    onsubmit: async (values) => {
      const own = attributesOf(String(values.attributes));
      if (!own) return attributes.setError(t('devices.attributes-invalid'));
      const old = [...parameters, ...names()].map((name) => [name, String(values[name] ?? '').trim() || null]);
      context.setQuery({ ...Object.fromEntries(old), ...own }, { reload: false });
      return result.explain();
    },
  })] });
}

/** Returns the place of the explanation, with `explain()`, which loads it, brings it into view and moves the focus to it. */
function explanation(context) {
  const place = h('div');
  let isWanted = Object.keys(given(context)).length > 0;
  const summary = livePanel(context, {
    title: t('devices.explanation'), rows: 5, changes: (event) => /^(release|release-set|package|device-list|build)\./.test(event.action ?? ''),
    load: async () => {
      if (!isWanted) return null;
      const [explained, views] = await Promise.all([context.get(['explain'], { channel: context.channel, ...given(context) }), fetched(import('./devices/explanation.js'))]);
      return { explained, ...views };
    },
    render: (data) => (data ? explained(context, data, place) : ''),
  });
  const element = h('div', { class: 'stack wide', hidden: !isWanted }, summary, place);
  element.explain = async () => {
    isWanted = true;
    place.replaceChildren();
    element.removeAttribute('hidden');
    await summary.reload();
    const heading = summary.querySelector('h2');
    heading.setAttribute('tabindex', '-1');
    summary.scrollIntoView();
    heading.focus({ preventScroll: true });
  };
  return element;
}

/** Puts the packages of an explanation in their place, and returns what it is about. */
function explained(context, { explained: found, ExplanationView, explainCommand, versionsInUse }, place) {
  const query = given(context);
  const sent = versionsOf(query.have);
  const view = new ExplanationView(context, {
    packages: found.packages, device: { has: versionsInUse(sent), sent, knowsHas: Boolean(query.have) }, channel: found.channel,
    command: explainCommand(context, { channel: context.channel, ...query }),
  });
  place.replaceChildren(view.element);
  return h('p', null, sentences(t('devices.explained', { channel: found.channel, time: dateTime(found.instant) }), found.assumption ? t('devices.assumption') : ''));
}

/** Returns the versions of `news@1.0.0,shop@2.3.0` by package, the one in use first. */
function versionsOf(text = '') {
  /** @type {Object<string, string[]>} */
  const versions = {};
  for (const [id, version] of text.split(',').map((part) => part.trim().split('@'))) if (version) (versions[id] ??= []).push(version);
  return versions;
}
