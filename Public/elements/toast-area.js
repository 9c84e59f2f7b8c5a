import { t } from '../i18n/index.js';
import { h } from './dom.js';
import { icon } from './icons.js';
import { announce } from './toast.js';

/** The time in milliseconds for which a toast is shown. */
const shownTime = 6_000;

/** The place of the toasts, above everything else. */
class ToastArea extends HTMLElement {
  connectedCallback() {
    this.setAttribute('popover', 'manual');
    this.setAttribute('role', 'region');
    this.setAttribute('aria-label', t('toast.area'));
  }

  /** Adds a toast and brings the area above an open dialog. */
  add(element) {
    if (this.matches(':popover-open')) this.hidePopover();
    this.append(element);
    this.showPopover();
    const close = () => {
      element.remove();
      if (this.children.length === 0 && this.matches(':popover-open')) this.hidePopover();
    };
    let timer = setTimeout(close, shownTime);
    const hold = () => clearTimeout(timer);
    const release = () => {
      hold();
      if (!element.matches(':hover, :focus-within')) timer = setTimeout(close, shownTime);
    };
    element.addEventListener('mouseenter', hold);
    element.addEventListener('focusin', hold);
    element.addEventListener('mouseleave', () => setTimeout(release));
    element.addEventListener('focusout', () => setTimeout(release));
    return () => {
      hold();
      close();
    };
  }
}

customElements.define('toast-area', ToastArea);

const icons = { good: 'check', bad: 'warning', warn: 'warning' };

/**
 * Shows a toast; see `toast`.
 *
 * @param {string} text
 * @param {{action?: {label: string, run: () => any}, kind?: 'good' | 'bad' | 'warn'}} options the action that reverses what
 *   happened
 */
export function showToast(text, { action, kind } = {}) {
  /** @type {any} */
  let area = document.querySelector('toast-area');
  if (!area) {
    area = h('toast-area');
    document.body.append(area);
  }
  /** @type {() => void} */
  let close = () => {};
  const run = async () => {
    close();
    try {
      await action?.run();
    } catch (/** @type {any} */ problem) {
      showToast(problem.message, { kind: 'bad' });
    }
  };
  const element = h('div', { class: kind ? `toast ${kind}` : 'toast' },
    kind ? icon(icons[kind]) : null, h('p', null, text),
    action ? h('button', { type: 'button', class: 'toast-action', onclick: run }, action.label) : null,
    h('button', { type: 'button', class: 'toast-close', 'aria-label': t('common.close'), onclick: () => close() }, icon('cross')));
  close = area.add(element);
  announce(text, { assertive: kind === 'bad' });
}
