import { field } from '../../elements/fields.js';
import { button, h, later, notice, panel } from '../../elements/index.js';
import { select, textInput } from '../../elements/inputs.js';
import { whenVisible } from '../../elements/visible.js';
import { t } from '../../i18n/index.js';

/** Returns the panel of the rules that a device has to meet. */
export function rulesPanel(wizard) {
  const load = async () => {
    const { knownFacts, rulesEditor } = await import('./rules-editor.js');
    const known = await knownFacts(wizard);
    return (options) => rulesEditor(wizard, known, options);
  };
  const element = panel({ title: t('wizard.rules'), note: t('wizard.rules-note') });
  if (wizard.draft.rules.length) element.setBody(whenVisible(h('div'), async () => (await load())()));
  else {
    // After the step was left, its draft is not the one that is kept.
    element.setBody(h('div', { class: 'row' }, button(t('release.rule-add'), {
      icon: 'plus', small: true, onclick: later(load, (editor) => { if (!wizard.context.signal.aborted) element.setBody(editor({ begins: true })); }),
    })));
  }
  return element;
}

/** Returns the panel of the device lists: that of the audience, and that of the devices left out. */
export function listsPanel(wizard) {
  const { draft, lists, context } = wizard;
  const options = [['', t('wizard.list-none')], ...lists.map((each) => [each.name, t('wizard.list-option', { list: each.name, n: each.devices })])];
  const pick = (member) => {
    const control = select(options, { value: draft[member], onchange: () => wizard.change({ [member]: control.value }) });
    return control;
  };
  return panel({
    title: t('wizard.lists'), actions: [h('a', { href: context.href('settings/device-lists') }, t('wizard.lists-manage'))],
    body: [lists.length ? h('div', { class: 'grid-2' },
      field(t('wizard.whitelist'), pick('whitelist'), { hint: t('wizard.whitelist-hint') }),
      field(t('wizard.excluded'), pick('excluded'), { hint: t('wizard.excluded-hint') })) : notice('info', t('wizard.lists-none'))],
  });
}

/** Returns the panel of the lowest version that a device may have. */
export function floorPanel(wizard) {
  const { floor } = wizard.draft;
  const input = (member, attributes = {}) => {
    const control = textInput({ value: floor[member], ...attributes, oninput: () => {
      floor[member] = control.value.trim();
      wizard.change();
    } });
    return control;
  };
  const without = select([['withhold', t('wizard.floor-withhold')], ['offer', t('wizard.floor-offer')]], { value: floor.withoutHave, onchange: () => {
    floor.withoutHave = without.value;
    wizard.change();
  } });
  return panel({
    title: t('wizard.floor'), note: t('wizard.floor-note'),
    body: [h('div', { class: 'grid-3' },
      field(t('wizard.floor-version'), input('version', { placeholder: '3.0.0', class: 'mono' })), field(t('wizard.floor-reason'), input('reason')),
      field(t('wizard.floor-without'), without))],
  });
}
