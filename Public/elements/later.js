import { t } from '../i18n/index.js';
import { toast } from './toast.js';

/**
 * Returns a handler that loads a module and runs a function of it, such as one that opens a dialog. While the module loads, a
 * further call does nothing. If it cannot be fetched, a toast says so, and the next call tries again. If the person opens another
 * page meanwhile, nothing runs, since the action belongs to the page that was left.
 *
 * @template Module
 * @param {() => Promise<Module>} load
 * @param {(module: Module, ...values: any[]) => any} run
 * @returns {(...values: any[]) => Promise<any>} resolves to the result of `run`; to `null` if it did not run
 */
export function later(load, run) {
  let isLoading = false;
  return async (...values) => {
    if (isLoading) return null;
    isLoading = true;
    const page = openPage();
    let module;
    try {
      module = await load();
    } catch (problem) {
      toast(loadFailure(problem), { kind: 'bad' });
      return null;
    } finally {
      isLoading = false;
    }
    return page === openPage() ? run(module, ...values) : null;
  };
}

/** Returns the path of the open page; its query changes while it stays open. */
function openPage() {
  return location.hash.replace(/\?.*$/s, '');
}

/**
 * Returns the text about code that could not be loaded, and logs what is an error of the code rather than of the network.
 *
 * @param {unknown} problem
 */
export function loadFailure(problem) {
  if (!(problem instanceof TypeError && /module|fetched/i.test(problem.message))) console.error(problem);
  return t('problem.not-loaded');
}
