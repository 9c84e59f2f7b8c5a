import { t } from '../i18n/index.js';
import { toast } from './toast.js';

/**
 * Returns a handler that loads a module and runs a function of it. While the module loads, a further call does nothing. If it
 * cannot be fetched, a toast says so, and the next call tries again. If the person opens another page meanwhile, nothing runs,
 * unless the action is one of every page.
 *
 * @template Module
 * @param {() => Promise<Module>} load
 * @param {(module: Module, ...values: any[]) => any} run
 * @param {{isOfEveryPage?: boolean}} options
 * @returns {(...values: any[]) => Promise<any>} resolves to the result of `run`; to `null` if it did not run
 */
export function later(load, run, { isOfEveryPage = false } = {}) {
  let isLoading = false;
  return async (...values) => {
    if (isLoading) return null;
    isLoading = true;
    const page = pagePath();
    let module;
    try {
      module = await load();
    } catch (problem) {
      toast(loadFailureText(problem), { kind: 'bad' });
      return null;
    } finally {
      isLoading = false;
    }
    return isOfEveryPage || page === pagePath() ? run(module, ...values) : null;
  };
}

/** Returns the path of the open page; its query changes while it stays open. */
function pagePath() {
  return location.hash.replace(/\?.*$/s, '');
}

/** Returns the text about code that could not be loaded, and logs what is an error of the code rather than of the network. */
export function loadFailureText(problem) {
  if (!isLoadFailure(problem)) console.error(problem);
  return t('problem.not-loaded');
}

/**
 * Returns whether a module or stylesheet could not be fetched. A browser throws a TypeError that names the module, and
 * `stylesheet` one with 'fetched'; others are errors of the code.
 */
export function isLoadFailure(problem) {
  return problem instanceof TypeError && /module|fetched/i.test(problem.message);
}
