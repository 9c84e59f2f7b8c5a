/** The events that show that a device opened the pages or updated. */
export const baseEvents = ['opened', 'activated', 'pageLoad', 'applied'];

/** The hours that the charts show at most. */
const hourLimit = 24 * 7;

/**
 * Returns the start of the time that the charts of a release show.
 *
 * @param {string} activeTime
 * @param {number} [now]
 * @returns {string}
 */
export function chartStart(activeTime, now = Date.now()) {
  // A release that begins later has no reports yet, and the server knows no future.
  const start = Math.min(Math.max(Date.parse(activeTime), now - hourLimit * 3_600_000), now);
  return new Date(Math.floor(start / 3_600_000) * 3_600_000).toISOString();
}
