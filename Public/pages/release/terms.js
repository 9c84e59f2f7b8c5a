import { code, h, panel, tag } from '../../elements/index.js';
import { timeTag } from '../../elements/time.js';
import { codeText, dateTime, list, number, percent, t, tn } from '../../i18n/index.js';
import { rate } from '../../i18n/sizes.js';
import { zone } from '../../i18n/times.js';
import { audienceRuleText } from './audience-text.js';
import { isAhead, planText, stepText } from './plan-text.js';

/**
 * Returns the audience of a release or a set in lines of text.
 *
 * @param {any} release
 * @returns {any[]}
 */
export function audienceLines(release) {
  const rules = (release.rules ?? []).map(audienceRuleText);
  const ending = release.plan?.find((step) => step.withoutRules);
  const isBetween = release.percent > 0 && release.plan?.length && isAhead(release.plan[0], release);
  return [
    release.plan?.length ? planText(isBetween ? [{ percent: release.percent }, ...release.plan] : release.plan) : percent(release.percent),
    release.whitelist ? tn('release.term-whitelist', { list: code(release.whitelist) }) : null,
    release.excluded ? tn('release.term-excluded', { list: code(release.excluded) }) : null,
    ...(ending && rules.length ? [t('release.rules-before', { step: stepText(ending), rules: list(rules) })] : rules),
    release.floor ? t(`release.term-floor-${release.floor.withoutHave ?? 'withhold'}`, { version: release.floor.version, reason: release.floor.reason ?? '' }) : null,
  ].filter(Boolean);
}

/**
 * Returns how devices take a release.
 *
 * @param {any} release
 * @returns {string[]}
 */
export function deliveryLines(release) {
  return [
    t(`release.update-mode.${release.updateMode ?? 'silent'}`), t(release.mandatory ? 'release.term-mandatory' : 'release.term-optional'),
    ...release.wifiOnly ? [t('release.term-wifi')] : [],
  ];
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

/** Returns lines below each other. */
export function stacked(lines) {
  return h('div', { class: 'stack tight' }, lines.map((line) => h('div', null, line)));
}

/**
 * Returns the panel of a release's terms.
 *
 * @param {any} context
 * @param {any} store
 * @returns {any}
 */
export function termsPanel(context, store) {
  const explain = store.value.package ? h('a', { href: context.href('devices', { package: store.value.package, release: store.value.id }) }, t('release.explain')) : null;
  const element = panel({ title: t('release.terms'), note: t('common.zone', { zone: zone() }), actions: [explain] });
  return store.fill(element, (release) => {
    const row = (term, value) => (value ? h('div', null, h('dt', null, term), h('dd', null, value)) : null);
    const gaps = (release.noPatchFrom ?? []).map((each) => h('div', null, code(each.version), ' ', gapText(each)));
    const shadows = (list) => list.map((each) => h('div', null, tn('release.shadow', {
      release: h('a', { href: context.href(`releases/${release.package}/${each.release}`) }, `#${each.release}`), version: each.version, time: timeTag(each.from),
    })));
    return h('dl', { class: 'sums' },
      row(t('release.audience'), stacked(audienceLines(release))),
      row(t('release.takes-effect'), timeTag(release.activeTime)),
      row(t('release.on-devices'), stacked(deliveryLines(release))),
      row(t('release.downloads'), release.downloads ? tn('release.term-downloads', {
        time: timeTag(release.downloads.from), rate: rate(release.downloads.bytesPerSecond), devices: number(release.downloads.devices), n: release.downloads.devices,
      }) : null),
      release.patchesReady === undefined ? null
        : row(t('release.patches'), gaps.length ? stacked([t(release.patchesReady ? 'release.patches-some' : 'release.patches-building'), ...gaps]) : t('release.patches-ready')),
      release.shadows?.length ? row(t('release.shadows'), shadows(release.shadows)) : null,
      release.shadowedBy?.length ? row(t('release.shadowed-by'), shadows(release.shadowedBy)) : null,
      row(t('release.number'), h('span', null, `#${release.id} `, tag(t('release.revision', { n: release.revision })))));
  });
}

/** Returns the panel of the terms that all releases of a set have. */
export function setTermsPanel(store) {
  return store.fill(panel({ title: t('release.terms'), note: t('common.zone', { zone: zone() }) }), (set) => h('dl', { class: 'sums' }, [
    [t('release.audience'), stacked(audienceLines(set))], [t('release.takes-effect'), dateTime(set.activeTime)], [t('release.on-devices'), stacked(deliveryLines(set))],
  ].map(([term, value]) => h('div', null, h('dt', null, term), h('dd', null, value)))));
}
