import { api } from '../../api/client.js';
import { button, emptyState, h, later, mark } from '../../elements/index.js';
import { countdown } from '../../elements/time.js';
import { dateTime, percent, sentences, t, tn } from '../../i18n/index.js';
import { bytes } from '../../i18n/sizes.js';
import { daysLeft, warningDays } from '../parts/certificate.js';
import { releasePath } from '../parts/release-basics.js';
import { grouped, releaseName, tellingRule } from '../parts/release-names.js';
import { whenText } from '../parts/when.js';

/** The share of free disk space below which the disk counts as nearly full. */
const leastFreeShare = 0.1;

/**
 * Returns the list of what waits for a person, the most urgent first, and its length.
 *
 * @param {any} context
 * @param {{releases: any[], approvals: any[], online: any[]}} flight
 * @param {{system: any[], approvalItem: any, changed: () => void}} options `system` is the entries about the server,
 *   `approvalItem` makes the entry of a request, and `changed` is called after a change
 * @returns {{element: any, count: number}}
 */
export function needsList(context, flight, { system, approvalItem, changed }) {
  const groups = grouped(flight.releases);
  const halted = groups.filter(([release]) => release.state === 'halted');
  const unhealthy = groups.filter(([release]) => release.state !== 'halted' && release.verdict?.state === 'unhealthy');
  const items = [
    ...[...halted, ...unhealthy].map((group) => releaseItem(context, group)),
    ...flight.approvals.map((approval) => approvalItem(context, approval)),
    ...flight.online.map((each) => onlineItem(context, each, changed)),
    ...system,
  ];
  if (!items.length) {
    return { count: 0, element: emptyState({ icon: 'check', kind: 'good', title: t('overview.needs-empty'), text: t('overview.needs-empty-text') }) };
  }
  return { count: items.length, element: h('ul', { class: 'list' }, items.map(item)) };
}

function item({ icon, kind, title, text, action }) {
  return h('li', null, mark(icon, kind),
    h('div', { class: 'grow' }, h('p', null, title), text ? h('p', { class: 'small muted' }, text) : null), action);
}

function releaseItem(context, group) {
  const [release] = group;
  const isHalted = release.state === 'halted';
  const href = context.href(releasePath(release));
  const name = h('a', { class: 'strong', href }, releaseName(group));
  const isEarly = release.neverBegan;
  const title = tn(isEarly ? 'overview.halted-early' : isHalted ? 'overview.halted' : release.state === 'paused' ? 'overview.unhealthy-paused' : 'overview.unhealthy',
    { name, percent: percent(release.percent) });
  const rule = release.verdict?.state === 'unhealthy' ? tellingRule(release.verdict) : null;
  const text = sentences(
    rule ? t(rule.control ? 'overview.rule-control' : 'overview.rule', {
      metric: t(`metric.${rule.metric}`), percent: percent(rule.percent), n: rule.devices, control: percent(rule.control?.percent ?? 0),
    }) : null,
    isHalted ? t(isEarly ? 'overview.halted-early-effect' : 'overview.halted-effect') : null,
  ).join('');
  const action = button(t('overview.review'), { href, name: t('overview.review-name', { name: releaseName(group) }) });
  return { icon: isHalted ? 'stop' : 'warning', kind: 'bad', title, text, action };
}

function onlineItem(context, each, changed) {
  return {
    icon: 'globe', kind: 'info',
    title: tn('overview.online', {
      name: h('a', { class: 'strong', href: context.href(`packages/${each.id}`) }, each.id), left: countdown(each.onlineUntil),
    }),
    text: t('overview.online-effect', { time: whenText(each.onlineUntil) }),
    action: button(t('overview.end-online'), {
      reason: context.session.reason('releaser', { app: context.app }), name: t('overview.end-online-name', { name: each.id }),
      onclick: later(() => import('../package/emergency-dialogs.js'), async ({ endOnline }) => { if (await endOnline(context, each)) changed(); }),
    }),
  };
}

/** Returns the entries about the server itself, for admins of everything. */
export async function systemNeeds(context) {
  if (!context.session.may('admin')) return [];
  let system;
  try {
    system = await api.get('system', { signal: context.signal });
  } catch (/** @type {any} */ problem) {
    return context.signal.aborted ? [] : [{ icon: 'warning', kind: 'warn', title: t('overview.system-unknown'), text: problem.message }];
  }
  return [certificateItem(context, system), diskItem(context, system.data), devicesItem(context, system.devicesSeen)].filter(Boolean);
}

/** Returns the entry of a certificate that ends soon or has ended. */
function certificateItem(context, { certificate, now }) {
  if (!certificate || daysLeft(certificate, now) >= warningDays) return null;
  const hasEnded = daysLeft(certificate, now) <= 0;
  return {
    icon: 'warning', kind: hasEnded ? 'bad' : 'warn', title: t(hasEnded ? 'overview.certificate-ended' : 'overview.certificate', { time: dateTime(certificate.expiresAt) }),
    text: t('overview.certificate-text'), action: systemButton(context, t('settings.certificate')),
  };
}

function systemButton(context, topic) {
  return button(t('overview.review'), { href: context.href('settings/system'), name: t('overview.review-name', { name: topic }) });
}

/** Returns the entry of a disk that is nearly full. */
function diskItem(context, { freeBytes, totalBytes }) {
  if (!totalBytes || freeBytes / totalBytes >= leastFreeShare) return null;
  return {
    icon: 'warning', kind: 'warn', title: tn('overview.disk', { free: h('b', null, bytes(freeBytes)), total: bytes(totalBytes) }),
    text: t('overview.disk-text'), action: systemButton(context, t('overview.storage')),
  };
}

/** Returns the entry of devices that are not recorded because the limit is reached. */
function devicesItem(context, { devices, limit, dropped }) {
  if (!dropped) return null;
  return {
    icon: 'phone', kind: 'warn', title: t('overview.devices-limit', { n: devices, limit }), text: t('overview.devices-limit-text'),
    action: systemButton(context, t('overview.devices-seen')),
  };
}
