import { select, textInput } from '../../elements/inputs.js';
import { button, h, newId } from '../../elements/index.js';
import { percent, t } from '../../i18n/index.js';
import { factName } from '../release/audience-text.js';
import { valuesOf } from './draft.js';

/** The facts that devices send, in the order of the list. */
const facts = ['appVersion', 'platform', 'osVersion', 'model', 'region', 'network'];

/** The comparisons. */
const comparisons = ['in', 'notIn', 'prefix', 'range'];

/** The most rules of a release. */
const ruleLimit = 32;

/** The number of newest releases whose rules are searched for names of attributes. */
const readReleases = 100;

/** The limit on the values that are offered at a time; a value that was added makes room for the next. */
const offeredValues = 5;

/** Examples of values, and of beginnings of values where they differ; other facts are attributes. */
const examples = { appVersion: '8.3.0, 8.4.0', platform: 'android, ios', osVersion: '14, 15', model: 'Pixel 9, SM-S9210', region: 'CN, SG', network: 'wifi, cellular' };
const beginnings = { appVersion: '8.3., 8.4.', osVersion: '14., 15.', model: 'Pixel, SM-' };

/**
 * Returns an example of what a rule compares a fact with.
 *
 * @param {{fact: string, how: string}} rule
 * @returns {string}
 */
export function ruleExample({ fact, how }) {
  if (how === 'range') return fact === 'osVersion' ? '>=14 <17' : '>=8.3 <9';
  return (how === 'prefix' ? beginnings[fact] : undefined) ?? examples[fact] ?? 'gold, silver';
}

/**
 * Returns the facts that devices send or rules of releases compare.
 *
 * @param {any[]} releases
 * @param {{devices: number, facts: {fact: string, values: {value: string, devices: number}[]}[]}} sent
 * @returns {KnownFacts}
 */
export function factsOf(releases, sent) {
  /** @type {KnownFacts} */
  const known = new Map(sent.facts.map(({ fact, values }) => [fact, values.map(({ value, devices }) => ({ value, share: devices / sent.devices * 100 }))]));
  for (const { fact } of releases.flatMap(({ rules }) => rules ?? [])) if (!known.has(fact)) known.set(fact, []);
  return known;
}

/** @typedef {Map<string, {value: string, share: number}[]>} KnownFacts facts with their values, each with its percentage of devices */

/** Returns the channel whose devices the rules are about; a draft may have none yet. */
const channelOf = ({ draft, context }) => draft.channel || context.channel;

/**
 * Reads the facts that devices of the draft's channel send and that rules of the app's newest releases compare; none if they
 * cannot be read, since the editor takes any.
 *
 * @param {any} wizard
 * @returns {Promise<{channel: string, facts: KnownFacts}>}
 */
export async function knownFacts(wizard) {
  const { context } = wizard;
  const channel = channelOf(wizard);
  const mayRead = context.session.may('releaser', { app: context.app, channel });
  const nothing = { devices: 0, facts: [] };
  const [{ releases }, sent] = await Promise.all([
    context.get(['releases'], { limit: readReleases }).catch(() => ({ releases: [] })),
    mayRead ? context.get(['device-facts'], { channel }).catch(() => nothing) : nothing,
  ]);
  return { channel, facts: factsOf(releases, sent) };
}

/**
 * Returns the values that are offered for a rule: those that it has not, the most frequent first.
 *
 * @param {{fact: string, text: string}} rule
 * @param {KnownFacts} known
 */
export function offeredFor({ fact, text }, known) {
  const given = valuesOf(text);
  return (known.get(fact) ?? []).filter(({ value }) => !given.includes(value) && valuesOf(value)[0] === value).slice(0, offeredValues);
}

/**
 * Returns the editor of the rules that devices have to meet.
 *
 * @param {any} wizard
 * @param {{channel: string, facts: KnownFacts}} known
 * @param {{begins?: boolean}} options `begins` adds the first rule
 * @returns {any}
 */
export function rulesEditor(wizard, known, { begins = false } = {}) {
  const { draft } = wizard;
  const attributesOf = () => [...known.facts.keys()].filter((fact) => /^attr\../.test(fact)).map((fact) => fact.slice(5)).sort();
  /** @type {(() => void)[]} Each shows what is offered for a rule. */
  let offerings = [];
  // The fields stay, since somebody may type in one of them meanwhile.
  const follow = async () => {
    if (known.channel === channelOf(wizard)) return;
    known = { channel: channelOf(wizard), facts: known.facts };
    const found = await knownFacts(wizard);
    if (found.channel !== known.channel || wizard.context.signal.aborted) return;
    known = found;
    for (const offer of offerings) offer();
  };
  const place = h('div', null);
  const show = (focus) => {
    offerings = [];
    place.replaceChildren(...draft.rules.map((rule, index) => row(rule, index)));
    if (focus !== undefined) place.querySelectorAll('.rule-row')[focus]?.querySelector('select').focus();
  };
  const row = (rule, index) => {
    const attributes = attributesOf();
    const isNamed = rule.fact.startsWith('attr.') && !attributes.includes(rule.fact.slice(5));
    const label = (key) => t('release.rule-field', { field: t(key), n: index + 1 });
    const fact = select(facts.map((each) => [each, factName(each)]), {
      'aria-label': label('wizard.rule-fact'), onchange: () => {
        rule.fact = fact.value;
        rule.how = ['appVersion', 'osVersion'].includes(rule.fact) ? 'range' : 'in';
        wizard.change();
        show(index);
      },
    });
    fact.append(h('optgroup', { label: t('wizard.rule-attributes') },
      [...attributes.map((each) => [`attr.${each}`, each]), ['attr.', t('wizard.rule-attribute')]].map(([value, text]) => h('option', { value }, text))));
    fact.value = isNamed ? 'attr.' : rule.fact;
    const hint = isNamed ? h('p', { class: 'hint', id: newId('hint') }, t('wizard.rule-attribute-hint')) : null;
    const name = isNamed ? textInput({ value: rule.fact.slice(5), placeholder: t('wizard.rule-attribute-name'), 'aria-label': label('wizard.rule-attribute-name'), 'aria-describedby': hint.id, oninput: () => {
      rule.fact = `attr.${name.value.trim()}`;
      wizard.change();
      offer();
    } }) : null;
    const how = select(comparisons.map((each) => [each, t(`wizard.rule-how.${each}`)]), {
      value: rule.how, 'aria-label': label('wizard.rule-compare'), onchange: () => {
        rule.how = how.value;
        text.setAttribute('placeholder', ruleExample(rule));
        wizard.change();
        offer();
      },
    });
    const text = textInput({
      value: rule.text, class: 'mono', placeholder: ruleExample(rule), 'aria-label': label('wizard.rule-value'), oninput: () => {
        rule.text = text.value;
        wizard.change();
        offer();
      },
    });
    const offers = h('div', { class: 'offers hint' });
    const offer = () => {
      const values = offeredFor(rule, known.facts);
      offers.toggleAttribute('hidden', !values.length);
      offers.replaceChildren(t('wizard.rule-sent'), ...values.map(({ value, share }) => (rule.how === 'range' ? h('code', null, value) : button(h('span', { class: 'clip' }, value), {
        small: true, title: t('wizard.rule-value-share', { percent: percent(share) }), name: t('wizard.rule-add-value', { value, percent: percent(share) }), onclick: () => {
          rule.text = [...valuesOf(text.value), value].join(', ');
          text.value = rule.text;
          wizard.change();
          offer();
          text.focus();
        },
      }))));
    };
    offer();
    offerings.push(offer);
    return h('div', { class: isNamed ? 'rule-row audience named' : 'rule-row audience', role: 'group', 'aria-label': t('release.rule-name', { n: index + 1 }) },
      fact, isNamed ? h('div', { class: 'stack tight' }, name, hint) : null, how, h('div', { class: isNamed ? null : 'wide' }, text),
      button(null, { icon: 'cross', kind: 'quiet', small: true, name: t('release.rule-remove', { n: index + 1 }), onclick: () => {
        draft.rules.splice(index, 1);
        wizard.change();
        show(Math.max(0, index - 1));
      } }), offers);
  };
  const add = () => {
    if (draft.rules.length >= ruleLimit) return;
    draft.rules.push({ fact: 'appVersion', how: 'range', text: '' });
    wizard.change();
    show(draft.rules.length - 1);
  };
  show();
  wizard.listeners.push(follow);
  follow();
  // The focus goes to the first rule once the editor is on the page.
  if (begins) queueMicrotask(add);
  return [place, h('div', { class: 'row' }, button(t('release.rule-add'), { icon: 'plus', small: true, onclick: add }))];
}
