import { get, getAll, getTagged, path } from './api.js';
import { announce, h, setTitle } from './dom.js';
import { problemBox } from './form.js';
import { ReleaseSection } from './releases.js';
import { SettingSection } from './settings.js';
import { statsSection } from './stats.js';
import { VersionSection } from './versions.js';

/** Returns the page of a package: its versions, releases, reports and settings. */
export async function packageView(app, id) {
  const where = path('apps', app, 'packages', id);
  const read = () => readAll(app, where);
  const first = await read();
  const trouble = h('div');
  const stats = h('div');
  /** The number of the latest refresh: the response to an earlier one may arrive later and is dropped. */
  let latest = 0;

  /** Shows the current state, or the reason why it is unavailable; returns whether it is shown. */
  const refresh = async () => {
    const own = ++latest;
    try {
      const all = await read();
      if (own !== latest || !trouble.isConnected) return false;
      show(all);
      setTitle(all.package.name);
      trouble.replaceChildren();
      return true;
    } catch (problem) {
      if (own !== latest) return false;
      trouble.replaceChildren(problemBox(problem));
      return false;
    }
  };
  const versions = new VersionSection(where, { changed: refresh, release: (version) => releases.choose(version), refused: (reason) => releases.refuse(reason) });
  const releases = new ReleaseSection(app, where, { changed: refresh });
  const settings = new SettingSection(where, { changed: refresh });

  let shown;
  function show(all) {
    shown = all;
    versions.show(all);
    releases.show(all);
    stats.replaceChildren(statsSection(all.stats));
    settings.show(all.package, all.packageTag);
  }
  show(first);

  const refreshButton = h('button', {
    type: 'button', onclick: async () => { if (await refresh()) announce('Up to date.'); },
  }, 'Refresh');
  return {
    title: first.package.name,
    /** Adapts the page to the permissions of the token; the entries stay. */
    permit: () => {
      versions.show(shown);
      releases.show(shown);
      settings.permit();
    },
    parent: { title: 'Packages', href: `#/${path('apps', app)}` },
    content: [
      h('div', { class: 'lead row' },
        h('p', null, 'Package ', h('code', null, id), ' of the app ', h('strong', null, app), '.'), refreshButton),
      trouble, versions.element, releases.element, stats, settings.element,
    ],
  };
}

async function readAll(app, where) {
  const [settings, versions, releases, stats, channels] = await Promise.all([
    getTagged(where), getAll(`${where}/versions?sort=-published`, 'versions'), getAll(`${where}/releases`, 'releases'),
    get(`${where}/stats`), getAll(`${path('apps', app)}/channels`, 'channels'),
  ]);
  return {
    package: settings.value, packageTag: settings.tag, versions, releases, stats: stats.versions,
    channels: channels.map((channel) => channel.name),
  };
}
