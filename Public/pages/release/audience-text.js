import { has, list, t } from '../../i18n/index.js';

/** Returns the name of a device's fact. */
export function factName(fact) {
  const [, attribute] = /^attr\.(.+)/s.exec(fact) ?? [];
  if (attribute) return t('release.attribute', { name: attribute });
  return has(`release.fact.${fact}`) ? t(`release.fact.${fact}`) : fact;
}

/** Returns the name of a fact's value, such as `Wi-Fi`, or the value itself. */
export function factValue(fact, value) {
  const key = `release.value.${fact}.${String(value).toLowerCase()}`;
  return has(key) ? t(key) : String(value);
}

/** Returns a rule of the audience in words. */
export function audienceRuleText(rule) {
  const fact = factName(rule.fact);
  const values = (all = []) => list(all.map((each) => factValue(rule.fact, each)), { areAlternatives: true });
  if (rule.range != null) return t('release.audience-range', { fact, range: rule.range });
  if (rule.notIn) return t('release.audience-not-in', { fact, values: values(rule.notIn) });
  if (rule.prefix) return t('release.audience-prefix', { fact, values: list(rule.prefix, { areAlternatives: true }) });
  return t('release.audience-in', { fact, values: values(rule.in) });
}
