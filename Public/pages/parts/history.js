import { h } from '../../elements/index.js';
import { timeline } from '../../elements/timeline.js';
import { codeText, dateTime, day, has, percent, sentences, t, time, tn } from '../../i18n/index.js';
import { limitText } from '../release/limit-text.js';
import { trippedText } from '../release/signals.js';
import { actorName } from './actor.js';

/** The colour of the entries by the end of their action. */
const kinds = {
  halt: 'bad', unhealthy: 'bad', kill: 'bad', rollback: 'warn', pause: 'warn', retire: 'warn', publish: 'info', make: 'good',
  advance: 'good', complete: 'good', widen: 'good', resume: 'good', approve: 'good', reject: 'warn',
};

/**
 * Returns the changes of an app as a timeline.
 *
 * @param {any} context
 * @param {any[]} entries those of the history, newest first
 * @returns {any}
 */
export function historyTimeline(context, entries) {
  const today = new Date().toDateString();
  return timeline(entries.map((entry) => ({
    kind: kinds[entry.action.split('.')[1]] ?? '',
    when: h('time', { datetime: entry.time, title: dateTime(entry.time) },
      new Date(entry.time).toDateString() === today ? time(entry.time) : day(entry.time)),
    text: h('p', null, historySentence(context, entry)),
  })));
}

/**
 * Returns an entry of the history as a sentence with links.
 *
 * @param {any} context
 * @param {any} entry
 * @returns {any[]}
 */
export function historySentence(context, entry) {
  const { details = {}, action } = entry;
  const values = {
    actor: h('b', { title: entry.actor }, actorName(entry.actor)),
    subject: subjectLinks(context, entry),
    percent: details.percent === undefined ? '' : percent(Number(details.percent)),
    time: details.activeTime ? dateTime(details.activeTime) : '',
    channel: details.channel ?? '', summary: summaryOf(details), note: noteOf(details), reason: details.reason ?? '', code: details.code ?? '',
    until: details.onlineUntil ? dateTime(details.onlineUntil) : '', action,
  };
  let key = `history.${action}`;
  if (action === 'package.put') key = details.onlineUntil ? 'history.package.online' : details.enable === false ? 'history.package.off' : key;
  if (details.withoutRules && /\.(advance|widen)$/.test(action)) key = details.percent === undefined ? 'history.release.drop-rules' : 'history.release.drop-rules-at';
  // A rollback without a release that it takes back ended one that had not begun.
  if (/^release(-set)?\.rollback$/.test(action) && !details.takesBack) key = 'history.release.cancel';
  const isLater = details.activeTime && new Date(details.activeTime) > new Date(Date.parse(entry.time) + 60_000);
  if (/^release(-set)?\.make$/.test(action) && isLater) key = 'history.release.plan';
  return tn(has(key) ? key : 'history.other', values);
}

/** Returns what an approval request asks for; the sentence of the server has the values. */
function summaryOf({ action, channel, summary }) {
  return sentences(codeText('approval', action?.split('.')[1], { channel }), summary).join('');
}

/** Returns what a tripped health rule has counted; of a time of loading, the server's sentence has the limit. */
function noteOf({ note, ...rule }) {
  const isCounted = rule.metric && rule.metric !== 'loadTime' && typeof rule.percent === 'number';
  return isCounted ? t('release.tripped-rule', { counted: trippedText(rule), limit: limitText(rule) }) : note ?? '';
}

/** Returns the subject with a link to its page, if it has one. */
function subjectLinks(context, { action, subject, details }) {
  const link = (page, text) => h('a', { href: context.href(page) }, text);
  if (/^release-set\./.test(action) && /^\d+$/.test(subject)) return link(`sets/${subject}`, t('releases.set-name', { n: Number(subject) }));
  if (/^(release|release-set|version|archive)\./.test(action)) {
    return h('span', null, subject.split(',').flatMap((name, index) => {
      const at = name.indexOf('@');
      const [id, version] = at < 0 ? [name, ''] : [name.slice(0, at), name.slice(at + 1)];
      const page = details?.release && action.startsWith('release.') ? `releases/${id}/${details.release}`
        : version ? `packages/${id}/versions/${version}` : `packages/${id}`;
      return [index ? ', ' : null, link(page, version ? `${id} ${version}` : id)];
    }));
  }
  if (/^(package|waiver)\./.test(action) && action !== 'package.delete') return link(`packages/${subject}`, subject);
  if (/^approval\./.test(action)) return link(`approvals/${subject}`, `#${subject}`);
  return h('span', null, subject);
}
