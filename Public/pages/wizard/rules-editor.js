import { select, textInput } from '../../elements/inputs.js';
import { button, h } from '../../elements/index.js';
import { t } from '../../i18n/index.js';
import { factName } from '../release/audience-text.js';

/** The facts that devices send, in the order of the list. */
const facts = ['appVersion', 'platform', 'osVersion', 'model', 'region', 'network'];

/** The comparisons. */
const comparisons = ['in', 'notIn', 'prefix', 'range'];

/** The most rules of a release. */
const ruleLimit = 32;

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
    const name = isOwn ? textInput({ value: rule.fact.slice(5), placeholder: t('wizard.rule-attribute-name'), 'aria-label': label('wizard.rule-attribute-name'), oninput: () => {
      rule.fact = `attr.${name.value.trim()}`;
      wizard.change();
    } }) : null;
    const how = select(comparisons.map((each) => [each, t(`wizard.rule-how.${each}`)]), {
      value: rule.how, 'aria-label': label('wizard.rule-compare'), onchange: () => {
        rule.how = how.value;
        text.setAttribute('placeholder', t(`wizard.rule-example.${rule.how}`));
        wizard.change();
      },
    });
    const text = textInput({
      value: rule.text, class: 'mono', placeholder: t(`wizard.rule-example.${rule.how}`), 'aria-label': label('wizard.rule-value'), oninput: () => {
        rule.text = text.value;
        wizard.change();
      },
    });
    return h('div', { class: 'rule-row audience', role: 'group', 'aria-label': t('release.rule-name', { n: index + 1 }) },
      h('div', { class: 'stack tight' }, fact, name), how, h('div', { class: 'wide' }, text),
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
