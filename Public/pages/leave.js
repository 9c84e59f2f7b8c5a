import { request } from '../api/client.js';
import { session } from '../api/session.js';
import { dialog, h, toast } from '../elements/index.js';
import { t } from '../i18n/index.js';

/**
 * Signs out, after a question if an upload is in progress.
 *
 * @param {boolean} isUploading
 * @returns {Promise<boolean>} whether the person is signed out
 */
export async function leave(isUploading) {
  if (isUploading) {
    const isSure = await dialog({
      title: t('account.leave-title'), body: [h('p', null, t('account.leave-text'))], confirm: t('account.sign-out'), kind: 'danger-fill',
      act: async () => true,
    });
    if (!isSure) return false;
  }
  try {
    await request('DELETE', 'session', { isSignIn: true });
  } catch (/** @type {any} */ problem) {
    if (problem.status !== 401) {
      toast(problem.message, { kind: 'bad' });
      return false;
    }
  }
  Object.assign(session, { user: null, grants: [] });
  history.replaceState(null, '', '#/');
  return true;
}
