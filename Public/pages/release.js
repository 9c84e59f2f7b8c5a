import { api, path } from '../api/client.js';
import { h, notice, stateBadge } from '../elements/index.js';
import { livePanel } from '../elements/live.js';
import { dateTime, percent, t, tn } from '../i18n/index.js';
import { actorName, historyTimeline } from './parts/history.js';
import { releaseActions, runAction } from './release-actions.js';
import { devicesPanel, failuresPanel, hourlyRows } from './release/charts.js';
import { commonPanel, funnelPanel } from './release/funnel.js';
import { advancesOf, historyQuery, isAbout } from './release/history.js';
import { planPanel } from './release/plan.js';
import { ReleaseStore, shared } from './release/store.js';
import { addressOn, concerns, nameOf } from './release/subject.js';
import { termsPanel } from './release/terms.js';
import { healthPanel, trippedRules, verdictNotice, waysOut } from './release/verdict.js';

/** The entries of the history that the page shows. */
const historyLimit = 50;

/** The versions among which the page looks for one that was published after the release's. */
const newestVersions = 5;

/**
 * Opens the page of a release.
 *
 * @param {any} context
 * @returns {Promise<any>}
 */
export async function open(context) {
  const { package: name, release: number } = context.params;
  const read = () => context.get(['packages', name, 'releases', number]);
  const [first, info] = await Promise.all([read(), context.get(['packages', name])]);
  if (first.channel !== context.channel) {
    location.replace(addressOn(context, first.channel, 'releases', name, number));
    return { title: nameOf(first), content: [] };
  }
  const store = new ReleaseStore(context, first, read, concerns);
  const readHistory = shared(context, async () => (await context.get(['history'], historyQuery(store.value))).entries.filter((entry) => isAbout(store.value, entry)));
  const known = { advances: /** @type {any[]} */ ([]), readiness: null, maker: null, readHistory };
  const rows = hourlyRows(context, first);
  const learned = () => store.listeners.forEach((listener) => listener(store.value));

  const sub = store.fill(h('span'), (release) => subtitle(release, known));
  const actions = store.fill(h('div', { class: 'actions' }), (release) => (release.state === 'halted' ? [] : releaseActions(context, release, { only: ['resume', 'pause', 'halt', 'rollback'] })));
  const badgePlace = store.fill(h('span'), (release) => stateBadge(release.state, badgeText(release)));
  const waysPlace = h('div', { class: 'flush' });
  showWays(context, store, waysPlace);
  const commonPlace = h('div', { class: 'flush' });
  let shownRule;
  store.fill(commonPlace, (release) => {
    const rule = trippedRules(release.verdict)[0]?.metric;
    if (rule !== shownRule || !commonPlace.firstChild) {
      shownRule = rule;
      return commonPanel(context, release);
    }
    return [...commonPlace.childNodes];
  });
  bindKeys(context, store);
  return {
    title: `${info.name} ${first.version}`, badge: badgePlace, sub, actions: [actions],
    crumbs: [{ label: t('nav.releases'), href: context.href('releases') }, { label: info.name, href: context.href(`packages/${name}`) }],
    crumbTitle: `${first.version}, #${first.id}`, pageTitle: `${info.name} ${first.version}, #${first.id}`,
    content: [
      first.releaseSet ? notice('info', tn('release.in-set', {
        set: h('a', { href: context.href(`sets/${first.releaseSet}`) }, t('release-set.name', { id: String(first.releaseSet) })),
      })) : null,
      store.fill(h('div', { class: 'flush', role: 'status' }), (release) => verdictNotice(release)),
      waysPlace, planPanel(context, store, known),
      h('div', { class: 'columns even' }, devicesPanel(context, store, rows, known, learned), failuresPanel(context, store, rows)),
      h('div', { class: 'columns even' }, funnelPanel(context, store), healthPanel(context, store)),
      commonPlace,
      h('div', { class: 'columns even' }, termsPanel(context, store), historyPanel(context, store, known, learned)),
    ],
  };
}

/** Returns the text of the badge, with the percentage of a stopped release. */
function badgeText(release) {
  const isPartial = release.percent < 100 && ['active', 'paused', 'halted'].includes(release.state);
  return isPartial ? t('release.state-at', { state: t(`state.${release.state}`), percent: percent(release.percent) }) : undefined;
}

/** Returns the line below the title. */
function subtitle(release, { maker }) {
  const values = { id: `#${release.id}`, channel: release.channel, time: dateTime(release.activeTime), person: maker?.person ?? '', approver: maker?.approver ?? '' };
  const key = release.state === 'scheduled' ? 'planned' : 'began';
  if (maker?.approver) return t(`release.sub-${key}-approved`, values);
  return t(maker ? `release.sub-${key}-by` : `release.sub-${key}`, values);
}

/** Shows the ways out of a halted release, with the version of a rollback and a newer version if there is one. */
function showWays(context, store, place) {
  const more = { newer: /** @type {any} */ (null), target: /** @type {string | null} */ (null) };
  store.fill(place, (release) => waysOut(context, release, more));
  const look = async () => {
    const { package: name, id, version, channel } = store.value;
    const { versions } = await context.get(['packages', name, 'versions'], { sort: '-published', limit: newestVersions, state: 'releasable' });
    more.newer = versions[0]?.version === version ? null : versions[0] ?? null;
    if (context.session.may('releaser', { app: context.app, channel })) {
      const { value } = await api.send('POST', path('apps', context.app, 'packages', name, 'releases', String(id), 'rollback'), undefined, { dryRun: true, signal: context.signal });
      more.target = (value.begun ?? value.offered[0])?.version ?? null;
    }
    place.replaceChildren(...[waysOut(context, store.value, more)].filter(Boolean));
  };
  const lookIfHalted = () => { if (store.value.state === 'halted') look().catch(() => {}); };
  lookIfHalted();
  context.onEvent((event) => { if (/^(version|release)\./.test(event.action ?? '')) lookIfHalted(); });
}

/** Returns the panel of what happened to a release. */
function historyPanel(context, store, known, learned) {
  return livePanel(context, {
    title: t('release.history'), rows: 4, changes: (event) => concerns(store.value, event),
    load: async () => (await known.readHistory()).slice(0, historyLimit),
    render: (entries) => {
      known.advances = advancesOf(entries);
      // A rollback makes the release that follows, too.
      const made = entries.find((entry) => /\.(make|rollback)$/.test(entry.action) && Number(entry.details?.takesBack) !== store.value.id);
      known.maker = made ? { person: actorName(made.actor), approver: made.details?.approvedBy ? actorName(made.details.approvedBy) : null } : null;
      learned();
      return historyTimeline(context, entries);
    },
    empty: { icon: 'clock', title: t('release.history-none') },
  });
}

/** Binds `P` to pausing and resuming. */
function bindKeys(context, store) {
  context.keys({
    p: () => {
      const action = ['pause', 'resume'].find((each) => store.value.allowed.includes(each));
      if (action) runAction(context, store.value, action);
    },
  });
}
