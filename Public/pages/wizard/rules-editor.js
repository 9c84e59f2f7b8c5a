import { select, textInput } from '../../elements/inputs.js';
import { button, h, newId } from '../../elements/index.js';
import { t } from '../../i18n/index.js';
import { factName } from '../release/audience-text.js';

/** The facts that devices send, in the order of the list. */
const facts = ['appVersion', 'platform', 'osVersion', 'model', 'region', 'network'];

/** The comparisons. */
const comparisons = ['in', 'notIn', 'prefix', 'range'];

/** The most rules of a release. */
const ruleLimit = 32;

/** The number of newest releases whose rules are searched for names of attributes. */
const readReleases = 100;

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
 * Returns the names of the attributes that rules of releases compare.
 *
 * @param {any[]} releases
 * @returns {string[]}
 */
export function attributeNames(releases) {
  const names = releases.flatMap(({ rules }) => rules ?? []).map(({ fact }) => /^attr\.(.+)/.exec(fact)?.[1]).filter(Boolean);
  return [...new Set(/** @type {string[]} */ (names))].sort();
}

/**
 * Reads the names of the attributes that rules of the app's newest releases compare; none if they cannot be read, since the
 * editor takes any name.
 *
 * @param {any} context
 * @returns {Promise<string[]>}
 */
export async function knownAttributes(context) {
  const { releases } = await context.get(['releases'], { limit: readReleases }).catch(() => ({ releases: [] }));
  return attributeNames(releases);
}

/**
 * Returns the editor of the rules that devices have to meet.
 *
 * @param {any} wizard
 * @param {string[]} attributes the names of the attributes that the list of facts offers
 * @param {{begins?: boolean}} options `begins` adds the first rule
 * @returns {any}
 */
export function rulesEditor(wizard, attributes, { begins = false } = {}) {
  const { draft } = wizard;
  const place = h('div', null);
  const show = (focus) => {
    place.replaceChildren(...draft.rules.map((rule, index) => row(rule, index)));
    if (focus !== undefined) place.querySelectorAll('.rule-row')[focus]?.querySelector('select').focus();
  };
  const row = (rule, index) => {
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
    } }) : null;
    const how = select(comparisons.map((each) => [each, t(`wizard.rule-how.${each}`)]), {
      value: rule.how, 'aria-label': label('wizard.rule-compare'), onchange: () => {
        rule.how = how.value;
        text.setAttribute('placeholder', ruleExample(rule));
        wizard.change();
      },
    });
    const text = textInput({
      value: rule.text, class: 'mono', placeholder: ruleExample(rule), 'aria-label': label('wizard.rule-value'), oninput: () => {
        rule.text = text.value;
        wizard.change();
      },
    });
    return h('div', { class: isNamed ? 'rule-row audience named' : 'rule-row audience', role: 'group', 'aria-label': t('release.rule-name', { n: index + 1 }) },
      fact, isNamed ? h('div', { class: 'stack tight' }, name, hint) : null, how, h('div', { class: isNamed ? null : 'wide' }, text),
      button(null, { icon: 'cross', kind: 'quiet', small: true, name: t('release.rule-remove', { n: index + 1 }), onclick: () => {
        draft.rules.splice(index, 1);
        wizard.change();
        show(Math.max(0, index - 1));
      } }));
  };
  const add = () => {
    if (draft.rules.length >= ruleLimit) return;
    draft.rules.push({ fact: 'appVersion', how: 'range', text: '' });
    wizard.change();
    show(draft.rules.length - 1);
  };
  show();
  // The focus goes to the first rule once the editor is on the page.
  if (begins) queueMicrotask(add);
  return [place, h('div', { class: 'row' }, button(t('release.rule-add'), { icon: 'plus', small: true, onclick: add }))];
}
