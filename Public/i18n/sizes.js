import { currentLanguage, number } from './index.js';

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'];

/** Returns a size in bytes with a decimal unit. */
export function bytes(value) {
  return inBytes(value, '');
}

/** Returns a size in bytes per second. */
export function rate(value) {
  return inBytes(value, '-per-second');
}

/** Returns a large number in short, such as `1.2M` or `118万`. */
export function shortNumber(value) {
  return number(value, { notation: 'compact', maximumFractionDigits: 1 });
}

/** Returns the name of a unit as the language writes it behind a number, such as `MB/s` for `megabyte-per-second`. */
export function unitName(unit) {
  const options = { style: 'unit', unit, unitDisplay: 'short' };
  return new Intl.NumberFormat(currentLanguage(), /** @type {any} */ (options)).formatToParts(2).find((part) => part.type === 'unit')?.value ?? unit;
}

function inBytes(value, per) {
  let unit = 0;
  let scaled = value;
  while (Math.abs(scaled) >= 1000 && unit < byteUnits.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  return number(scaled, {
    style: 'unit', unit: `${byteUnits[unit]}${per}`, unitDisplay: unit === 0 && !per ? 'long' : 'short',
    maximumFractionDigits: unit > 0 && scaled < 10 ? 1 : 0,
  });
}
