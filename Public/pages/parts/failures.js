/** The events of an update that failed. */
export const updateFailures = ['downloadFailed', 'verifyFailed', 'applyFailed', 'failed'];

/** The events of pages that failed on a device. */
export const pageFailures = ['whiteScreen', 'crash', 'scriptError', 'resourceMissing'];

/**
 * Returns the counts of statistics by event.
 *
 * @param {any[]} series rows that are grouped by event
 * @returns {Map<string, any>}
 */
export function byEvent(series) {
  return new Map(series.map((row) => [row.event, row]));
}

/**
 * Returns the failure that the largest share of devices has, among those that opened the pages or updated.
 *
 * @param {any[]} series rows that are grouped by event
 * @returns {{event: string, devices: number, percent: number} | null} `null` without a device that opened or updated
 */
export function worstFailure(series) {
  const events = byEvent(series);
  const opened = Math.max(0, ...['opened', 'activated', 'pageLoad'].map((name) => events.get(name)?.devices ?? 0));
  const applied = events.get('applied')?.devices ?? 0;
  /** @type {any[]} */
  const shares = [
    ...pageFailures.map((event) => share(events.get(event)?.devices ?? 0, Math.max(opened, applied), event)),
    ...updateFailures.map((event) => {
      const devices = events.get(event)?.devices ?? 0;
      return share(devices, applied + devices, event);
    }),
  ].filter((each) => each !== null);
  if (!shares.length) return null;
  return shares.reduce((worst, each) => (each.percent > worst.percent ? each : worst));
}

function share(devices, all, event) {
  return all > 0 ? { event, devices, percent: Math.min(100, devices / all * 100) } : null;
}

/** Returns the time before which reports are left out, by hours before now, at the beginning of an hour. */
export function hoursAgo(hours, now = Date.now()) {
  return new Date(Math.floor(now / 3_600_000) * 3_600_000 - hours * 3_600_000).toISOString();
}

/** Returns a text with a capital at its beginning, for the headings of columns. */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
