import { codeText, dateTime, isServersLanguage, list, number, percent, t } from '../../i18n/index.js';
import { duration } from '../../i18n/times.js';

const unitSeconds = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** The signals of health rules, in the order of the forms. */
export const metrics = ['whiteScreens', 'scriptErrors', 'crashes', 'missingResources', 'failures', 'loadTime'];

/** The events of devices that each signal counts. */
export const eventsOf = {
  failures: ['downloadFailed', 'verifyFailed', 'applyFailed', 'failed'],
  crashes: ['crash'],
  whiteScreens: ['whiteScreen'],
  scriptErrors: ['scriptError'],
  missingResources: ['resourceMissing'],
  loadTime: [],
};

/**
 * Returns the seconds of a duration of the API, such as `90m`.
 *
 * @param {string | null | undefined} text
 * @returns {number}
 */
export function secondsOf(text) {
  let sum = 0;
  for (const [, count, unit] of (text ?? '').matchAll(/(\d+)([smhd])/g)) sum += Number(count) * unitSeconds[unit];
  return sum;
}

/**
 * Returns a duration of the API in words.
 *
 * @param {string} text
 * @returns {string}
 */
export function durationText(text) {
  return duration(secondsOf(text));
}

/**
 * Returns the percentages of a rollout plan in their order.
 *
 * @param {{percent: number}[]} plan
 * @returns {string}
 */
export function planText(plan) {
  return plan.map((step) => percent(step.percent)).join(' → ');
}

/**
 * Returns a signal's name.
 *
 * @param {string} metric
 * @returns {string}
 */
export function metricName(metric) {
  return t(`metric.${metric}`);
}

/**
 * Returns a signal's name at the beginning of a sentence or a cell.
 *
 * @param {string} metric
 * @returns {string}
 */
export function metricTitle(metric) {
  const name = metricName(metric);
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/**
 * Returns the limits of a health rule, such as `above 1%, or 25% above the control group`.
 *
 * @param {any} rule
 * @returns {string}
 */
export function limitText(rule) {
  const limits = [];
  if (rule.ceiling != null) limits.push(t('release.limit-ceiling', { percent: percent(rule.ceiling) }));
  if (rule.aboveControl != null) limits.push(t('release.limit-control', { percent: percent(rule.aboveControl) }));
  return limits.join(t('release.limit-or'));
}

/**
 * Returns what a tripped rule has counted, as a part of a sentence.
 *
 * @param {any} rule
 * @returns {string}
 */
export function trippedText(rule) {
  const values = {
    metric: metricName(rule.metric), percent: percent(rule.percent), affected: number(rule.affected), devices: number(rule.devices), n: rule.devices,
    control: rule.control ? percent(rule.control.percent) : '',
  };
  return t(rule.control ? 'release.tripped-control' : 'release.tripped', values);
}

/**
 * Returns what a verdict says of a release, in the words of the server where it writes them in the language in use.
 *
 * @param {any} verdict
 * @returns {string}
 */
export function verdictText(verdict) {
  if (isServersLanguage() || !verdict.rules) return verdict.note;
  const tripped = verdict.rules.filter((rule) => rule.state === 'unhealthy');
  if (tripped.length) return t('release.tripped-all', { rules: list(tripped.map(trippedText)) });
  if (verdict.state === 'cooling-down') return t('release.says.cooling', { time: dateTime(verdict.since) });
  if (verdict.state === 'healthy') return t('release.says.healthy');
  const reported = Math.min(...verdict.rules.map((rule) => rule.devices), verdict.devices);
  if (reported >= verdict.required) return t('release.says.chance');
  return `${t('release.says.waiting')} ${t('release.says.waiting-devices', { n: reported, required: number(verdict.required) })}`;
}

/**
 * Returns why there is no patch from a version.
 *
 * @param {{reason: string, note: string}} gap
 * @returns {string}
 */
export function gapText(gap) {
  return codeText('patch', gap.reason) ?? gap.note;
}

/**
 * Returns a health rule in a sentence.
 *
 * @param {any} rule
 * @returns {string}
 */
export function healthRuleText(rule) {
  const action = rule.action ?? (rule.metric === 'loadTime' ? 'pause' : 'halt');
  const values = { action: t(`release.rule-action.${action}`), metric: metricName(rule.metric), limit: limitText(rule) };
  if (rule.metric !== 'loadTime') return t('release.rule', values);
  return t('release.rule-load-time', { ...values, time: duration((rule.slowerThan ?? 0) / 1000), milliseconds: rule.slowerThan ?? 0 });
}

/**
 * Returns the name of a device's fact.
 *
 * @param {string} fact
 * @returns {string}
 */
export function factName(fact) {
  return fact.startsWith('attr.') ? fact : t(`release.fact.${fact}`);
}

/**
 * Returns a rule of the audience in words.
 *
 * @param {any} rule
 * @returns {string}
 */
export function audienceRuleText(rule) {
  const fact = factName(rule.fact);
  if (rule.range != null) return t('release.audience-range', { fact, range: rule.range });
  if (rule.notIn) return t('release.audience-not-in', { fact, values: list(rule.notIn) });
  if (rule.prefix) return t('release.audience-prefix', { fact, values: list(rule.prefix) });
  return t('release.audience-in', { fact, values: list(rule.in ?? []) });
}

/**
 * Returns the state of a release with its percentage.
 *
 * @param {any} release
 * @returns {string}
 */
export function stateText(release) {
  const state = t(`state.${release.state}`);
  if (release.state === 'scheduled') return t('release.state-from', { state, time: dateTime(release.activeTime) });
  if (!['active', 'paused', 'halted'].includes(release.state)) return state;
  return t('release.state-at', { state, percent: percent(release.percent) });
}
