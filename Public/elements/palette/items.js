import { api, path } from '../../api/client.js';
import { isInFlight } from '../../api/flight.js';
import { percent, t, tn } from '../../i18n/index.js';
import { navigation } from '../../pages/index.js';
import { deviceAddress } from '../../pages/devices/recent.js';
import { shownAction } from '../../pages/release/subject.js';
import { h } from '../dom.js';
import { later } from '../later.js';
import { stateName } from '../state-badge.js';

/** The states of releases that actions apply to. */
const flightStates = 'active,paused,halted,scheduled';

/** The actions of releases, each with its icon. */
const releaseIcons = { pause: 'pause', resume: 'play', widen: 'plus', complete: 'check', halt: 'stop', rollback: 'undo', cancel: 'cross', reschedule: 'clock' };

/** The number of items that each kind may have. */
const limits = { found: 6, actions: 12, recent: 6 };

const storageKey = 'larder-recent';
const strong = (text) => h('b', null, text);
const matches = (text, wanted) => wanted === '' || wanted.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));

/**
 * Returns the pages of the side bar and the tabs of the settings whose name has a text.
 *
 * @param {any} context
 * @param {string} text
 * @returns {any[]}
 */
export function pageItems(context, text) {
  const pages = navigation.map((entry) => ({
    icon: entry.icon, label: t(`nav.${entry.name}`), href: context.href(entry.path), keys: `G ${entry.key.toUpperCase()}`, word: entry.name,
  }));
  const tabs = text === '' ? [] : ['channels', 'health', 'device-lists', 'page-grants', 'dialects', 'keys', 'webhooks', 'tokens', 'trusts', 'members', 'system', 'account']
    .map((name) => ({ icon: 'gear', label: t(`settings.tab-${name}`), note: t('nav.settings'), href: context.href(`settings/${name}`), word: name }));
  const others = context.channels.filter((each) => each.name !== context.channel).map((each) => ({
    icon: 'layers', label: t('palette.switch', { channel: each.name }), href: `#/${path(context.app, each.name)}`, word: each.name,
  }));
  return [...pages, ...tabs, ...(text === '' ? [] : others)].filter((item) => matches(`${item.label} ${item.word}`, text));
}

/**
 * Returns the way to a device of an id.
 *
 * @param {any} context
 * @param {string} id
 * @returns {any[]}
 */
export function deviceItems(context, id) {
  const reason = context.session.reason('releaser', { app: context.app });
  return [{ icon: 'phone', label: id ? tn('palette.explain', { id: strong(id) }) : t('palette.explain-any'), reason: id ? reason : null,
    href: id ? deviceAddress(context, id) : context.href('devices'), keys: id ? undefined : 'G D' }];
}

/**
 * Returns what the server finds for a text.
 *
 * @param {any} context
 * @param {string} text
 * @param {AbortSignal} signal
 * @returns {Promise<any[]>}
 */
export async function searchItems(context, text, signal) {
  const found = await api.get(path('apps', context.app, 'search'), { signal, query: { text, limit: limits.found } });
  return [
    ...found.packages.map((each) => ({
      icon: 'box', label: strong(each.name ?? each.id), note: each.name && each.name !== each.id ? each.id : '', href: context.href(`packages/${each.id}`),
    })),
    ...found.versions.map((each) => ({
      icon: 'file', label: strong(`${each.package} ${each.version}`), note: t('palette.version'), href: context.href(`packages/${each.package}/versions/${each.version}`),
    })),
    ...found.releases.map((each) => ({
      icon: 'rocket', label: strong(`${each.package} ${each.version}`), note: t('palette.release', { channel: each.channel, state: stateName(each) }), end: `#${each.release}`,
      href: `#/${path(context.app, each.channel, 'releases', each.package, String(each.release))}`,
    })),
    ...found.deviceLists.map((each) => ({
      icon: 'list', label: strong(each.name), note: t('palette.list'), href: context.href('settings/device-lists'),
    })),
  ];
}

/**
 * Returns the actions whose name or object has a text: those of releases in flight, and those that begin something new.
 *
 * @param {any} context
 * @param {string} text
 * @param {AbortSignal} signal
 * @returns {Promise<any[]>}
 */
export async function actionItems(context, text, signal) {
  const { app, channel } = context;
  const reason = context.session.reason('releaser', { app, channel });
  const fixed = [
    { icon: 'rocket', label: t('palette.new-release'), href: context.href('new-release'), keys: 'R', word: 'new release', reason },
    { icon: 'upload', label: t('palette.upload'), href: context.href('upload'), keys: 'U', word: 'upload version', reason: context.session.reason('publisher', { app }) },
    { icon: 'info', label: t('shortcuts.title'), keys: '?', word: 'keyboard shortcuts', run: later(() => import('../shortcuts.js'), (module) => module.showShortcuts()) },
  ].filter((item) => matches(`${item.label} ${item.word}`, text));
  const { releases } = await api.get(path('apps', app, 'releases'), { signal, query: { channel, state: flightStates, limit: 100 } });
  const inFlight = releases.filter(isInFlight);
  const own = inFlight.flatMap((release) => Object.keys(releaseIcons)
    .filter((action) => release.allowed.includes(action) && !(action === 'widen' && release.percent >= 100 && !release.rules?.length))
    .map((action) => ({ action, shown: shownAction(release, action) })).map(({ action, shown }) => ({
    icon: releaseIcons[shown], end: `#${release.id}`, reason,
    label: tn(`palette.action-${shown}`, { subject: strong(`${release.package} ${release.version}`), percent: percent(release.percent) }),
    word: `${t(`palette.action-${shown}`, { subject: `${release.package} ${release.version}`, percent: percent(release.percent) })} ${action} #${release.id}`,
    run: later(() => import('../../pages/release-actions.js'), (module) => module.runAction(context, release, action)),
  }))).filter((item) => matches(item.word, text));
  const shown = own.slice(0, limits.actions);
  return text === '' ? [...fixed, ...shown] : [...shown, ...fixed];
}

/**
 * Returns the pages of this app that were opened by the palette last.
 *
 * @param {any} context
 * @returns {any[]}
 */
export function recentItems(context) {
  return stored().filter((item) => item.app === context.app && item.href !== location.hash).slice(0, limits.recent)
    .map((item) => ({ icon: item.icon, label: item.label, note: item.note, href: item.href }));
}

/** Keeps an item among the recent ones. */
export function remember(context, item) {
  const label = item.element.querySelector('.grow')?.firstChild?.textContent ?? '';
  const entry = { app: context.app, href: item.href, icon: item.icon, label, note: typeof item.note === 'string' ? item.note : '' };
  const rest = stored().filter((each) => each.href !== item.href);
  localStorage.setItem(storageKey, JSON.stringify([entry, ...rest].slice(0, 20)));
}

function stored() {
  try {
    const list = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
