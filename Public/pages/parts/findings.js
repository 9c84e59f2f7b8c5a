import { button, code, h, later, mark } from '../../elements/index.js';
import { codeText, has, t } from '../../i18n/index.js';

/** Returns the name of a finding of the linter in the language of the console. */
export function findingName(finding) {
  return has(`finding.${finding.code}`) ? t(`finding.${finding.code}`) : finding.code;
}

/** Returns what is wrong and how to fix it: the text of the code, if the language has one, and the message of the server. */
export function findingText(finding) {
  const text = finding.text ?? codeText('finding', finding.code);
  return [text ? h('p', { class: 'small' }, text) : null, h('p', { class: 'small muted', lang: text ? 'en' : null }, finding.message)];
}

/**
 * Returns the findings of the linter, each with what is wrong, how to fix it, and what can be done here.
 *
 * @param {{code: string, path?: string, message: string, isError?: boolean}[]} findings
 * @param {(finding: any) => any} actions returns the buttons of a finding
 * @param {{order?: string}} options
 * @returns {any}
 */
export function findingList(findings, actions, { order = 'severity' } = {}) {
  const sorted = order === 'file'
    ? [...findings].sort((one, other) => (one.path ?? '').localeCompare(other.path ?? ''))
    : [...findings].sort((one, other) => Number(other.isError ?? false) - Number(one.isError ?? false));
  return h('ul', { class: 'list' }, sorted.map((finding) => h('li', null,
    mark(finding.isError ? 'cross' : 'warning', finding.isError ? 'bad' : 'warn'),
    h('div', { class: 'grow' },
      h('p', null, h('b', null, findingName(finding)), ' ', finding.path ? code(finding.path) : null,
        h('span', { class: 'visually-hidden' }, ` (${finding.isError ? t('finding.error') : t('finding.warning')})`)),
      findingText(finding)),
    h('div', { class: 'row' }, actions(finding)))));
}

/**
 * Returns the button that waives a finding.
 *
 * @param {any} context
 * @param {string} id the package
 * @param {{code: string, path?: string}} finding
 * @param {(waiver: any) => void} onWaived
 */
export function waiveButton(context, id, finding, onWaived) {
  return button(t('finding.waive'), {
    small: true, reason: context.session.reason('releaser', { app: context.app }), 'data-key': `waive-${finding.code}-${finding.path}`,
    name: t('finding.waive-name', { name: findingName(finding), path: finding.path ?? '' }),
    onclick: later(() => import('./waive.js'), async ({ waiveDialog }) => {
      const waiver = await waiveDialog(context, id, finding);
      if (waiver) onWaived(waiver);
    }),
  });
}
