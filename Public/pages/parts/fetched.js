import { Problem } from '../../api/client.js';
import { loadFailureText } from '../../elements/later.js';

/**
 * Returns a module that a panel needs to show its data. A failure to load it becomes a problem of a request without a response,
 * for which a panel keeps the data that it shows.
 *
 * @template Module
 * @param {Promise<Module>} module
 * @returns {Promise<Module>}
 */
export async function fetched(module) {
  try {
    return await module;
  } catch (problem) {
    throw new Problem(loadFailureText(problem));
  }
}
