import { lineChart } from '../../charts/index.js';
import { number, percent, t } from '../../i18n/index.js';
import { shortNumber } from '../../i18n/sizes.js';
import { planSteps } from './plan.js';
import { devicesAtShare } from './readiness.js';
import { appliedSeries, failureSeries } from './series.js';
import { metricName, metricTitle } from './signals.js';
import { trippedRules } from './verdict.js';

/**
 * Returns the chart of the devices that have applied a release, below those of its audience.
 *
 * @param {any} release
 * @param {any} readiness
 * @param {any[]} series the statistics by hour, version and event
 * @param {import('../../types.js').Advance[]} advances
 */
export function devicesChart(release, readiness, series, advances) {
  const begun = planSteps(release, advances).filter((step) => step.begunAt !== null);
  // Once the rules are dropped, `readiness` counts devices without them. It does not describe earlier steps.
  const drop = Math.max(0, ...begun.filter((step) => step.withoutRules).map((step) => step.begunAt ?? 0), ...advances.filter((each) => each.withoutRules).map((each) => Date.parse(each.time)));
  const steps = begun.filter((step, index) => index === begun.length - 1 || (step.begunAt ?? 0) >= drop)
    .map((step) => /** @type {[string, number | null]} */ ([new Date(Math.max(step.begunAt ?? 0, drop)).toISOString(), devicesAtShare(readiness, step.percent)]));
  return lineChart({
    title: t('release.devices-chart'), summary: t('release.devices-summary', { holding: number(readiness.holding), matching: number(readiness.matching) }),
    series: [
      { name: t('release.applied'), colour: 1, area: true, points: appliedSeries(series, release.version) },
      ...(steps.length ? [/** @type {any} */ ({ name: t('release.audience'), colour: 5, dashed: true, step: true, points: steps })] : []),
    ],
    formatValue: (value) => number(Math.round(value)), formatTick: (value) => shortNumber(value), x: 'time', to: new Date().toISOString(),
  });
}

/** Returns the chart of a signal on the devices of a release against those without it. */
export function failuresChart(release, series, metric) {
  const { own, control } = failureSeries(series, release.version, metric);
  const rule = release.health?.rules.find((each) => each.metric === metric);
  const last = own[own.length - 1];
  return lineChart({
    title: t('release.failures-title', { metric: metricName(metric) }),
    summary: t('release.failures-summary', {
      metric: metricTitle(metric), version: release.version, percent: percent(last.value), control: control.length ? percent(control[control.length - 1].value) : '–',
    }),
    series: [
      { name: release.version, colour: trippedRules(release.verdict).some((each) => each.metric === metric) ? 'bad' : 1,
        points: own.map(({ x, value }) => [x, value]), interval: own.map(({ x, low, high }) => [x, low, high]) },
      { name: t('release.others'), colour: 5, points: control.map(({ x, value }) => [x, value]) },
    ],
    limits: rule?.ceiling != null ? [{ value: rule.ceiling, kind: 'bad', label: t(`release.limit-at.${rule.action}`, { percent: percent(rule.ceiling) }) }] : [],
    formatValue: (value) => percent(value), x: 'time',
  });
}
