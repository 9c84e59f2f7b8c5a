import { api, path } from '../../api/client.js';
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

/** The newest releases whose rules suggest names of attributes. */
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
 * Returns the editor of the rules that devices have to meet.
 *
 * @param {any} wizard
 * @param {{begins?: boolean}} options `begins` adds the first rule
 * @returns {any}
 */
export function rulesEditor(wizard, { begins = false } = {}) {
  const { draft } = wizard;
  const place = h('div', null);
  const names = h('datalist', { id: newId('attributes') });
  let isAsked = false;
  const suggest = async () => {
    if (isAsked) return;
    isAsked = true;
    // Without the names the field takes any.
    const { releases } = await api.get(path('apps', wizard.context.app, 'releases'), { query: { limit: readReleases } }).catch(() => ({ releases: [] }));
    names.replaceChildren(...attributeNames([...releases, draft]).map((value) => h('option', { value })));
  };
  const show = (focus) => {
    place.replaceChildren(...draft.rules.map((rule, index) => row(rule, index)));
    if (focus !== undefined) place.querySelectorAll('.rule-row')[focus]?.querySelector('select').focus();
  };
  const row = (rule, index) => {
    const isOwn = rule.fact.startsWith('attr.');
    const label = (key) => t('release.rule-field', { field: t(key), n: index + 1 });
    const fact = select([...facts.map((each) => [each, factName(each)]), ['attr.', t('wizard.rule-attribute')]], {
      value: isOwn ? 'attr.' : rule.fact, 'aria-label': label('wizard.rule-fact'), onchange: () => {
        rule.fact = fact.value;
        rule.how = ['appVersion', 'osVersion'].includes(rule.fact) ? 'range' : 'in';
        wizard.change();
        show(index);
      },
    });
    const hint = isOwn ? h('p', { class: 'hint', id: newId('hint') }, t('wizard.rule-attribute-hint')) : null;
    const name = isOwn ? textInput({ value: rule.fact.slice(5), list: names.id, placeholder: t('wizard.rule-attribute-name'), 'aria-label': label('wizard.rule-attribute-name'), 'aria-describedby': hint.id, oninput: () => {
      rule.fact = `attr.${name.value.trim()}`;
      wizard.change();
    } }) : null;
    if (isOwn) suggest();
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
    return h('div', { class: 'rule-row audience', role: 'group', 'aria-label': t('release.rule-name', { n: index + 1 }) },
      h('div', { class: 'stack tight' }, fact, name, hint), how, h('div', { class: 'wide' }, text),
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
  return [place, h('div', { class: 'row' }, button(t('release.rule-add'), { icon: 'plus', small: true, onclick: add }), names)];
}
