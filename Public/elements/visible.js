import { Problem } from '../api/client.js';
import { t } from '../i18n/index.js';
import { nodesOf } from './dom.js';
import { loadFailureText } from './later.js';
import { panel, problemNotice, skeleton } from './panel.js';

/** The pixels of a place that are in view before it is loaded, so that the heading of a panel alone loads nothing. */
const visiblePart = 64;

/**
 * Replaces an element by what a module makes of it, once the element is in view. If the module cannot be fetched, the element
 * says so and has a button that tries again. Until then the element takes the focus, so that the keyboard reaches it.
 *
 * @param {any} element
 * @param {() => Promise<any>} make loads the module, and returns nodes
 */
export function whenVisible(element, make) {
  let isRunning = false;
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    element.setAttribute('aria-busy', 'true');
    try {
      const made = nodesOf(await make());
      const hadFocus = element.contains(document.activeElement);
      element.replaceWith(...made);
      if (hadFocus) focus(made[0]);
    } catch (problem) {
      element.removeAttribute('aria-busy');
      if (element.getAttribute('role') === 'group') element.removeAttribute('aria-label');
      const hadFocus = element.contains(document.activeElement);
      const failure = problemNotice(new Problem(loadFailureText(problem)), run);
      if (element.setBody) element.setBody(failure);
      else element.replaceChildren(failure);
      if (hadFocus) element.querySelector('[data-key="try-again"]')?.focus();
    } finally {
      isRunning = false;
    }
  };
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    run();
  }, { rootMargin: `0px 0px -${visiblePart}px 0px` });
  observer.observe(element);
  element.classList.add('not-loaded');
  element.setAttribute('tabindex', '0');
  if (!element.hasAttribute('aria-labelledby')) {
    element.setAttribute('role', 'group');
    element.setAttribute('aria-label', t('page.part-loading'));
  }
  return element;
}

function focus(element) {
  element?.setAttribute('tabindex', '-1');
  element?.focus({ preventScroll: true });
}

/** Returns a panel whose place is taken, once it is in view, by the panel that `make` loads. */
export function laterPanel(title, /** @type {() => Promise<any>} */ make) {
  return whenVisible(panel({ title, body: [skeleton(3)] }), make);
}
