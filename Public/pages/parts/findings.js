import { api, path } from '../../api/client.js';
import { segmented } from '../../elements/choices.js';
import { field, textInput } from '../../elements/fields.js';
import { button, code, dialog, h, mark } from '../../elements/index.js';
import { codeText, has, t } from '../../i18n/index.js';

/** The longest reason in bytes that the server accepts. */
const reasonLength = 500;

/** Returns the name of a finding of the linter in the language of the console. */
export function findingName(finding) {
  return has(`finding.${finding.code}`) ? t(`finding.${finding.code}`) : finding.code;
}

/** Returns what is wrong and how to fix it: the text of the code, if the language has one, and the message of the server. */
function findingText(finding) {
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
    onclick: async () => {
      const waiver = await waiveDialog(context, id, finding);
      if (waiver) onWaived(waiver);
    },
  });
}

/** Asks for the reason of a waiver and makes it; resolves to the waiver, or `null`. */
async function waiveDialog(context, id, finding) {
  const reason = textInput({ name: 'reason', maxlength: reasonLength, autofocus: true });
  const scope = finding.path ? segmented([
    { label: t('finding.in-file'), value: 'file' }, { label: t('finding.in-all'), value: 'all' },
  ], { value: 'file', name: 'scope' }) : null;
  return dialog({
    title: t('finding.waive-title', { name: findingName(finding) }), confirm: t('finding.waive-confirm'),
    body: [
      finding.path ? h('p', null, code(finding.path)) : null, findingText(finding), h('p', { class: 'muted' }, t('finding.waive-text', { package: id })),
      scope ? field(t('finding.where'), scope) : null, field(t('finding.reason'), reason, { required: true, hint: t('finding.reason-hint') }),
    ],
    act: async () => {
      const query = { path: scope?.value === 'file' ? finding.path : undefined };
      return (await api.send('PUT', waiverPath(context, id, finding.code), { reason: reason.value.trim() }, { query })).value;
    },
  });
}

/** Removes a waiver. */
export function removeWaiver(context, id, waiver) {
  return api.send('DELETE', waiverPath(context, id, waiver.code), undefined, { query: { path: waiver.path } });
}

function waiverPath(context, id, findingCode) {
  return path('apps', context.app, 'packages', id, 'waivers', findingCode);
}
