import { t } from '../i18n/index.js';
import { button } from './basics.js';
import { h } from './dom.js';
import { problemNotice } from './panel.js';

/**
 * Returns the values of the named controls below an element: the state of check boxes, the `value` of all others.
 *
 * @param {any} root
 * @param {Object<string, any>} [values]
 * @returns {Object<string, any>}
 */
export function readValues(root, values = {}) {
  for (const element of root.children) {
    const composite = element.getAttribute?.('data-name');
    const name = composite ?? element.getAttribute?.('name');
    if (name) values[name] = element.getAttribute('type') === 'checkbox' ? element.checked : element.value;
    else if (!('isGroup' in element) && !('focusTarget' in element)) readValues(element, values);
  }
  return values;
}

/** Returns the fields below an element by the names of their controls. */
function namedFields(root, found = new Map()) {
  for (const element of root.children) {
    if (element.setError && element.control) {
      const name = element.control.getAttribute('data-name') ?? element.control.getAttribute('name');
      if (name) found.set(name, element);
    } else namedFields(element, found);
  }
  return found;
}

/**
 * Removes the errors at the fields below an element.
 *
 * @param {any} root
 */
export function clearErrors(root) {
  for (const each of namedFields(root).values()) each.setError(null);
}

/**
 * Shows errors at the required fields that are empty; returns whether there are none.
 *
 * @param {any} root
 * @returns {boolean}
 */
export function checkRequired(root) {
  const missing = [...namedFields(root).values()].filter((each) => each.isRequired && isEmpty(each.control.value));
  for (const each of missing) each.setError(t('field.required'));
  if (missing.length) (missing[0].control.focusTarget ?? missing[0].control).focus();
  return missing.length === 0;
}

const isEmpty = (value) => value == null || String(value).trim() === '';

/**
 * Shows a problem at the field that it names, or else in a place for it.
 *
 * @param {any} problem
 * @param {any} root the element with the fields
 * @param {any} place the element above the buttons
 */
export function showProblem(problem, root, place) {
  if (problem.status === undefined) console.error(problem);
  const fields = namedFields(root);
  const member = String(problem.member ?? '');
  const named = fields.get(member) ?? fields.get(member.split(/[.[]/)[0]);
  if (!named) return place.replaceChildren(problemNotice(problem));
  named.setError(problem.message);
  (named.control.focusTarget ?? named.control).focus();
}

/**
 * Returns a form. While it is being sent its buttons are off; after a failure all entries stay, and the problem is at the
 * field that it names or above the buttons. Ctrl+Enter sends it from every field.
 *
 * @param {{fields: any[], submit: any, kind?: any, icon?: string, cancel?: (() => void) | string, cancelLabel?: string,
 *   extra?: any, reason?: string | null, onsubmit: (values: Object<string, any>) => Promise<any>}} options `cancel` is a
 *   function or an address; `extra` stands beside the buttons; `reason` says why the form cannot be sent
 * @returns {any} with `values()` and `setBusy(isBusy)`
 */
export function form({ fields, submit, kind = 'primary', icon, cancel, cancelLabel = t('common.cancel'), extra, reason, onsubmit }) {
  let isBusy = false;
  const body = h('div', { class: 'form-fields' }, fields);
  const place = h('div', { class: 'form-problem' });
  const sendButton = button(submit, { type: 'submit', kind, icon, reason });
  const cancelButton = !cancel ? null
    : button(cancelLabel, { kind: 'quiet', ...(typeof cancel === 'string' ? { href: cancel } : { onclick: cancel }) });
  const setBusy = (next) => {
    isBusy = next;
    setButtonBusy(sendButton, next, Boolean(reason));
    if (next) element.setAttribute('aria-busy', 'true');
    else element.removeAttribute('aria-busy');
  };
  const send = async (event) => {
    event?.preventDefault();
    if (isBusy || reason) return;
    place.replaceChildren();
    clearErrors(body);
    if (!checkRequired(body)) return;
    setBusy(true);
    try {
      await onsubmit(readValues(body));
    } catch (problem) {
      showProblem(problem, body, place);
    } finally {
      setBusy(false);
    }
  };
  const element = h('form', {
    novalidate: true, class: 'form', onsubmit: send,
    onkeydown: (event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send(event); },
  }, body, place, h('div', { class: 'form-buttons' }, extra ? h('div', { class: 'form-extra' }, extra) : null, cancelButton, sendButton));
  element.values = () => readValues(body);
  element.setBusy = setBusy;
  return element;
}

/** Shows on a button that its action is running. */
export function setButtonBusy(element, isBusy, isOff = false) {
  if (isBusy || isOff) element.setAttribute('aria-disabled', 'true');
  else element.removeAttribute('aria-disabled');
  element.classList.toggle('is-busy', isBusy);
}
