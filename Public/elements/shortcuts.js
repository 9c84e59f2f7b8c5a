import { t } from '../i18n/index.js';
import { navigation } from '../pages/index.js';
import { checkbox } from './fields.js';
import { dialog, h } from './index.js';
import { setShortcuts } from './choose-preferences.js';
import { hasShortcuts } from './preferences.js';

/**
 * Shows the list of the keyboard's shortcuts.
 *
 * @returns {Promise<any>}
 */
export function showShortcuts() {
  const groups = [
    ['shortcuts.anywhere', [[['Ctrl', 'K'], 'nav.jump'], [['/'], 'shortcuts.search'], [['?'], 'shortcuts.list'], [['Esc'], 'common.close'], [['Ctrl', 'Enter'], 'shortcuts.submit']]],
    ['shortcuts.pages', navigation.map((entry) => [['G', entry.key.toUpperCase()], `nav.${entry.name}`])],
    ['shortcuts.lists', [[['J'], 'shortcuts.next-row'], [['K'], 'shortcuts.previous-row'], [['Enter'], 'shortcuts.open-row'], [['['], 'shortcuts.previous-tab'], [[']'], 'shortcuts.next-tab']]],
    ['shortcuts.work', [[['U'], 'shortcuts.upload'], [['R'], 'shortcuts.release'], [['P'], 'shortcuts.pause']]],
  ];
  const single = checkbox(t('settings.shortcuts'), {
    checked: hasShortcuts(), hint: t('shortcuts.off-hint'), onchange: (event) => setShortcuts(event.target.checked),
  });
  return dialog({
    title: t('shortcuts.title'), wide: true,
    body: [h('div', { class: 'grid-2' }, groups.map(([title, entries]) => h('section', null, h('h3', null, t(String(title))),
      h('dl', { class: 'facts' }, /** @type {any[]} */ (entries).map(([keys, text]) => h('div', null,
        h('dt', null, keys.map((key, index) => [index ? ' ' : null, h('kbd', null, key)])), h('dd', null, t(text)))))))), single],
  });
}
