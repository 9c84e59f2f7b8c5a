import { api, path } from '../../api/client.js';
import { segmented } from '../../elements/segmented.js';
import { field } from '../../elements/fields.js';
import { code, dialog, h } from '../../elements/index.js';
import { textInput } from '../../elements/inputs.js';
import { t } from '../../i18n/index.js';
import { findingName, findingText } from './findings.js';

/** The longest reason in bytes that the server accepts. */
const reasonLength = 500;

/** Asks for the reason of a waiver and makes it; resolves to the waiver, or `null`. */
export async function waiveDialog(context, id, finding) {
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
