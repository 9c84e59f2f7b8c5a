import { Problem } from '../api/client.js';
import { t } from '../i18n/index.js';
import { panel, problemNotice, skeleton } from './panel.js';

/**
 * Replaces an element by what a module makes of it, once the element is in view. If the module cannot be fetched, the element
 * says so and has a button that tries again.
 *
 * @template {any} Place
 * @param {Place} place
 * @param {() => Promise<any>} make loads the module, and returns nodes
 * @returns {Place}
 */
export function whenVisible(place, make) {
  const element = /** @type {any} */ (place);
  const show = (...nodes) => (element.setBody ? element.setBody(...nodes) : element.replaceChildren(...nodes));
  const run = async () => {
    element.setAttribute('aria-busy', 'true');
    try {
      const made = await make();
      element.replaceWith(...[made].flat(Infinity).filter(Boolean));
    } catch (problem) {
      if (!(problem instanceof TypeError)) console.error(problem);
      element.removeAttribute('aria-busy');
      show(problemNotice(new Problem(t('problem.unreachable')), run));
    }
  };
  const observer = new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    observer.disconnect();
    run();
  });
  observer.observe(element);
  return place;
}

/**
 * Returns a panel whose content is loaded once it is in view.
 *
 * @param {any} title
 * @param {() => Promise<any>} make loads the module, and returns the panel that takes its place
 */
export function laterPanel(title, make) {
  return whenVisible(panel({ title, body: [skeleton(3)] }), make);
}
