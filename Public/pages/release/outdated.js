import { api, path } from '../../api/client.js';
import { facts } from '../../elements/facts.js';
import { dialog, h } from '../../elements/index.js';
import { timeTag } from '../../elements/time.js';
import { t } from '../../i18n/index.js';
import { historySentence } from '../parts/history.js';
import { historyQuery, isAbout } from './history.js';
import { withTerms } from './set-terms.js';
import { isSet, nameOf, partsOf } from './subject.js';
import { stateText } from './text.js';

/** The release that a change was meant for, and the one that is there now. */
export class Outdated {
  /**
   * @param {any} before
   * @param {any} now
   * @param {any} entry the last change in the history, if it is known
   */
  constructor(before, now, entry) {
    this.before = before;
    this.now = now;
    this.entry = entry;
  }
}

/**
 * Makes a change of a release in the state that the person has seen.
 *
 * @param {any} context
 * @param {any} release
 * @param {(release: any) => Promise<any>} send
 * @returns {Promise<any>} the value of `send`, or an `Outdated` if somebody else changed the release meanwhile
 */
export async function unlessOutdated(context, release, send) {
  try {
    return await send(release);
  } catch (/** @type {any} */ problem) {
    if (!problem.isOutdated) throw problem;
    const now = await api.get(path('apps', context.app, ...partsOf(release)));
    // Without the history the dialog shows both states only.
    const history = await api.get(path('apps', context.app, 'history'), { query: historyQuery(release) }).catch(() => ({ entries: [] }));
    const entry = history.entries.find((each) => isAbout(release, each));
    return new Outdated(release, isSet(now) ? withTerms(now) : now, entry);
  }
}

/**
 * Shows who changed a release meanwhile, with both states, and returns whether to choose again in the new one.
 *
 * @param {any} context
 * @param {any} outdated
 * @param {string | null} action `null` for a change that every state allows
 * @returns {Promise<boolean>}
 */
export async function showOutdated(context, { before, now, entry }, action) {
  const isPossible = action === null || now.allowed.includes(action);
  const value = await dialog({
    title: t('release.outdated-title', { name: nameOf(now) }),
    body: [
      h('p', null, entry ? [historySentence(context, entry), ', ', timeTag(entry.time), '.'] : t('release.outdated-text')),
      facts([[t('release.outdated-before'), stateText(before)], [t('release.outdated-now'), stateText(now)]]),
      isPossible ? null : h('p', null, t('release.outdated-impossible')),
    ],
    confirm: isPossible ? t('release.outdated-again') : undefined,
  });
  return value === true;
}
