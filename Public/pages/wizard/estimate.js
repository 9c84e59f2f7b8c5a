import { api, path } from '../../api/client.js';
import { h } from '../../elements/index.js';
import { number, percent, sentences, t, tn } from '../../i18n/index.js';
import { courseOf, devicesAt, estimateOf } from './draft.js';
import { zonedTime } from './words.js';

/** The time in milliseconds after a change before the devices are counted again. */
const settleTime = 300;

/** The packages of a set for which devices are counted, since the server counts one request at a time. */
const countedPackages = 6;

/** @type {Map<string, any>} The last estimates by their requests. */
const known = new Map();

/** The estimates that are kept. */
const knownLimit = 20;

/** @type {typeof import('./left-out.js') | null} What says which devices are left out, once there are some. */
let leftOut = null;

/** Returns the rules that leave devices out, beside the percentage. */
const leavingOut = (estimate) => (estimate?.refused ?? []).filter((each) => each.refusal?.code !== 'percentage');

/** Counts the devices of a draft: all that it may reach, and those of its list. */
async function count(context, draft, signal) {
  const ask = async (item, share, of = draft) => {
    const body = estimateOf(of, item, share);
    const key = JSON.stringify([context.app, item.package, body]);
    if (!known.has(key)) {
      const { value } = await api.send('POST', path('apps', context.app, 'packages', item.package, 'audience-estimate'), body, { signal, dryRun: true });
      if (known.size >= knownLimit) known.delete(known.keys().next().value ?? '');
      known.set(key, value);
    }
    return known.get(key);
  };
  let lowest = null;
  for (const item of draft.packages.filter((each) => each.package && each.version).slice(0, countedPackages)) {
    const all = await ask(item, 100);
    const listed = draft.whitelist ? await ask(item, 0) : null;
    const everyone = courseOf(draft).some((step) => step.withoutRules) ? await ask(item, 100, { ...draft, rules: [] }) : all;
    if (!lowest || all.matching < lowest.all) {
      lowest = {
        all: all.matching, everyone: everyone.matching, listed: listed?.matching ?? 0, seen: all.seen, days: all.days, refused: all.refused ?? [],
        coverage: all.coverage,
      };
    }
  }
  return lowest;
}

/**
 * Returns the section that says how many devices a draft reaches. It counts again after each change; a count that is
 * not current any more is aborted.
 */
export function reachSection(wizard) {
  const { context, draft } = wizard;
  const element = h('section', { class: 'reach', 'aria-live': 'polite', 'aria-label': t('wizard.reach') });
  let abort = new AbortController();
  let timer;
  let last = '';
  const show = () => element.replaceChildren(...reachText(wizard).filter(Boolean).map((content) => h('p', null, content)));
  const run = async () => {
    abort.abort();
    const own = abort = new AbortController();
    context.signal.addEventListener('abort', () => own.abort(), { once: true });
    element.setAttribute('aria-busy', 'true');
    try {
      const result = await count(context, draft, own.signal);
      // Without it the numbers are shown alone.
      if (leavingOut(result).length) leftOut ??= await import('./left-out.js').catch(() => null);
      if (own.signal.aborted) return;
      wizard.estimate = result;
    } catch (/** @type {any} */ problem) {
      if (own.signal.aborted) return;
      if (problem.status === undefined) console.error(problem);
      wizard.estimate = { problem: problem.message };
    }
    element.removeAttribute('aria-busy');
    show();
    for (const listener of wizard.estimateListeners) listener(wizard.estimate);
  };
  const schedule = (delay) => {
    const isComplete = draft.channel && draft.packages.some((each) => each.version);
    const key = isComplete ? JSON.stringify([draft.packages, estimateOf(draft, draft.packages[0], 0), courseOf(draft).some((step) => step.withoutRules)]) : '';
    show();
    if (key === last) {
      for (const listener of wizard.estimateListeners) listener(wizard.estimate);
      return;
    }
    last = key;
    clearTimeout(timer);
    abort.abort();
    if (!isComplete) {
      wizard.estimate = null;
      return show();
    }
    timer = setTimeout(run, delay);
  };
  wizard.listeners.push(() => schedule(settleTime));
  context.signal.addEventListener('abort', () => clearTimeout(timer));
  schedule(0);
  return element;
}

/** Returns the sentences about the audience. */
function reachText({ draft, estimate, step }) {
  if (!draft.channel || !draft.packages.some((each) => each.version)) return [t('wizard.reach-incomplete')];
  if (!estimate) return [t('wizard.reach-counting')];
  if (estimate.problem) return [t('wizard.reach-unknown'), h('span', { class: 'bad-text' }, estimate.problem)];
  if (estimate.seen === 0) return [t('wizard.reach-unseen', { channel: draft.channel, n: estimate.days })];
  const strong = (value) => h('b', null, number(value));
  const course = courseOf(draft);
  const [first, last] = [course[0], course[course.length - 1]];
  const values = {
    devices: strong(devicesAt(estimate, last)), seen: strong(estimate.seen), channel: draft.channel, first: strong(devicesAt(estimate, first)),
    start: zonedTime(first.time), end: zonedTime(last.time), percent: percent(last.percent), n: devicesAt(estimate, last),
  };
  const ending = course.find((each) => each.withoutRules);
  let key = 'wizard.reach-all';
  if (draft.share === 'list') key = 'wizard.reach-list';
  else if (course.length > 1) key = step === 'review' ? 'wizard.reach-course' : 'wizard.reach-plan';
  else if (draft.start === 'later') key = 'wizard.reach-later';
  return [
    tn(key, values),
    h('span', { class: 'small ink2' }, sentences(
      ...leftOut?.leftOutTexts(leavingOut(estimate), ending?.time) ?? [],
      t('wizard.counted', { n: estimate.days }),
      estimate.coverage.limitReached || estimate.coverage.dropped ? t('wizard.counted-part') : null,
      draft.packages.length > 1 ? t('wizard.counted-set') : null)),
  ];
}
