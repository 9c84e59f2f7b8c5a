import { withStyle } from '../elements/stylesheet.js';

/**
 * The pages of the console by the path after the app and the channel. A segment that begins with `:` is a parameter. `nav` is
 * the entry of the side bar that is current meanwhile; without it, the one of the first segment.
 */
const routes = [
  { path: '', nav: 'overview', load: () => import('./overview.js') },
  { path: 'packages', load: () => import('./packages.js') },
  { path: 'packages/:package', load: () => import('./package.js') },
  { path: 'packages/:package/versions/:version', load: () => import('./version.js') },
  { path: 'upload', nav: 'packages', load: () => import('./upload.js') },
  { path: 'new-release', nav: 'releases', load: () => withStyle(import('./wizard.js'), 'releases.css') },
  { path: 'releases', load: () => import('./releases.js') },
  { path: 'releases/:package/:release', load: () => import('./release.js') },
  { path: 'sets/:set', nav: 'releases', load: () => import('./release-set.js') },
  { path: 'approvals', nav: 'releases', load: () => import('./approvals.js') },
  { path: 'approvals/:approval', nav: 'releases', load: () => withStyle(import('./approval.js'), 'releases.css') },
  { path: 'reports', load: () => import('./reports.js') },
  { path: 'devices', load: () => import('./devices.js') },
  { path: 'devices/:device', load: () => import('./device.js') },
  { path: 'presets', load: () => import('./presets.js') },
  { path: 'presets/:build', load: () => import('./preset.js') },
  { path: 'audit', load: () => import('./audit.js') },
  { path: 'command-line/:code', nav: 'settings', load: () => import('./command-line.js') },
  { path: 'settings', load: () => import('./settings.js') },
  { path: 'settings/:tab', load: () => import('./settings.js') },
  { path: 'settings/:tab/:item', load: () => import('./settings.js') },
].map((route) => ({ nav: route.path.split('/')[0], ...route }));

/** The entries of the side bar, with their icons and their keys after `G`. */
export const navigation = [
  { name: 'overview', path: '', icon: 'home', key: 'o' },
  { name: 'packages', path: 'packages', icon: 'box', key: 'p' },
  { name: 'releases', path: 'releases', icon: 'rocket', key: 'r' },
  { name: 'reports', path: 'reports', icon: 'chart', key: 's' },
  { name: 'devices', path: 'devices', icon: 'phone', key: 'd' },
  { name: 'presets', path: 'presets', icon: 'briefcase', key: 'b' },
  { name: 'audit', path: 'audit', icon: 'list', key: 'a' },
  { name: 'settings', path: 'settings', icon: 'gear', key: ',' },
];

/** The address that `larder login` prints. */
const commandLine = /^#\/command-line\/[b-df-hj-np-tv-xz]{4}-?[b-df-hj-np-tv-xz]{4}$/i;

/**
 * Returns the page of an address, such as `#/travel/production/packages/checkout?tab=versions`.
 *
 * @returns {import('../types.js').Place}
 */
export function findRoute(hash) {
  const [place, search = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const segments = place.split('/').map(decode);
  const [app, channel, ...rest] = segments[0] === '' ? [] : segments;
  const query = new URLSearchParams(search);
  if (commandLine.test(hash)) return { ...match(segments), query, rest: hash.slice(1) };
  // Addresses of earlier versions: `#/apps/travel/packages/checkout`.
  if (app === 'apps' && channel) return { app: channel, ...match(match(rest).route ? rest : []), query };
  return { app, channel, ...match(rest), query };
}

/** @returns {{route?: any, params: Object<string, string>}} */
function match(segments) {
  const given = segments.length === 0 ? [''] : segments;
  for (const route of routes) {
    const pattern = route.path.split('/');
    if (pattern.length !== given.length) continue;
    /** @type {Object<string, string>} */
    const params = {};
    const fits = pattern.every((part, index) => {
      if (!part.startsWith(':')) return part === given[index];
      params[part.slice(1)] = given[index];
      return given[index] !== '';
    });
    if (fits) return { route, params };
  }
  return { params: {} };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
