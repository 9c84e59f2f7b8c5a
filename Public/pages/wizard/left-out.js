import { t } from '../../i18n/index.js';
import { refusalText } from '../parts/refusal.js';
import { zonedTime } from './words.js';

/**
 * Returns sentences about the devices that an estimate leaves out: those that get the release once its rules no longer apply,
 * and the others.
 *
 * @param {any[]} refused the refusals of the estimate with their devices
 * @param {number} [end] the time from which the rules of the audience do not apply
 * @returns {string[]}
 */
export function leftOutTexts(refused, end) {
  const isUntilEnd = ({ refusal }) => end !== undefined && refusal?.code === 'rule';
  const say = (key, all, time) => (all.length ? [t(key, { rules: all.map(causeText).join('; '), time })] : []);
  return [
    ...say('wizard.left-out-until', refused.filter(isUntilEnd), end === undefined ? '' : zonedTime(end)),
    ...say('wizard.left-out', refused.filter((each) => !isUntilEnd(each)), ''),
  ];
}

/** Returns the number of devices that a refusal leaves out, with its cause. */
function causeText({ devices, refusal, rule }) {
  return t('wizard.left-out-rule', { n: devices, rule: refusalText(refusal, rule) });
}
