import { api } from '../../api/client.js';
import { copyButton } from '../../elements/copy.js';
import { field } from '../../elements/fields.js';
import { textInput } from '../../elements/inputs.js';
import { dialog, h, notice, toast } from '../../elements/index.js';
import { t } from '../../i18n/index.js';
import { codeImage } from './qr-code.js';

/**
 * Turns the second factor on.
 *
 * @param {() => void} changed is called once it is on
 */
export async function begin(changed) {
  const secret = await withPassword(t('settings.totp-title'), t('settings.totp-text'), t('settings.totp-begin'), 'user/totp');
  if (!secret) return;
  const control = textInput({ name: 'code', autocomplete: 'one-time-code', inputmode: 'numeric', maxlength: 6, class: 'mono' });
  const entry = field(t('sign-in.code'), control, { hint: t('settings.totp-code-hint'), required: true });
  const confirmed = await dialog({
    title: t('settings.totp-title'), confirm: t('settings.totp-confirm'), wide: true,
    body: [h('p', null, t('settings.totp-scan')),
      h('div', { class: 'row top' }, codeImage(secret.uri, t('settings.totp-image')), h('div', { class: 'stack grow' },
        h('p', { class: 'hint' }, t('settings.totp-type')), h('div', { class: 'row' }, h('code', { 'data-totp-secret': '' }, secret.secret), copyButton(secret.secret, { small: true })),
        h('a', { href: secret.uri }, t('settings.totp-open')), entry))],
    act: async () => (await api.send('POST', 'user/totp/confirm', { code: control.value.trim() })).value,
  });
  if (!confirmed) return;
  changed();
  await showCodes(confirmed.recoveryCodes);
}

/** Replaces the recovery codes. */
export async function renew() {
  const renewed = await withPassword(t('settings.recovery-title'), t('settings.recovery-text'), t('settings.recovery-do'), 'user/recovery-codes');
  if (renewed) await showCodes(renewed.recoveryCodes);
}

/**
 * Turns the second factor off.
 *
 * @param {() => void} changed is called once it is off
 */
export async function remove(changed) {
  const removed = await dialog({
    title: t('settings.totp-remove-title'), body: [h('p', null, t('settings.totp-remove-text'))], confirm: t('settings.totp-remove-do'), kind: 'danger-fill',
    act: async () => (await api.send('DELETE', 'user/totp')).value,
  });
  if (!removed) return;
  changed();
  toast(t('settings.totp-was-removed'), { action: { label: t('settings.totp-set-up'), run: () => begin(changed) } });
}

/** Asks for the password and sends it; resolves to the response, or to `null` if the person cancels. */
function withPassword(title, text, confirm, target) {
  const control = textInput({ name: 'password', type: 'password', autocomplete: 'current-password' });
  return dialog({
    title, confirm, body: [h('p', null, text), field(t('settings.current-password'), control, { required: true })],
    act: async () => (await api.send('POST', target, { password: control.value })).value,
  });
}

function showCodes(codes) {
  return dialog({
    title: t('settings.recovery-codes'), cancelLabel: t('settings.done'),
    body: [h('p', null, t('settings.recovery-once')), h('ul', { class: 'codes' }, codes.map((each) => h('li', null, h('code', null, each)))),
      copyButton(codes.join('\n'), { label: t('settings.copy-all') }), notice('warn', t('settings.secret-once'))],
  });
}
