import { badge, button, h, toast } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { relativeTime, timeTag } from '../../elements/time.js';
import { t } from '../../i18n/index.js';

/**
 * Returns a table of sessions with a button to end each.
 *
 * @param {any[]} sessions
 * @param {(session: any) => Promise<any>} end
 * @returns {any}
 */
export function sessionTable(sessions, end) {
  const run = async (session) => {
    try {
      await end(session);
    } catch (problem) {
      toast(problem.message, { kind: 'bad' });
    }
  };
  return table({
    caption: t('settings.sessions'),
    columns: [{ label: t('settings.address') }, { label: t('settings.signed-in') }, { label: t('settings.last-used') }, { label: t('settings.actions'), hidden: true }],
    rows: sessions.map((session) => ({ cells: [
      h('span', { class: 'row' }, h('code', null, session.address), session.machine ? t('settings.session-machine', { machine: session.machine }) : null, session.current ? badge(t('settings.this-session'), 'good', 'check') : null),
      timeTag(session.createdAt), relativeTime(session.lastUsedAt),
      session.current ? '' : button(t('settings.session-end'), { small: true, onclick: () => run(session), name: session.machine ? t('settings.session-end-on', { machine: session.machine }) : t('settings.session-end-of', { address: session.address }) }),
    ] })),
  });
}
