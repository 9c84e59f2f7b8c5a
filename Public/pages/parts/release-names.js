import { percent, t } from '../../i18n/index.js';
import { stepText } from '../release/plan-text.js';
import { releaseKind } from './release-basics.js';

/**
 * Returns the releases with those of one set together, each as a group of one or several.
 *
 * @param {any[]} releases
 * @returns {any[][]}
 */
export function grouped(releases) {
  const groups = new Map();
  for (const release of releases) {
    const key = release.releaseSet ? `set ${release.releaseSet}` : `release ${release.id}`;
    groups.set(key, [...groups.get(key) ?? [], release]);
  }
  return [...groups.values()];
}

/** Returns releases with those first that need a person. */
export function urgentFirst(releases) {
  const order = ['bad', 'warn', 'good', 'info'];
  return [...releases].sort((one, other) => order.indexOf(releaseKind(one)) - order.indexOf(releaseKind(other)) || other.id - one.id);
}

/** Returns planned releases in the order in which they take effect. */
export function nextFirst(releases) {
  return [...releases].sort((one, other) => Date.parse(one.activeTime) - Date.parse(other.activeTime) || one.id - other.id);
}

/** Returns the name of a release, or of a set by its number. */
export function releaseName(group) {
  const [release] = group;
  return release.releaseSet ? t('releases.set-name', { n: release.releaseSet }) : `${release.package} ${release.version}`;
}

/** Returns the line below the name: the number or the versions of a set, and the terms. */
export function releaseNote(group) {
  const [release] = group;
  const parts = [release.releaseSet ? group.map((each) => `${each.package} ${each.version}`).join(', ') : `#${release.id}`];
  if (release.state === 'scheduled') parts.push(startShare(release));
  if (release.mandatory) parts.push(t('releases.mandatory'));
  if (release.whitelist) parts.push(t('releases.whitelist', { list: release.whitelist }));
  return parts.join(', ');
}

/** Returns the share of devices with which a planned release begins, and where its plan ends. */
function startShare({ plan, percent: share }) {
  const last = plan?.at(-1);
  const isGrowing = last && (last.percent > share || last.withoutRules);
  return isGrowing ? t('releases.starts-with', { percent: percent(share), last: stepText(last) }) : percent(share);
}

/** Returns the rule of a verdict that is nearest to tripping; `null` before any has data. */
export function tellingRule(verdict) {
  const rules = (verdict?.rules ?? []).filter((rule) => rule.devices > 0 && rule.metric !== 'loadTime');
  const weight = (rule) => (rule.state === 'unhealthy' ? 1e6 : 0) + (rule.evidence ?? 0) / (rule.bound || 1) + rule.percent / 1e6;
  return rules.sort((one, other) => weight(other) - weight(one))[0] ?? null;
}
