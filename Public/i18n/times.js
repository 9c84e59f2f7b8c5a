import { currentLanguage, format, number, spaced } from './index.js';

/** Returns the short name of the viewer's zone, such as `UTC+8`. */
export function zone(instant = Date.now()) {
  const options = { timeZoneName: 'shortOffset' };
  return new Intl.DateTimeFormat('en', /** @type {any} */ (options)).formatToParts(new Date(instant))
    .find((part) => part.type === 'timeZoneName')?.value.replace('GMT', 'UTC') ?? 'UTC';
}

const durationUnits = [['day', 86_400], ['hour', 3_600], ['minute', 60], ['second', 1]];

/** Returns a length of time in its two largest units, such as `17 hr 28 min`. */
export function duration(seconds) {
  let rest = Math.max(0, Math.round(seconds));
  const first = Math.max(0, durationUnits.findIndex(([, size]) => rest >= Number(size)));
  const texts = [];
  for (const [unit, size] of durationUnits.slice(rest === 0 ? 3 : first, rest === 0 ? 4 : first + 2)) {
    const count = Math.floor(rest / Number(size));
    rest -= count * Number(size);
    if (count > 0 || texts.length === 0) texts.push(number(count, { style: 'unit', unit, unitDisplay: 'short' }));
  }
  return texts.join(' ');
}

/** Returns how long ago an instant was, or in how long it will be, in one unit. */
export function relative(instant, now = Date.now()) {
  const seconds = (new Date(instant).getTime() - now) / 1000;
  const [unit, size] = durationUnits.find(([, length]) => Math.abs(seconds) >= Number(length)) ?? ['second', 1];
  const options = { numeric: 'auto' };
  return spaced(format('relative', options, () => new Intl.RelativeTimeFormat(currentLanguage(), /** @type {any} */ (options)))
    .format(Math.trunc(seconds / Number(size)), unit));
}
