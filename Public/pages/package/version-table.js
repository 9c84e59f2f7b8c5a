import { button, code, emptyState, h, tag } from '../../elements/index.js';
import { stateBadge, stateName } from '../../elements/state-badge.js';
import { table } from '../../elements/table.js';
import { relativeTime } from '../../elements/time.js';
import { livePanel } from '../../elements/live.js';
import { percent, t } from '../../i18n/index.js';
import { bytes } from '../../i18n/sizes.js';
import { hoursAgo, worstFailure } from '../parts/failures.js';
import { minor } from '../parts/release-basics.js';
import { sharedGet } from '../parts/shared.js';

/** The number of versions on the first part of a package's page. */
const shortLength = 6;

/** The states of a release in the order in which they matter for a version. */
const stateOrder = ['halted', 'active', 'paused', 'scheduled', 'completed', 'superseded', 'rolled-back'];

/** Returns whether an event changes the versions of a package. */
export const concerns = (each) => ({ action, subject }) => /^(version|release|release-set)\./.test(action) && subject?.includes(each.id);

/** Returns the panel with the latest versions of a package. */
export function latestVersions(context, each) {
  const facts = versionFacts(context, each);
  return livePanel(context, {
    title: t('package.tab-versions'), rows: 4, changes: concerns(each),
    actions: [h('a', { href: context.href(`packages/${each.id}`, { tab: 'versions' }) }, t('package.all-link'))],
    load: async () => {
      facts.refresh();
      return (await context.get(['packages', each.id, 'versions'], { sort: '-published', limit: shortLength })).versions;
    },
    render: (versions) => (versions.length ? versionTable(context, each, versions, facts) : noVersions(context, each)),
  });
}

/** Returns what stands in place of the versions. */
export function noVersions(context, each, isFiltered = false) {
  if (isFiltered) return emptyState({ icon: 'search', title: t('package.no-version-found'), text: t('package.no-version-found-text') });
  return emptyState({
    icon: 'box', title: t('package.no-versions'),
    text: [h('p', null, t('package.no-versions-text')), code(`larder publish FOLDER --app ${context.app} --package ${each.id} --version 1.0.0`)],
    actions: button(t('package.upload'), {
      icon: 'upload', href: context.href('upload', { package: each.id }), reason: context.session.reason('publisher', { app: context.app }),
    }),
  });
}

/** Loads what a row says about a version beside the version itself; the rows do not wait for it. */
export function versionFacts(context, each) {
  let facts = {};
  const quietly = (promise) => promise.catch(() => null);
  return {
    refresh() {
      const read = (name, query) => quietly(sharedGet(context, ['packages', each.id, name], query));
      facts = {
        releases: read('releases', { limit: 100 }), adoption: read('adoption', { channel: context.channel }),
        stats: read('stats', { from: hoursAgo(24 * 7), bucket: 'all', groupBy: 'version,event' }),
      };
    },
    /** Returns a place that shows something once it is loaded. */
    place(name, render) {
      const element = h('span', null, '…');
      facts[name].then((value) => element.replaceChildren(...(value ? [render(value)].flat() : [t('common.none')])));
      return element;
    },
  };
}

/** Returns the table of versions. */
export function versionTable(context, each, versions, facts) {
  return table({
    caption: t('package.tab-versions'),
    columns: [
      { label: t('package.version') }, { label: t('package.release-column'), full: true }, { label: t('package.devices'), numeric: true },
      { label: t('packages.published') }, { label: t('package.size'), numeric: true }, { label: t('package.failures-column') },
      { label: t('package.actions'), hidden: true, full: true },
    ],
    rows: versions.map((version) => versionRow(context, each, version, facts)),
  });
}

function versionRow(context, each, version, facts) {
  const reason = version.retired ? t('package.retired-reason', { reason: version.retired.reason }) : context.session.reason('releaser', context.scope);
  const author = [version.author, version.commit?.slice(0, 7)].filter(Boolean).join(', ');
  return {
    key: version.version, href: context.href(`packages/${each.id}/versions/${version.version}`),
    cells: [
      [version.version, version.retired ? [' ', tag(t('package.is-retired'))] : null],
      facts.place('releases', ({ releases }) => releaseBadge(context, releases
        .filter((one) => one.version === version.version && one.channel === context.channel))),
      facts.place('adoption', ({ versions: all, seen }) => {
        const found = all.find((one) => one.version === version.version);
        return seen ? percent((found?.devices ?? 0) / seen * 100) : t('common.none');
      }),
      [relativeTime(version.createdAt), author ? minor(author) : null],
      bytes(version.archiveBytes),
      facts.place('stats', ({ series }) => {
        const worst = worstFailure(series.filter((row) => row.version === version.version));
        return worst?.devices ? [percent(worst.percent), minor(t(`failure.${worst.event}`))] : worst ? t('packages.no-failures') : t('common.none');
      }),
      button(t('package.release'), {
        small: true, reason, href: context.href('new-release', { package: each.id, version: version.version }),
        name: t('package.release-name', { version: version.version }),
      }),
    ],
  };
}

/** Returns the badge of the most important release of a version on the channel. */
function releaseBadge(context, releases) {
  const [release] = releases.sort((one, other) => stateOrder.indexOf(one.state) - stateOrder.indexOf(other.state));
  if (!release) return h('span', { class: 'muted' }, t('package.not-released', { channel: context.channel }));
  const text = release.state === 'active' && release.percent < 100 ? `${percent(release.percent)}, #${release.id}`
    : release.state === 'active' ? t('package.everyone', { id: release.id }) : `${stateName(release)}, #${release.id}`;
  return stateBadge(release.state === 'active' && release.percent === 100 ? { state: 'completed' } : release, text);
}
