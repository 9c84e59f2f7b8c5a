import { fewestDevices } from '../release/signals.js';
import { courseOf, devicesAt, isSetDraft, planOf, requestOf, seconds } from './draft.js';

/** Returns a word of a POSIX shell's command line. */
function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${String(text).replaceAll("'", "'\\''")}'`;
}

/**
 * Returns the command line that makes the release or the release set of a draft.
 *
 * @param {any} draft
 * @param {string} app
 * @param {{approvalReason?: string}} more
 * @returns {string}
 */
export function commandOf(draft, app, { approvalReason } = {}) {
  const body = requestOf(draft);
  const words = isSetDraft(draft) ? ['larder', 'release-set', 'make', ...draft.packages.map((each) => `${each.package}@${each.version}`)]
    : ['larder', 'release', 'make', '--package', draft.packages[0].package, '--version', body.version];
  const add = (name, value) => { if (value != null && value !== '') words.push(name, String(value)); };
  add('--app', app);
  add('--channel', body.channel);
  if (body.plan) add('--plan', body.plan.map((step) => `${step.percent}@${step.after}${step.withoutRules ? '@without-rules' : ''}`).join(','));
  else if (body.percent !== 100) add('--percent', body.percent);
  add('--whitelist', body.whitelist);
  add('--excluded', body.excluded);
  if (body.rules) add('--rules', JSON.stringify(body.rules));
  add('--at', body.activeTime);
  if (body.downloads) {
    add('--download-rate', body.downloads.bytesPerSecond);
    add('--devices', body.downloads.devices);
    add('--download-from', body.downloads.from);
  }
  add('--update-mode', body.updateMode);
  if (body.mandatory) words.push('--mandatory');
  if (body.wifiOnly) words.push('--wifi-only');
  if (body.floor) {
    add('--floor', body.floor.version);
    add('--floor-reason', body.floor.reason);
    add('--floor-without-have', body.floor.withoutHave);
  }
  if (body.health) add('--health', body.health.rules.length ? JSON.stringify(body.health) : 'none');
  add('--same-audience-as', body.sameAudienceAs);
  add('--approval-reason', approvalReason);
  return words.map(shellWord).join(' ');
}

/**
 * Returns what is missing or contradictory in a draft, as keys of texts with the step to mend it.
 *
 * @param {any} draft
 * @param {number} [now]
 * @returns {{step: string, key: string}[]}
 */
export function gapsOf(draft, now = Date.now()) {
  const gaps = [];
  const add = (step, key) => gaps.push({ step, key });
  if (draft.packages.some((each) => !each.package)) add('audience', 'wizard.gap-package');
  if (draft.packages.some((each) => each.package && !each.version)) add('audience', 'wizard.gap-version');
  if (!draft.channel) add('audience', 'wizard.gap-channel');
  // The server reads a percentage that is no number as 100%.
  if (draft.share === 'percent' && !(typeof draft.percent === 'number' && draft.percent >= 0 && draft.percent <= 100)) add('audience', 'wizard.gap-percent');
  if (draft.share === 'list' && !draft.whitelist) add('audience', 'wizard.gap-list');
  if (draft.share === 'plan' && !isPlan(planOf(draft))) add('audience', 'wizard.gap-plan');
  if (draft.rules.some((rule) => !rule.text.trim() || rule.fact === 'attr.')) add('audience', 'wizard.gap-rule');
  if (draft.start === 'later') {
    if (!draft.activeTime) add('start', 'wizard.gap-time');
    else if (new Date(draft.activeTime).getTime() <= now) add('start', 'wizard.gap-past');
    if (draft.ahead && !isSetDraft(draft) && !(Number(draft.bytesPerSecond) > 0 && Number(draft.devices) > 0)) add('start', 'wizard.gap-downloads');
  }
  if (draft.health === 'own' && !draft.policy.rules.length) add('health', 'wizard.gap-rules');
  if (draft.health === 'own' && draft.policy.rules.some((rule) => rule.ceiling == null && rule.aboveControl == null)) add('health', 'wizard.gap-limit');
  return gaps;
}

/** Returns whether each step of a plan is later than the one before it, and reaches more devices. */
function isPlan(plan) {
  return plan.length > 0 && plan.every((step, index) => step.percent >= 0 && step.percent <= 100 && !Number.isNaN(seconds(step.after))
    && (index === 0 ? !step.withoutRules : isLarger(step, plan[index - 1]) && seconds(step.after) > seconds(plan[index - 1].after)));
}

function isLarger(step, before) {
  return step.percent > before.percent || (step.withoutRules && step.percent === before.percent);
}

/**
 * Returns the devices that the first step of a draft reaches if they are fewer than the health rules need for a decision.
 *
 * @param {any} draft
 * @param {any} estimate the devices that were counted; none, or only a part of them, decides nothing
 * @param {any[]} releases the releases as the server would make them
 * @returns {{reached: number, least: number} | null}
 */
export function judgmentGap(draft, estimate, releases) {
  if (!Number.isFinite(estimate?.all) || !estimate.seen || estimate.coverage?.limitReached || estimate.coverage?.dropped) return null;
  const least = Math.max(0, ...releases.map(({ health }) => (health?.rules?.length ? health.devices ?? 0 : 0)));
  const reached = devicesAt(estimate, courseOf(draft)[0]);
  return reached < least ? { reached, least } : null;
}

/**
 * Returns a number of devices from which rules can decide about a first step: half of those that it reaches; 0 if these are
 * too few for any rule.
 *
 * @param {number} reached
 * @returns {number}
 */
export function suggestedMinimum(reached) {
  return reached < fewestDevices ? 0 : Math.max(fewestDevices, Math.floor(reached / 2));
}
