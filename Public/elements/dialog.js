import { t, tn } from '../i18n/index.js';
import { button, heading } from './basics.js';
import { h } from './dom.js';
import { field } from './fields.js';
import { textInput } from './inputs.js';
import { checkRequired, clearErrors, setButtonBusy, showProblem } from './form.js';
import { problemNotice, skeleton } from './panel.js';

/**
 * Returns whether a dialog's action may run.
 *
 * @param {{isLoading: boolean, isBusy: boolean, requireName?: string, typed?: string}} state
 * @returns {boolean}
 */
function mayConfirm({ isLoading, isBusy, requireName, typed }) {
  return !isLoading && !isBusy && (!requireName || (typed ?? '').trim() === requireName);
}

/**
 * Asks for a decision. The dialog closes when `act` has succeeded; a problem stays in it. The focus returns to where it was.
 *
 * @param {{title: any, body?: any, confirm?: any, kind?: any, requireName?: string,
 *   load?: (signal: AbortSignal) => Promise<any>, act?: () => Promise<any>, cancelLabel?: string, wide?: boolean}} options
 *   `body` is nodes, or a function that is given `{reload, close}` and returns them; `load` returns the consequence, such as
 *   the result of a dry run, before the action may run; `requireName` is the text to type; without `confirm` the dialog only
 *   shows something
 * @returns {Promise<any>} the value of `act`, or `true` if it has none; `null` if the dialog was cancelled
 */
export function dialog({ title, body, confirm, kind = 'primary', requireName, load, act, cancelLabel, wide }) {
  return new Promise((resolve) => {
    const opener = document.activeElement;
    const top = heading(title);
    const state = { isLoading: Boolean(load), isBusy: false, requireName, typed: '' };
    let result = null;
    let loading = new AbortController();

    const consequence = h('div', { class: 'dialog-consequence', 'aria-live': 'polite', hidden: !load });
    const place = h('div', { class: 'form-problem' });
    const nameInput = requireName ? textInput({ oninput: () => { state.typed = nameInput.value; update(); }, class: 'mono' }) : null;
    const close = (value = null) => {
      result = value;
      element.close();
    };
    const cancelButton = button(cancelLabel ?? t(confirm ? 'common.cancel' : 'common.close'), { onclick: () => { if (!state.isBusy) close(); } });
    const confirmButton = confirm ? button(confirm, { type: 'submit', kind: kind === 'danger' ? 'danger-fill' : kind }) : null;
    const update = () => { if (confirmButton) setButtonBusy(confirmButton, state.isBusy, !mayConfirm(state)); };

    const reload = async () => {
      if (!load) return;
      loading.abort();
      const own = loading = new AbortController();
      state.isLoading = true;
      update();
      if (!consequence.textContent) consequence.replaceChildren(skeleton(2));
      try {
        const nodes = await load(own.signal);
        if (own.signal.aborted) return;
        consequence.replaceChildren(...[nodes].flat(Infinity).filter((node) => node != null && node !== false));
        state.isLoading = false;
      } catch (problem) {
        if (own.signal.aborted) return;
        consequence.replaceChildren(problemNotice(problem, reload));
      }
      update();
    };

    const run = async (event) => {
      event.preventDefault();
      if (!mayConfirm(state) || !confirm) return;
      place.replaceChildren();
      clearErrors(content);
      if (!checkRequired(content)) return;
      state.isBusy = true;
      update();
      try {
        const value = await act?.();
        close(value === undefined ? true : value);
      } catch (problem) {
        showProblem(problem, content, place);
      } finally {
        state.isBusy = false;
        update();
      }
    };

    const content = h('div', { class: 'dialog-body' }, top.element, consequence, typeof body === 'function' ? body({ reload, close }) : body,
      nameInput ? field(tn('dialog.type-name', { name: h('code', null, requireName) }), nameInput) : null, place);
    const element = h('dialog', {
      class: wide ? 'dialog wide' : 'dialog', 'aria-labelledby': top.id,
      oncancel: (event) => { if (state.isBusy) event.preventDefault(); },
      onclose: () => {
        loading.abort();
        element.remove();
        if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
        resolve(result);
      },
    }, h('form', {
      novalidate: true, onsubmit: run,
      onkeydown: (event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run(event); },
    }, content, h('footer', null, cancelButton, confirmButton)));
    update();
    document.body.append(element);
    element.showModal();
    (element.querySelector('[autofocus]') ?? cancelButton).focus();
    reload();
  });
}
