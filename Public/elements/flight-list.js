import { day, percent, t, time } from '../i18n/index.js';
import { dot, h } from './index.js';

/** The most releases that the list shows. */
const shownReleases = 12;

/** Returns the list of the releases in flight for the side bar: nothing if there are none. */
export function flightList(context, releases) {
  if (!releases.length) return [];
  return [h('h2', { class: 'side-title' }, t('flight.title')),
    h('ul', { class: 'flight' }, releases.slice(0, shownReleases).map((release) => h('li', null,
      h('a', { href: context.href(`releases/${release.package}/${release.id}`) }, dot(kindOf(release)),
        h('span', null, h('span', null, release.package), ' ', h('span', null, release.version)), h('small', null, noteOf(release)))))),
    releases.length > shownReleases && h('a', { class: 'side-more', href: context.href('releases') }, t('flight.all', { n: releases.length }))].filter(Boolean);
}

/**
 * Returns the number of releases, requests and packages that need a person.
 *
 * @param {import('../types.js').Flight} flight
 * @returns {number}
 */
export function needsCount({ releases, approvals, online }) {
  return releases.filter(({ state, verdict }) => state === 'halted' || verdict?.state === 'unhealthy').length + approvals.length + online.length;
}

function kindOf({ state }) {
  return { halted: 'bad', paused: 'warn', scheduled: 'info' }[state] ?? 'good';
}

function noteOf({ state, activeTime, percent: share }) {
  if (state === 'halted' || state === 'paused') return t(`state.${state}`);
  if (state !== 'scheduled') return percent(share);
  const start = new Date(activeTime);
  return start.toDateString() === new Date().toDateString() ? time(start) : day(start);
}
