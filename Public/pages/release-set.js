import { badge, h, panel } from '../elements/index.js';
import { stateBadge } from '../elements/state-badge.js';
import { table } from '../elements/table.js';
import { livePanel } from '../elements/live.js';
import { laterPanel } from '../elements/visible.js';
import { dateTime, number, percent, t } from '../i18n/index.js';
import { releaseActions, runAction } from './release-actions.js';
import { followHistory } from './release/history.js';
import { planPanel } from './release/plan.js';
import { readinessOf } from './release/readiness.js';
import { metricTitle } from './release/signals.js';
import { withTerms } from './release/set-terms.js';
import { ReleaseStore } from './release/store.js';
import { addressOn, concerns, nameOf } from './release/subject.js';
import { trippedRules, verdictPlace, waysPlace } from './release/verdict.js';

/** The time in milliseconds after which the devices are counted again. */
const refreshTime = 60_000;

/** The badge of each verdict, from the weakest. */
const verdicts = { unhealthy: ['bad', 'cross'], waiting: ['', 'clock'], 'cooling-down': ['info', 'clock'], healthy: ['good', 'check'] };

/** Returns releases with the weakest first: an unhealthy verdict, then the highest evidence against it. */
export function byWeakness(releases) {
  const rank = ({ verdict }) => (verdict ? Object.keys(verdicts).indexOf(verdict.state) : Object.keys(verdicts).length);
  const evidence = ({ verdict }) => Math.max(0, ...(verdict?.rules ?? []).map((rule) => rule.evidence / (rule.bound || 1)));
  return [...releases].sort((one, other) => rank(one) - rank(other) || evidence(other) - evidence(one) || one.package.localeCompare(other.package));
}

/** Opens the page of a release set. */
export async function open(context) {
  const { set: number } = context.params;
  const read = async () => {
    const set = withTerms(await context.get(['release-sets', number]));
    return { ...set, verdict: byWeakness(set.releases)[0]?.verdict };
  };
  const first = await read();
  if (first.channel !== context.channel) {
    location.replace(addressOn(context, first.channel, 'sets', number));
    return { title: nameOf(first), content: [] };
  }
  const store = new ReleaseStore(context, first, read, concerns);
  /** @type {import('../types.js').Known} */
  const known = { advances: [], readiness: null, maker: null };
  const readHistory = followHistory(context, store, known);
  /** @type {{found: Map<number, any> | null}} The counts of devices by release, once they have been read. */
  const counts = { found: null };
  context.keys({
    p: () => {
      const action = ['pause', 'resume'].find((each) => store.value.allowed.includes(each));
      if (action) runAction(context, store.value, action);
    },
  });
  return {
    title: nameOf(first),
    badge: store.fill(h('span'), (set) => stateBadge(set, badgeText(set))),
    sub: store.fill(h('span'), (set) => t(`release-set.sub-${set.neverBegan ? 'never' : set.state === 'scheduled' ? 'planned' : 'began'}${known.maker ? '-by' : ''}`, {
      n: set.releases.length, channel: set.channel, time: dateTime(set.activeTime), person: known.maker?.person ?? '',
    })),
    actions: [store.fill(h('div', { class: 'actions' }), (set) => (set.state === 'halted' ? [] : releaseActions(context, set, { only: ['resume', 'pause', 'halt', 'rollback'] })))],
    crumbs: [{ label: t('nav.releases'), href: context.href('releases') }],
    content: [
      verdictPlace(store, known),
      waysPlace(context, store),
      planPanel(context, store, known),
      packagesPanel(context, store, counts),
      h('div', { class: 'columns even' }, holdersPanel(context, store, known, counts),
        laterPanel(t('release.rules'), async () => (await import('./release/health.js')).healthPanel(context, store))),
      h('div', { class: 'columns even' },
        laterPanel(t('release.terms'), async () => (await import('./release/terms.js')).setTermsPanel(store)),
        laterPanel(t('release.history'), async () => (await import('./release/history-panel.js')).historyPanel(context, store, readHistory))),
    ],
  };
}

function badgeText(set) {
  const isPartial = set.percent < 100 && !set.neverBegan && ['active', 'paused', 'halted'].includes(set.state);
  return isPartial ? t('release.state-at', { state: t(`state.${set.state}`), percent: percent(set.percent) }) : undefined;
}

function packagesPanel(context, store, counts) {
  const element = panel({ title: t('release-set.packages'), note: t('release-set.packages-note') });
  return store.fill(element, (set) => {
    element.setCount(set.releases.length);
    return table({
      caption: t('release-set.packages'),
      columns: [{ label: t('release-set.package') }, { label: t('release-set.verdict') }, { label: t('release-set.telling') }, { label: t('release-set.have'), numeric: true }, { label: t('release-set.patches') }],
      rows: byWeakness(set.releases).map((release) => ({
        href: context.href(`releases/${release.package}/${release.id}`), key: `release-${release.id}`,
        cells: [
          h('span', null, release.package, ' ', h('span', { class: 'muted' }, release.version)), verdictBadge(release), telling(release),
          haveText(release, counts.found),
          release.patchesReady === undefined ? t('common.none') : release.patchesReady ? badge(t('release-set.patches-ready'), 'good', 'check') : badge(t('release-set.patches-building'), '', 'clock'),
        ],
      })),
    });
  });
}

function haveText(release, found) {
  if (!found) return h('span', { class: 'muted', 'aria-hidden': 'true' }, '…');
  const count = found.get(release.id);
  return count ? t('release-set.have-of', { holding: number(count.holding), matching: number(count.matching) }) : t('common.none');
}

function verdictBadge({ verdict }) {
  if (!verdict) return badge(t('release.verdict.none'), '');
  return badge(t(`release-set.verdict.${verdict.state}`), ...verdicts[verdict.state] ?? []);
}

/** Returns the share of a rule that has tripped, or the largest one. */
function telling({ verdict }) {
  const [tripped] = trippedRules(verdict);
  const rule = tripped ?? (verdict?.rules ?? []).filter((each) => each.metric !== 'loadTime' && each.devices > 0).sort((one, other) => other.percent - one.percent)[0];
  if (!rule) return t('common.none');
  return h('span', null, metricTitle(rule.metric), ' ', h('b', null, percent(rule.percent)), rule.control ? h('span', { class: 'muted' }, ` ${t('release-set.control', { percent: percent(rule.control.percent) })}`) : null);
}

/** Returns the panel of the devices that have all packages: at most those that have the rarest one. */
function holdersPanel(context, store, known, counts) {
  return livePanel(context, {
    title: t('release.devices-title'), rows: 3, every: refreshTime, changes: (event) => /^release-set\./.test(event.action),
    load: async (signal) => {
      const found = new Map();
      try {
        known.readiness = await readinessOf(context, store.value, signal, (release, count) => found.set(release.id, count));
        counts.found = found;
        return known.readiness;
      } finally {
        counts.found ??= found;
        if (!signal.aborted) store.update();
      }
    },
    render: (readiness, element) => {
      if (!readiness) return h('p', null, store.value.state === 'rolled-back' ? t('release.over-text') : t('release.uncounted'));
      element.setFooter(t('release.devices-note', { n: readiness.days, seen: number(readiness.seen) }));
      return [h('p', null, h('b', null, t('release-set.holders', { holding: number(readiness.holding), n: readiness.holding, matching: number(readiness.matching) }))), h('p', { class: 'muted' }, t('release-set.holders-note'))];
    },
  });
}
