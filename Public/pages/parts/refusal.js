import { codeText, dateTime, list, percent } from '../../i18n/index.js';
import { audienceRuleText } from '../release/audience-text.js';

/**
 * Returns why devices do not get a release: the server's sentence, or its translation from the code and the facts.
 *
 * @param {any} refusal `undefined` from an older server
 * @param {string} sentence
 * @returns {string}
 */
export function refusalText(refusal, sentence) {
  const text = codeText('refusal', refusal?.code, valuesOf(refusal ?? {}));
  if (text === null) return sentence;
  const own = refusal.has ?? refusal.build ?? refusal.position;
  return text + (own === undefined ? '' : codeText('device', 'has', { value: String(own) }) ?? '');
}

function valuesOf({ activeTime, floor, because, ...facts }) {
  return {
    ...facts, version: floor?.version ?? facts.version, reason: floor?.reason, set: facts.releaseSet,
    time: activeTime ? dateTime(activeTime) : '', percent: percent(facts.percent ?? 0), apis: list(facts.apis ?? []),
    rule: facts.rule ? audienceRuleText(facts.rule) : '', because: because ? refusalText(because, because.code) : '',
  };
}
