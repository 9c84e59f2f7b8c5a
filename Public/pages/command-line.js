import { api, path } from '../api/client.js';
import { session } from '../api/session.js';
import { facts } from '../elements/facts.js';
import { button, emptyState, h, notice, panel } from '../elements/index.js';
import { timeTag } from '../elements/time.js';
import { t, tn } from '../i18n/index.js';

/**
 * Opens the page on which a person agrees that a command line acts as that person.
 *
 * @param {any} context
 * @returns {Promise<any>}
 */
export async function open(context) {
  const title = t('command-line.title');
  const where = path('command-line', context.params.code);
  let asked;
  try {
    asked = await api.get(where, { signal: context.signal });
  } catch (problem) {
    if (problem.code !== 'sign-in-expired') throw problem;
    return { title, content: [emptyState({ icon: 'clock', title: t('command-line.over'), text: t('command-line.over-text') })] };
  }
  const place = h('div', { class: 'stack', role: 'status' });
  const answer = async (action, kind, text) => {
    await api.send('POST', `${where}/${action}`);
    place.replaceChildren(notice(kind, h('p', null, text), action === 'agree' ? h('p', { class: 'small' }, t('command-line.where-to-end')) : null,
      button(t('command-line.sessions'), { small: true, href: context.href('settings/account') })));
  };
  place.append(
    h('p', null, tn('command-line.compare', { command: h('code', null, 'larder login') })),
    h('p', { class: 'command-code mono' }, asked.code),
    facts([[t('command-line.machine'), h('code', null, asked.machine)], [t('settings.address'), h('code', null, asked.address)], [t('command-line.asked'), timeTag(asked.createdAt)]]),
    notice('info', t('command-line.rights', { user: session.user ?? '' })),
    h('div', { class: 'row' },
      button(t('command-line.agree'), { kind: 'primary', onclick: () => answer('agree', 'good', t('command-line.agreed', { machine: asked.machine, user: session.user ?? '' })) }),
      button(t('command-line.refuse'), { onclick: () => answer('refuse', 'info', t('command-line.refused', { machine: asked.machine })) })));
  return { title, content: [panel({ title: t('command-line.question', { machine: asked.machine }), body: place })] };
}
