import { t } from '../i18n/index.js';
import { h } from './dom.js';
import { icon } from './icons.js';

/** The time in milliseconds for which a toast is shown. */
const shownTime = 6_000;

/**
 * Makes screen readers say a text.
 *
 * @param {string} text
 * @param {{assertive?: boolean}} options `assertive` interrupts what is being said
 */
export function announce(text, { assertive = false } = {}) {
  const id = assertive ? 'assertive' : 'polite';
  let region = document.getElementById(id);
  if (!region) {
    region = h('div', { id, class: 'visually-hidden', 'aria-live': id });
    document.body.append(region);
  }
  const place = /** @type {HTMLElement} */ (region);
  place.textContent = '';
  setTimeout(() => { place.textContent = text; }, 50);
}

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
 * Shows a text at the edge of the window for six seconds, and longer while the pointer or the focus is on it.
 *
 * @param {string} text
 * @param {{action?: {label: string, run: () => any}, kind?: 'good' | 'bad' | 'warn'}} options the action that reverses what
 *   happened
 */
export function toast(text, { action, kind } = {}) {
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
      toast(problem.message, { kind: 'bad' });
    }
  };
  const element = h('div', { class: kind ? `toast ${kind}` : 'toast' },
    kind ? icon(icons[kind]) : null, h('p', null, text),
    action ? h('button', { type: 'button', class: 'toast-action', onclick: run }, action.label) : null,
    h('button', { type: 'button', class: 'toast-close', 'aria-label': t('common.close'), onclick: () => close() }, icon('cross')));
  close = area.add(element);
  announce(text, { assertive: kind === 'bad' });
}

/**
 * Returns a handler that says so if what it began fails.
 *
 * @param {(event: any) => any} handler
 */
export function guarded(handler) {
  return async (event) => {
    try {
      await handler(event);
    } catch (problem) {
      if (problem?.name === 'AbortError') return;
      if (problem?.status === undefined) console.error(problem);
      toast(problem?.message ?? t('page.failed'), { kind: 'bad' });
    }
  };
}
