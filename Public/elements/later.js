import { t } from '../i18n/index.js';
import { toast } from './toast.js';

/**
 * Returns a handler that loads a module and runs a function of it, such as one that opens a dialog. While the module loads, a
 * further call does nothing; if it cannot be fetched, a toast says so, and the next call tries again.
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
    let module;
    try {
      module = await load();
    } catch {
      toast(t('problem.unreachable'), { kind: 'bad' });
      return null;
    } finally {
      isLoading = false;
    }
    return run(module, ...values);
  };
}
