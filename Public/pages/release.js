import { h, notice } from '../elements/index.js';
import { stateBadge } from '../elements/state-badge.js';
import { laterPanel } from '../elements/visible.js';
import { dateTime, percent, t, tn } from '../i18n/index.js';
import { releaseActions, runAction } from './release-actions.js';
import { devicesPanel } from './release/devices.js';
import { followHistory } from './release/history.js';
import { planPanel } from './release/plan.js';
import { ReleaseStore, shared } from './release/store.js';
import { addressOn, concerns, hasBegun, nameOf } from './release/subject.js';
import { trippedRules, verdictPlace, waysPlace } from './release/verdict.js';

/** Opens the page of a release. */
export async function open(context) {
  const { package: name, release: number } = context.params;
  const read = () => context.get(['packages', name, 'releases', number]);
  const first = await read();
  if (first.channel !== context.channel) {
    location.replace(addressOn(context, first.channel, 'releases', name, number));
    return { title: nameOf(first), content: [] };
  }
  const store = new ReleaseStore(context, first, read, concerns);
  /** @type {import('../types.js').Known} */
  const known = { advances: [], readiness: null, maker: null };
  const rows = shared(context, async () => (await import('./release/charts.js')).hourlyRows(context, first));
  const readHistory = followHistory(context, store, known);

  const sub = store.fill(h('span'), (release) => subtitle(release, known));
  const actions = store.fill(h('div', { class: 'actions' }), (release) => (release.state === 'halted' ? [] : releaseActions(context, release, { only: ['resume', 'pause', 'halt', 'rollback'] })));
  const badgePlace = store.fill(h('span'), (release) => stateBadge(release, badgeText(release)));
  const commonPlace = h('div', { class: 'flush' });
  let shownRule;
  store.fill(commonPlace, (release) => {
    const rule = trippedRules(release.verdict).find((each) => each.metric !== 'loadTime')?.metric;
    if (rule === shownRule) return [...commonPlace.childNodes];
    shownRule = rule;
    return rule ? laterPanel(t('release.common'), async () => (await import('./release/common.js')).commonPanel(context, release)) : null;
  });
  context.keys({
    p: () => {
      const action = ['pause', 'resume'].find((each) => store.value.allowed.includes(each));
      if (action) runAction(context, store.value, action);
    },
  });
  /** Hides a panel of what devices did until the release has begun or devices have it ahead; also the panel that replaces it. */
  const onceBegun = (element) => {
    const show = (release) => element.toggleAttribute('hidden', !hasBegun(release) && !known.readiness?.holding);
    store.listeners.push(show);
    show(store.value);
    return element;
  };
  return {
    title: nameOf(first), badge: badgePlace, sub, actions: [actions],
    crumbs: [{ label: t('nav.releases'), href: context.href('releases') }, { label: name, href: context.href(`packages/${name}`) }],
    crumbTitle: `${first.version}, #${first.id}`, pageTitle: `${nameOf(first)}, #${first.id}`,
    content: [
      first.releaseSet ? notice('info', tn('release.in-set', {
        set: h('a', { href: context.href(`sets/${first.releaseSet}`) }, t('release-set.name', { id: String(first.releaseSet) })),
      })) : null,
      verdictPlace(store, known),
      waysPlace(context, store), planPanel(context, store, known),
      h('div', { class: 'columns even' }, devicesPanel(context, store, rows, known, readHistory),
        onceBegun(laterPanel(t('releases.failures'), async () => onceBegun((await import('./release/failures.js')).failuresPanel(context, store, rows))))),
      h('div', { class: 'columns even' },
        onceBegun(laterPanel(t('release.funnel'), async () => onceBegun((await import('./release/funnel.js')).funnelPanel(context, store)))),
        laterPanel(t('release.rules'), async () => (await import('./release/health.js')).healthPanel(context, store))),
      commonPlace,
      first.downloads ? laterPanel(t('release.downloads-title'), async () => (await import('./release/downloads.js')).downloadsPanel(context, store)) : null,
      h('div', { class: 'columns even' },
        laterPanel(t('release.terms'), async () => (await import('./release/terms.js')).termsPanel(context, store)),
        laterPanel(t('release.history'), async () => (await import('./release/history-panel.js')).historyPanel(context, store, readHistory))),
    ],
  };
}

function badgeText(release) {
  const isPartial = release.percent < 100 && !release.neverBegan && ['active', 'paused', 'halted'].includes(release.state);
  return isPartial ? t('release.state-at', { state: t(`state.${release.state}`), percent: percent(release.percent) }) : undefined;
}

function subtitle(release, { maker }) {
  const values = { id: `#${release.id}`, channel: release.channel, time: dateTime(release.activeTime), person: maker?.person ?? '', approver: maker?.approver ?? '' };
  const key = release.neverBegan ? 'never' : release.state === 'scheduled' ? 'planned' : 'began';
  return t(`release.sub-${key}${maker?.approver ? '-approved' : maker ? '-by' : ''}`, values);
}
