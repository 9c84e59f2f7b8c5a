import { badge, h } from '../../elements/index.js';
import { timeTag } from '../../elements/time.js';
import { percent, t, tn } from '../../i18n/index.js';

/** Returns a badge of a package's release in flight, from the list of packages. */
function flightBadge(release) {
  const icons = { active: ['good', 'play'], paused: ['warn', 'pause'], halted: ['bad', 'stop'], scheduled: ['info', 'clock'] };
  const [kind, icon] = icons[release.state] ?? ['', 'info'];
  const when = release.state === 'scheduled' ? timeTag(release.activeTime) : percent(release.percent);
  return badge([h('span', { class: 'visually-hidden' }, t(`state.${release.state}`), ' '), release.version, ', ', when], kind, icon);
}

/**
 * Returns the badges of what is not usual about a package on the channel; `null` if nothing is.
 *
 * @param {any} each an item of the list of packages with `onChannel`
 */
export function packageBadges(each) {
  const badges = each.onChannel.inFlight.map(flightBadge);
  if (each.onChannel.onlineUntil) badges.push(badge(tn('packages.online-until', { time: timeTag(each.onChannel.onlineUntil) }), 'info', 'globe'));
  if (!each.enable) badges.push(badge(t('packages.off'), '', 'cross'));
  return badges.length ? h('div', { class: 'row tight' }, badges) : null;
}
