import { api, path } from '../../api/client.js';
import { button, h, mark, panel } from '../../elements/index.js';
import { dateTime, percent, t, tn } from '../../i18n/index.js';
import { runAction } from '../release-actions.js';
import { addressOn, isSet, shownAction } from './subject.js';

/** The versions among which the page looks for one that was published after the release's. */
const newestVersions = 5;

/**
 * Returns the ways out of a halted release or set; of a release, with the version of a rollback and a newer version if there
 * is one.
 */
export function ways(context, store) {
  const more = { newer: /** @type {any} */ (null), target: /** @type {string | null} */ (null) };
  const place = store.fill(h('div'), (release) => waysOut(context, release, more));
  if (isSet(store.value)) return place;
  const look = async () => {
    const { package: name, id, version, channel } = store.value;
    const { versions } = await context.get(['packages', name, 'versions'], { sort: '-published', limit: newestVersions, state: 'releasable' });
    more.newer = versions[0]?.version === version ? null : versions[0] ?? null;
    if (context.session.may('releaser', { app: context.app, channel })) {
      const { value } = await api.send('POST', path('apps', context.app, 'packages', name, 'releases', String(id), 'rollback'), undefined, { dryRun: true, signal: context.signal });
      more.target = (value.begun ?? value.offered[0])?.version ?? null;
    }
    place.replaceChildren(waysOut(context, store.value, more) ?? '');
  };
  const lookIfHalted = () => { if (store.value.state === 'halted') look().catch(() => {}); };
  lookIfHalted();
  // After its own rollback a release has no ways out, and the server would refuse the dry run.
  context.onEvent(({ action = '', details }) => {
    const isOwn = action === 'release.rollback' && Number(details?.takesBack ?? details?.release) === store.value.id;
    if (!isOwn && /^(version|release)\./.test(action)) lookIfHalted();
  });
  return place;
}

/** Returns the panel of the ways out of a halted release: to `target`, the version of a rollback, and to a `newer` version. */
function waysOut(context, release, { newer, target }) {
  if (release.state !== 'halted' || !release.allowed.length) return null;
  const reason = context.session.reason('releaser', { app: context.app, channel: release.channel });
  const way = (iconName, title, text, action) => h('li', null, mark(iconName), h('div', { class: 'grow' }, h('b', null, title), h('small', null, text)), action);
  const does = (action, kind) => button(t(`release.action.${shownAction(release, action)}`), { kind, reason, 'data-key': `way-${action}`, onclick: () => runAction(context, release, action) });
  const isEarly = release.neverBegan;
  const query = new URLSearchParams({ package: release.package ?? '', version: newer?.version ?? '', sameAudienceAs: String(release.id) });
  return panel({
    title: t('release.ways'),
    body: [h('ul', { class: 'list' },
      release.allowed.includes('rollback') ? way(isEarly ? 'cross' : 'undo', target && !isEarly ? t('release.way-back-to', { version: target }) : t(`release.confirm.${shownAction(release, 'rollback')}`), t(`release.way-back-${isEarly ? 'early' : target ? 'to-text' : 'text'}`), does('rollback', 'danger-fill')) : null,
      newer ? way('rocket', t('release.way-newer', { version: newer.version }), tn('release.way-newer-text', { time: dateTime(newer.createdAt), version: release.version }),
        button(t('release.prepare'), { href: `${addressOn(context, release.channel, 'new-release')}?${query}`, reason })) : null,
      release.allowed.includes('resume') ? way('play', t('release.way-resume'), t(isEarly ? Date.parse(release.activeTime) > Date.now() ? 'release.way-resume-early' : 'release.way-resume-now' : 'release.way-resume-text', { percent: percent(release.percent), time: dateTime(release.activeTime) }), does('resume')) : null)],
  });
}
