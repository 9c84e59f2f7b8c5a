import { dateTime, sentences, t } from '../../i18n/index.js';
import { h, notice } from '../../elements/index.js';

/**
 * Returns a notice with the releases of other packages that devices would lose.
 *
 * @param {any[]} losses
 * @returns {any}
 */
export function lossesNotice(losses) {
  return notice('bad', h('p', null, h('b', null, t('release.losses', { n: losses.length }))),
    h('ul', null, losses.map((loss) => h('li', null, lossText(loss)))));
}

/** Returns a loss in a sentence. */
function lossText({ package: name, version, needs, cause, from, devices }) {
  const values = { package: name, version, needs: needs ?? '', cause: `${cause.package} ${cause.version}`, time: dateTime(from), n: devices ?? 0 };
  const text = t(needs ? `release.loss-${cause.change}` : 'release.loss-set', values);
  return sentences(text, devices != null && t('release.loss-devices', values)).join('');
}
