import { h } from './dom.js';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const count = new Intl.NumberFormat();
const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 });

/** Returns an instant in local time, with UTC in its title. */
export function time(text) {
  return h('time', { datetime: text, title: `${text.replace('T', ' ').replace('Z', '')} UTC` }, localTime(text));
}

export function localTime(text) {
  return local.format(new Date(text));
}

export function number(value) {
  return count.format(value);
}

/** Returns a percentage in the format of the locale with at most two decimals, such as `10%`. */
export function percent(value) {
  return share.format(value / 100);
}

/** Returns a size such as `512 B`, `1.5 KB` or `16 MB`: powers of 1,024, one decimal below ten. */
export function bytes(value) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : Math.round(value * 10) / 10}\u00a0${units[unit]}`;
}

/** Returns the sentence about a change that waits for an approval; `undefined` for any other response. */
export function waiting({ requestedBy, id, summary }) {
  return requestedBy && `Waits for approval ${id}: ${summary} A second person approves it: larder approval approve ${id}.`;
}
