import { number, t } from '../i18n/index.js';
import { button, heading, mark } from './basics.js';
import { h, nodesOf } from './dom.js';
import { icon } from './icons.js';

const filled = (...content) => nodesOf(content).filter((node) => node !== '');

/**
 * Returns a panel: a titled part of a page. `setBody`, `setCount`, `setNote` and `setFooter` of the element replace its
 * parts. Text directly in the body becomes a paragraph.
 *
 * @param {import('../types.js').PanelOptions} options
 */
export function panel({ title, count, note, actions, body, footer, id, countKind = '' }) {
  const top = title ? heading(title) : null;
  const counter = h('span', { class: `badge count ${countKind}` });
  const remark = h('p', { class: 'note' });
  const content = h('div', { class: 'panel-body' });
  const foot = h('footer');
  const buttons = filled(actions);
  const element = h('section', { class: 'panel', id, 'aria-labelledby': top?.id },
    top || buttons.length ? h('header', null, top?.element, counter, remark, buttons.length ? h('div', { class: 'actions' }, buttons) : null) : null,
    content, foot);
  const put = (place, nodes) => {
    place.replaceChildren(...filled(nodes));
    place.toggleAttribute('hidden', !place.children.length && !place.textContent);
  };
  element.setBody = (...nodes) => content.replaceChildren(
    ...filled(nodes).map((node) => (typeof node === 'object' ? node : h('p', null, String(node)))));
  element.setCount = (value) => put(counter, [typeof value === 'number' ? number(value) : value]);
  element.setNote = (...nodes) => put(remark, nodes);
  element.setFooter = (...nodes) => put(foot, nodes);
  element.setCount(count);
  element.setNote(note);
  element.setFooter(footer);
  element.setBody(body);
  return element;
}

const noticeIcons = { info: 'info', good: 'check', warn: 'warning', bad: 'warning' };

/** Returns a notice of the kind `info`, `good`, `warn` or `bad`. Buttons among the content stand at its end. */
export function notice(kind, ...content) {
  const nodes = filled(content);
  const isButton = (node) => typeof node === 'object' && /\bbutton\b/.test(node.getAttribute?.('class') ?? '');
  return h('div', { class: `notice ${kind}` }, icon(noticeIcons[kind] ?? 'info'),
    h('div', { class: 'notice-text' }, nodes.filter((node) => !isButton(node))), nodes.filter(isButton));
}

/**
 * Returns what stands in place of content that does not exist.
 *
 * @param {import('../types.js').EmptyState} options
 */
export function emptyState({ icon: iconName, kind = '', title, text, actions }) {
  const buttons = filled(actions);
  return h('div', { class: 'empty' }, iconName ? mark(iconName, kind) : null, h('p', { class: 'empty-title' }, title),
    text ? h('div', { class: 'empty-text' }, text) : null, buttons.length ? h('div', { class: 'row' }, buttons) : null);
}

/** Returns grey lines in place of rows that are being loaded. */
export function skeleton(rows = 3) {
  return h('div', { class: 'skeleton', 'aria-hidden': 'true' },
    Array.from({ length: rows }, () => h('div', { class: 'skeleton-row' }, h('span'), h('div', null, h('span'), h('span')))));
}

/** Returns the advice for a problem of a status, if there is one beyond its message. */
function remedy(problem) {
  if (problem.status === 412) return t('problem.remedy-outdated');
  if (problem.status === 429 && problem.retryAfter) return t('problem.remedy-wait', { seconds: problem.retryAfter });
  if (problem.status >= 500 && problem.id) return t('problem.remedy-server');
  return null;
}

/** Returns the id of a problem, with a button that copies it once the code of the button is there. */
function problemId(id) {
  const place = h('span', null, h('code', null, id));
  import('./copy.js').then(({ copyButton }) => place.replaceChildren(copyButton(id, { label: t('problem.copy-id', { id }), small: true, kind: 'quiet' })), () => {});
  return place;
}

/** Returns a notice about a failed request: the cause, what to do, the code, and the id in the server's log. */
export function problemNotice(problem, retry) {
  const isOwn = problem.status === undefined;
  const advice = remedy(problem);
  const element = notice('bad',
    h('p', null, isOwn ? t('problem.console', { message: problem.message }) : problem.summary ?? problem.message),
    problem.detail ? h('p', { class: 'small', lang: 'en' }, problem.detail) : null,
    advice ? h('p', { class: 'small' }, advice) : null,
    problem.code || problem.id ? h('div', { class: 'row small' },
      problem.code ? h('code', null, problem.code) : null,
      problem.id ? problemId(problem.id) : null) : null,
    retry ? button(t('common.try-again'), { small: true, onclick: retry, 'data-key': 'try-again' }) : null);
  element.setAttribute('role', 'alert');
  return element;
}
