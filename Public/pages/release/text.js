import { stateName } from '../../elements/state-badge.js';
import { codeText, dateTime, isServersLanguage, list, number, percent, sentences, t } from '../../i18n/index.js';
import { duration } from '../../i18n/times.js';
import { limitText } from './limit-text.js';
import { metricName, trippedText } from './signals.js';

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
  return sentences(t('release.says.waiting'), t('release.says.waiting-devices', { n: reported, required: number(verdict.required) })).join('');
}

/**
 * Returns the warnings of the response to a release.
 *
 * @param {{warnings?: string[], warningCodes?: string[]} | null | undefined} result
 * @returns {string[]}
 */
export function warningTexts(result) {
  return (result?.warnings ?? []).map((warning, index) => codeText('warning', result?.warningCodes?.[index]) ?? warning);
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
 * Returns the state of a release with its percentage.
 *
 * @param {any} release
 * @returns {string}
 */
export function stateText(release) {
  const state = stateName(release);
  if (release.state === 'scheduled') return t('release.state-from', { state, time: dateTime(release.activeTime) });
  if (!['active', 'paused', 'halted'].includes(release.state)) return state;
  return t('release.state-at', { state, percent: percent(release.percent) });
}
