/** Returns a set with the terms that all its releases have. */
export function withTerms(set) {
  const { plan, health, rules, whitelist, excluded, mandatory, updateMode, wifiOnly, nextStepAt, nextStepFrom } = set.releases[0] ?? {};
  return { plan, health, rules, whitelist, excluded, mandatory, updateMode, wifiOnly, nextStepAt, nextStepFrom, ...set };
}
