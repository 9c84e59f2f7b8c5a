import { Problem } from '../../api/client.js';
import { t } from '../../i18n/index.js';

/**
 * Returns a module that a panel needs to show its data. If it cannot be fetched, the problem is that of a request that does not
 * reach the server: a panel keeps the data that it shows.
 *
 * @template Module
 * @param {Promise<Module>} module
 * @returns {Promise<Module>}
 */
export async function fetched(module) {
  try {
    return await module;
  } catch {
    throw new Problem(t('problem.unreachable'));
  }
}
