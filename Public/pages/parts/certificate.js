/** The days before its end from which a certificate needs a person. */
export const warningDays = 30;

/**
 * Returns the days until a certificate of the server ends.
 *
 * @param {{expiresAt: string}} certificate
 * @param {string} now the time of the server
 */
export function daysLeft({ expiresAt }, now) {
  return (new Date(expiresAt).getTime() - new Date(now).getTime()) / 86_400_000;
}
