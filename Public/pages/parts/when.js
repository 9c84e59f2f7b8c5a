import { dateTime, time } from '../../i18n/index.js';

/** Returns an instant as the time of day if it is today, and else with its day. */
export function whenText(instant) {
  return new Date(instant).toDateString() === new Date().toDateString() ? time(instant) : dateTime(instant);
}
