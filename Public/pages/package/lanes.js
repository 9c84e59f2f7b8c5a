import { timeTicks } from '../../charts/time.js';
import { h, svg } from '../../elements/index.js';
import { stateName } from '../../elements/state-badge.js';
import { table } from '../../elements/table.js';
import { timeTag } from '../../elements/time.js';
import { livePanel } from '../../elements/live.js';
import { dateTime, day, percent, t, time } from '../../i18n/index.js';
import { minor, releaseKind, releasePath } from '../parts/release-basics.js';
import { sharedGet } from '../parts/shared.js';

const dayLength = 86_400_000;

/** The days before now that the lanes show. */
const shownDays = 14;

/** The number of releases of a channel that are shown. */
const shownReleases = 6;

/** The ticks of the axis at most, and the percentage of its width after which a tick has no space for its text. */
const [axisTicks, lastTick] = [5, 90];

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: dayLength };

/**
 * Returns the panel with a package's releases by channel, each as a lane from its activeTime to its end.
 *
 * @param {any} context
 * @param {any} each the package
 */
export function lanesPanel(context, each) {
  return livePanel(context, {
    title: t('package.lanes'), note: t('package.lanes-note'), rows: 3,
    actions: [h('a', { href: context.href(`packages/${each.id}`, { tab: 'releases' }) }, t('package.all-link'))],
    changes: ({ action, subject }) => /^release(-set)?\./.test(action) && subject?.includes(each.id),
    load: async () => {
      const [{ releases }, { entries }] = await Promise.all([
        sharedGet(context, ['packages', each.id, 'releases'], { limit: 100 }),
        context.get(['history'], { package: each.id, limit: 200 }),
      ]);
      return { releases, entries };
    },
    isEmpty: ({ releases }) => releases.length === 0,
    empty: { icon: 'rocket', title: t('package.no-releases'), text: t('package.no-releases-text') },
    render: ({ releases, entries }) => {
      const channels = channelsInOrder(context, releases).map((channel) => ({
        channel, all: lanes(releases.filter((release) => release.channel === channel), entries).slice(0, shownReleases),
      }));
      const range = laneRange(channels.flatMap(({ all }) => all));
      return channels.map(({ channel, all }) => laneTable(context, channel, all, range));
    },
  });
}

/** Returns the channels with releases, the open one first. */
function channelsInOrder(context, releases) {
  const names = [...new Set(releases.map((release) => release.channel))].sort();
  return names.includes(context.channel) ? [context.channel, ...names.filter((name) => name !== context.channel)] : names;
}

/**
 * Returns the lanes of a channel's releases, highest rank first: the time at which each began and, as far as it is known,
 * ended.
 *
 * @param {any[]} releases of one channel, highest rank first
 * @param {any[]} entries of the package's history
 * @returns {{release: any, start: number, end: number | null, reason: string | null}[]} `end` is `null` while a release
 *   reaches devices
 */
export function lanes(releases, entries) {
  const stops = new Map();
  for (const { action, details = {}, time } of entries) {
    if (action === 'release.halt') stops.set(details.release, Date.parse(time));
    if (action === 'release.rollback') stops.set(details.takesBack ?? details.release, Date.parse(time));
  }
  return releases.map((release, index) => {
    const start = Date.parse(release.activeTime);
    let end = null;
    if (release.state === 'halted' || release.state === 'rolled-back') end = stops.get(release.id) ?? null;
    if (release.state === 'superseded') {
      const successors = releases.slice(0, index).filter((other) => other.percent >= 100 && other.state !== 'scheduled' && other.state !== 'rolled-back');
      end = successors.length ? Math.min(...successors.map(everyoneAt)) : null;
    }
    return { release, start, end, reason: end === null ? null : release.state };
  });
}

/** Returns the time from which a release is there for everyone. */
function everyoneAt(release) {
  const last = release.plan?.at(-1)?.after ?? '0s';
  const offset = [...last.matchAll(/(\d+)([smhd])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * units[unit], 0);
  return Date.parse(release.activeTime) + offset;
}

/** Returns the range of time that all lanes share: the last days, and the releases that are planned. */
function laneRange(all) {
  const now = Date.now();
  const low = Math.max(now - shownDays * dayLength, Math.min(now - dayLength, ...all.map((lane) => lane.start)));
  const high = Math.max(now + (now - low) / 10, ...all.map((lane) => lane.start + (now - low) / 20));
  return { now, low, high, x: (instant) => Math.min(100, Math.max(0, (instant - low) / (high - low) * 100)) };
}

function laneTable(context, channel, all, range) {
  const element = table({
    caption: t('package.lanes-of', { channel }), dense: true,
    columns: [{ label: h('b', null, channel) }, { label: axis(range), full: true }, { label: t('package.lane-state') }],
    rows: all.map((lane) => ({
      key: `lane-${lane.release.id}`, href: context.href(releasePath(lane.release)),
      cells: [[lane.release.version, minor(channel === context.channel ? `#${lane.release.id}` : `#${lane.release.id}, ${channel}`)], bar(lane, range), laneText(lane)],
    })),
  });
  // The drawings of several channels stand below each other.
  const [first, second, third] = element.querySelectorAll('th');
  first.style.setProperty('width', '20%');
  second.style.setProperty('width', '55%');
  third.style.setProperty('width', '25%');
  return element;
}

function axis({ low, high, x }) {
  const { instants, unit } = timeTicks(low, high, axisTicks);
  const text = (instant) => (unit === 'day' || new Date(instant).getHours() + new Date(instant).getMinutes() === 0 ? day(instant) : time(instant));
  return wide(svg('svg', {
    width: '100%', height: 16, role: 'img', 'aria-label': t('package.lane-axis', { from: dateTime(low), to: dateTime(high) }),
  }, instants.filter((instant) => x(instant) < lastTick).map((instant) => svg('text', { x: `${x(instant)}%`, y: 12, fill: 'currentColor' }, text(instant)))));
}

function bar({ release, start, end }, { x, now }) {
  const stop = end ?? (release.state === 'scheduled' ? Infinity : now);
  const from = x(start);
  const kind = release.state === 'superseded' || release.state === 'rolled-back' ? 'plain' : releaseKind(release);
  const element = svg('svg', { class: `bar-row ${kind}`, width: '100%', height: 16, 'aria-hidden': 'true' },
    svg('rect', { class: 'filled', x: `${from}%`, y: 2, width: `${Math.max(0.6, x(stop) - from)}%`, height: 12, rx: 3 }),
    svg('svg', { class: 'bar-row bad', x: `${x(now)}%`, width: 2, height: 16 }, svg('rect', { class: 'filled', width: 1.5, height: 16 })));
  return wide(element);
}

/** Gives a drawing the width that a cell with text would not leave it. */
function wide(element) {
  element.style.setProperty('min-width', '120px');
  return element;
}

function laneText({ release, end, reason }) {
  if (reason) return h('span', null, stateName(release), minor(timeTag(end)));
  if (release.state === 'scheduled') return h('span', null, t('state.scheduled'), minor(timeTag(release.activeTime)));
  if (release.state === 'active') return h('span', null, percent(release.percent), minor(t('package.lane-since', { time: dateTime(release.activeTime) })));
  return h('span', null, stateName(release), minor(percent(release.percent)));
}
