import { codeText, dateTime, list, percent } from '../../i18n/index.js';
import { audienceRuleText, factValue } from '../release/audience-text.js';

/** An instant as the server writes it, which people read in their own zone. */
const instants = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/**
 * Returns the reason for which a release is not offered: the server's sentence, or its translation from the code and the facts.
 *
 * @param {any} refusal `undefined` from an older server
 * @param {string} sentence
 * @param {(instant: string) => any} [show] makes what stands for an instant, such as an element
 * @returns {any[]} texts and what `show` returns
 */
export function refusalParts(refusal, sentence, show = dateTime) {
  return ((refusal ? translation(refusal) : null) ?? sentence).split(instants).map((part, index) => (index % 2 ? show(part) : part));
}

/** Returns the reason as one text; see `refusalParts`. */
export function refusalText(refusal, sentence) {
  return refusalParts(refusal, sentence).join('');
}

/** Returns the translation of a refusal; `null` if the catalogue has none, also of a refusal within. */
function translation({ floor, because, ...facts }) {
  const reason = because ? translation(because) : '';
  if (reason === null) return null;
  const text = codeText('refusal', facts.code, {
    ...facts, version: floor?.version ?? facts.version, reason: floor?.reason, set: facts.releaseSet, because: reason,
    time: facts.activeTime, percent: percent(facts.percent ?? 0),
    rule: facts.rule ? audienceRuleText(facts.rule) : '', apis: facts.apis ? ` ${list(facts.apis)}` : '',
  });
  return text === null ? null : text + deviceText(facts);
}

/**
 * Returns what a refusal says of the device; for `null` the device sent nothing.
 *
 * @param {any} facts
 */
function deviceText({ code, rule, percent: share, position, list: name, build, known, has }) {
  const fact = (key, value) => codeText('fact', key, { value: String(value) }) ?? '';
  if (code === 'percentage') {
    const place = position === null ? fact('no-position') : fact('position', position + 1);
    return (name === undefined ? '' : fact('not-on-list', name)) + (position === undefined || share === 0 ? '' : place);
  }
  const own = has === undefined ? build : has;
  if (own === undefined) return '';
  if (code === 'dependency') return own === null ? fact('gets-none') : fact('gets', own);
  if (own === null) return fact('not-sent');
  return known === false ? fact('unknown-build', own) : fact('has', factValue(rule?.fact, own));
}
