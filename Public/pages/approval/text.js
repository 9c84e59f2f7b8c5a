import { badge } from '../../elements/index.js';
import { dateTime, has, list, percent, t } from '../../i18n/index.js';
import { addressOn } from '../release/subject.js';
import { audienceRuleText } from '../release/audience-text.js';
import { planText } from '../release/plan-text.js';
import { healthRuleText } from '../release/text.js';

/** The members that say most, in their order; the others follow. */
const memberOrder = ['versions', 'channel', 'percent', 'plan', 'activeTime', 'whitelist', 'excluded', 'rules', 'health', 'mandatory', 'updateMode'];

/** The colour and the icon of each state of a request. */
const states = { pending: ['warn', 'shield'], approved: ['good', 'check'], rejected: ['bad', 'cross'], withdrawn: ['', 'undo'], expired: ['', 'clock'] };

/**
 * Returns the badge of a request's state.
 *
 * @param {string} state
 * @returns {any}
 */
export function approvalBadge(state) {
  const [kind, icon] = states[state] ?? ['', 'info'];
  return badge(t(`approval.state.${state}`), kind, icon);
}

/**
 * Returns what a request would release or change.
 *
 * @param {any} approval
 * @returns {string}
 */
function subjectText(approval) {
  const versions = approval.change?.after?.versions ?? approval.request?.versions;
  if (approval.action.startsWith('release-set.')) {
    if (approval.releaseSet && !approval.action.endsWith('.create')) return t('release-set.name', { id: String(approval.releaseSet) });
    return list(versions ? Object.entries(versions).map(([id, version]) => `${id} ${version}`) : approval.packages ?? []);
  }
  return `${approval.package} ${approval.version ?? ''}`.trim();
}

/**
 * Returns a request in a sentence.
 *
 * @param {any} approval
 * @returns {string}
 */
export function requestText(approval) {
  const kind = approval.action.split('.')[1];
  const { before, after } = approval.change ?? {};
  const dropsRules = Boolean(before?.rules?.length) && !after?.rules?.length;
  if (kind === 'widen' && dropsRules && after?.percent == null) return t('approval.drop-rules', { subject: subjectText(approval), channel: approval.channel });
  const key = `approval.say.${kind}`;
  const share = after?.percent ?? (after?.plan ?? approval.request?.plan)?.[0]?.percent;
  if (!has(key) || (kind === 'widen' && (before?.percent == null || after?.percent == null))) return approval.summary;
  if (kind === 'reschedule' && !(before?.activeTime && after?.activeTime)) return approval.summary;
  const text = t(key, {
    subject: subjectText(approval), channel: approval.channel,
    before: kind === 'reschedule' ? dateTime(before.activeTime) : percent(before?.percent ?? 0),
    after: kind === 'reschedule' ? dateTime(after.activeTime) : percent(share ?? 100),
  });
  return dropsRules ? t('approval.and-drop-rules', { text }) : text;
}

/**
 * Returns the address of the release or the set that a request changes or has made; `null` if there is none.
 *
 * @param {any} context
 * @param {any} approval
 * @returns {string | null}
 */
export function objectAddress(context, approval) {
  if (approval.releaseSet) return addressOn(context, approval.channel, 'sets', String(approval.releaseSet));
  if (approval.release) return addressOn(context, approval.channel, 'releases', approval.package, String(approval.release));
  return null;
}

/**
 * Returns a member of a release's terms as text.
 *
 * @param {string} name
 * @param {any} value
 * @returns {string}
 */
export function memberText(name, value) {
  if (value === undefined || value === null) return t('common.none');
  if (name === 'percent') return percent(value);
  if (name === 'plan') return planText(value);
  if (name === 'activeTime') return dateTime(value);
  if (name === 'rules') return value.map((rule) => audienceRuleText(rule)).join('; ');
  if (name === 'health') return value.rules?.length ? value.rules.map((rule) => healthRuleText(rule)).join('; ') : t('release.rules-none');
  if (name === 'versions') return Object.entries(value).map(([id, version]) => `${id} ${version}`).join(', ');
  if (name === 'updateMode') return t(`wizard.update.${value}`);
  if (typeof value === 'boolean') return t(value ? 'approval.yes' : 'approval.no');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Returns the members that a change changes.
 *
 * @param {{before: any, after: any} | null | undefined} change
 * @returns {{name: string, before: any, after: any}[]}
 */
export function changedMembers(change) {
  const before = change?.before ?? {};
  const after = change?.after ?? {};
  const place = (name) => (memberOrder.includes(name) ? memberOrder.indexOf(name) : memberOrder.length);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    // A new release runs: its state says nothing.
    .filter((name) => change?.before || name !== 'course')
    .sort((one, other) => place(one) - place(other))
    .map((name) => ({ name, before: before[name], after: after[name] }));
}
