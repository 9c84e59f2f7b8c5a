import { announce, h } from './dom.js';
import { problemBox } from './form.js';

let lastId = 0;

/**
 * A modal dialog that states what a change will do before it is made.
 *
 * The safe button comes first and has the focus. After a failed change the dialog stays open with its entries.
 */
export class Confirmation {
  /**
   * @param title a question that names the object
   * @param confirm the label of the button that makes the change
   * @param act makes the change and returns the value of the dialog's promise
   */
  constructor({ title, keep = 'Cancel', confirm, isDanger = false, act }) {
    const id = `dialog-${++lastId}`;
    this.act = act;
    this.isReady = false;
    this.body = h('div', { class: 'consequence', id: `${id}-body`, 'aria-live': 'polite' });
    this.outcome = h('div', { class: 'outcome' });
    this.fields = h('div');
    this.keep = h('button', { type: 'button', autofocus: true, onclick: () => this.close() }, keep);
    this.confirm = h('button', { type: 'submit', class: isDanger ? 'danger' : 'primary' }, confirm);
    const form = h('form', { method: 'dialog', onsubmit: (event) => this.run(event) },
      h('h2', { id: `${id}-title` }, title), this.body, this.fields, this.outcome,
      h('div', { class: 'actions end' }, this.keep, this.confirm));
    this.element = h('dialog', {
      'aria-labelledby': `${id}-title`, 'aria-describedby': `${id}-body`,
      oncancel: (event) => { if (this.isBusy) event.preventDefault(); },
    }, form);
    this.setReady(false);
  }

  /**
   * Opens the dialog; resolves to the result of the change, or to `null` if it was not made.
   *
   * If the dialog is closed during the change, for instance by a change of page, the promise waits for the change and rejects if it fails.
   */
  open() {
    this.opener = document.activeElement;
    document.body.append(this.element);
    // Chromium lets a page prevent `cancel` once and closes the dialog at the next Escape, so the key itself is prevented.
    const hold = (event) => { if (this.isBusy && event.key === 'Escape') event.preventDefault(); };
    document.addEventListener('keydown', hold);
    return new Promise((resolve, reject) => {
      this.element.addEventListener('close', () => {
        document.removeEventListener('keydown', hold);
        this.element.remove();
        const opener = this.opener?.isConnected ? this.opener : document.querySelector('h1');
        opener.focus();
        (this.running ?? Promise.resolve(null)).then(resolve, reject);
      });
      this.element.showModal();
    });
  }

  /** Closes the dialog without the change, unless the change is in progress. */
  close() {
    if (!this.isBusy) this.element.close();
  }

  /** Shows the consequence, as paragraphs. */
  state(...sentences) {
    this.body.replaceChildren(...sentences.flat().filter(Boolean).map((sentence) =>
      (typeof sentence === 'string' ? h('p', null, sentence) : sentence)));
  }

  /** Shows why the consequence is unknown, or why the change failed. */
  fail(problem) {
    this.outcome.replaceChildren(problemBox(problem));
  }

  clear() {
    this.outcome.replaceChildren();
  }

  setReady(isReady) {
    this.isReady = isReady;
    this.confirm.setAttribute('aria-disabled', String(!isReady));
  }

  async run(event) {
    event.preventDefault();
    if (this.isBusy || !this.isReady) return;
    this.isBusy = true;
    this.clear();
    this.confirm.setAttribute('aria-disabled', 'true');
    this.keep.setAttribute('aria-disabled', 'true');
    this.element.setAttribute('aria-busy', 'true');
    announce('Sent. The server is at work.');
    this.running = this.act();
    try {
      await this.running;
      this.isBusy = false;
      this.element.close();
    } catch (problem) {
      this.running = null;
      this.isBusy = false;
      this.fail(problem);
      this.setReady(this.isReady);
    } finally {
      this.keep.removeAttribute('aria-disabled');
      this.element.removeAttribute('aria-busy');
    }
  }
}
