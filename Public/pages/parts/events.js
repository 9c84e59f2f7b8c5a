import { has, t } from '../../i18n/index.js';

/** The colour of an event that devices report. */
const kinds = {
  downloaded: 'good', applied: 'good', activated: 'good', downloadFailed: 'bad', verifyFailed: 'bad', applyFailed: 'bad', whiteScreen: 'bad',
  scriptError: 'bad', crash: 'bad', failed: 'bad', configFailed: 'bad', resourceMissing: 'warn', rolledBack: 'warn', fellBack: 'warn',
};

/** Returns the name of an event that devices report. */
export function eventName(event) {
  return has(`event.${event}`) ? t(`event.${event}`) : event;
}

/** Returns the colour of an event: good, warn, bad or none. */
export function eventKind(event) {
  return kinds[event] ?? '';
}
