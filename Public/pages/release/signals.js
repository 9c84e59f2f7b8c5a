import { number, percent, t } from '../../i18n/index.js';

/** The fewest devices that health rules wait for. */
export const fewestDevices = 10;

/** Returns the name of a signal. */
export function metricName(metric) {
  return t(`metric.${metric}`);
}

/** Returns the name of a signal at the beginning of a sentence or a cell. */
export function metricTitle(metric) {
  const name = metricName(metric);
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** Returns what a tripped rule has counted, as a part of a sentence. */
export function trippedText(rule) {
  const values = {
    metric: metricName(rule.metric), percent: percent(rule.percent), affected: number(rule.affected), devices: number(rule.devices), n: rule.devices,
    control: rule.control ? percent(rule.control.percent) : '',
  };
  return t(rule.control ? 'release.tripped-control' : 'release.tripped', values);
}
