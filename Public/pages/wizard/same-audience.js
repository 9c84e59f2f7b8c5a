import { isPrerelease } from './draft.js';

/**
 * Returns a rule of the API as the editor shows it.
 *
 * @param {any} rule
 * @returns {{fact: string, how: string, text: string}}
 */
export function editedRule(rule) {
  const how = ['range', 'in', 'notIn', 'prefix'].find((each) => rule[each] != null) ?? 'in';
  return { fact: rule.fact, how, text: how === 'range' ? rule.range : (rule[how] ?? []).join(', ') };
}

/**
 * Gives a draft the audience of a release, which devices then get instead of that one.
 *
 * @param {any} draft
 * @param {any} release
 */
export function useAudience(draft, release) {
  Object.assign(draft, {
    sameAudienceAs: release.id, share: 'percent', percent: release.percent, whitelist: release.whitelist ?? '', excluded: release.excluded ?? '',
    rules: (release.rules ?? []).map(editedRule), channel: release.channel, isChannelChosen: !draft.packages.some((each) => isPrerelease(each.version)),
  });
}
