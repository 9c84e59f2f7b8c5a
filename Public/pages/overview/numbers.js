import { tiles } from '../../elements/facts.js';
import { h } from '../../elements/index.js';
import { livePanel } from '../../elements/live.js';
import { number, percent, sentences, t } from '../../i18n/index.js';
import { byEvent, hoursAgo, updateFailures } from '../parts/failures.js';

/** The time in milliseconds after which the numbers are read again. */
const readAgain = 120_000;

/**
 * Returns the four numbers of an app: devices that opened a page, white screens, failed updates, load time.
 *
 * @param {any} context
 * @returns {any}
 */
export function numbersPanel(context) {
  return livePanel(context, {
    title: t('overview.numbers'), note: t('overview.numbers-note'), rows: 2, every: readAgain,
    actions: [h('a', { href: context.href('reports') }, t('nav.reports'))],
    load: async () => {
      const query = { bucket: 'all', groupBy: 'event' };
      const [today, before] = await Promise.all([
        context.get(['stats'], { ...query, from: hoursAgo(23) }),
        context.get(['stats'], { ...query, from: hoursAgo(24 * 8), to: hoursAgo(24) }),
      ]);
      return { today: byEvent(today.series), before: byEvent(before.series) };
    },
    isEmpty: ({ today }) => today.size === 0,
    empty: { icon: 'chart', title: t('overview.numbers-empty'), text: t('overview.numbers-empty-text') },
    render: ({ today, before }) => tiles([
      { label: t('overview.opened'), value: number(devices(today, 'opened')), note: t('overview.opened-note') },
      shareTile(t('overview.white-screens'), t('overview.white-screens-note'), whiteScreens(today), whiteScreens(before)),
      shareTile(t('overview.failed-updates'), t('overview.failed-updates-note'), failedUpdates(today), failedUpdates(before)),
      loadTile(today.get('pageLoad')?.durations, before.get('pageLoad')?.durations),
    ]),
  });
}

const devices = (events, name) => events.get(name)?.devices ?? 0;

function whiteScreens(events) {
  const opened = devices(events, 'opened');
  return opened ? devices(events, 'whiteScreen') / opened * 100 : null;
}

function failedUpdates(events) {
  const reports = (name) => events.get(name)?.reports ?? 0;
  const failed = updateFailures.reduce((sum, name) => sum + reports(name), 0);
  const all = failed + reports('applied');
  return all ? failed / all * 100 : null;
}

function shareTile(label, note, value, before) {
  return { label, value: value === null ? '–' : percent(value), note: value === null || before === null ? note : change(value, before) };
}

/** Returns a share beside that of the week before. */
function change(value, before) {
  return t('overview.week-before', { value: percent(before), direction: value > before ? '↑' : '↓' });
}

function loadTile(durations, before) {
  const seconds = (milliseconds) => number(milliseconds / 1000, { style: 'unit', unit: 'second', unitDisplay: 'short', maximumFractionDigits: 2 });
  const label = t('overview.load-time');
  if (!durations) return { label, value: '–', note: t('overview.no-reports') };
  const note = sentences(t('overview.load-time-note', { p90: seconds(durations.p90) }), before && t('overview.load-time-before', { p50: seconds(before.p50) }));
  return { label, value: seconds(durations.p50), note };
}
