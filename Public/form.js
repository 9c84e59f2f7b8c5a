import { Problem } from './api.js';
import { announce, h, showOutcome } from './dom.js';
import { devices } from './rollout.js';

let lastRefusal = 0;

/** A form that sends one request at a time without leaving the page, and shows the outcome below its button. */
export class Form {
  /**
   * @param action the label of the button
   * @param fields the elements of the fields
   * @param submit makes the request; returns the outcome as text or a node, or nothing
   */
  constructor(action, fields, submit) {
    this.button = h('button', { type: 'submit', class: 'primary', onclick: (event) => this.press(event) }, action);
    this.reason = h('span', { class: 'hint', id: `refusal-${++lastRefusal}`, hidden: true });
    this.outcome = h('div', { class: 'outcome', tabindex: '-1' });
    this.actions = h('div', { class: 'actions' }, this.button, this.reason);
    this.element = h('form', { onsubmit: (event) => this.run(event, submit) }, fields, this.actions, this.outcome);
  }

  async run(event, submit) {
    event.preventDefault();
    if (this.isBusy || this.refusal) return;
    this.setBusy(true);
    this.outcome.replaceChildren();
    try {
      const done = await submit();
      if (done) this.succeed(done);
    } catch (problem) {
      this.fail(problem);
    } finally {
      this.setBusy(false);
    }
  }

  /** Disables sending and shows the reason beside the button; `null` enables it. */
  refuse(reason) {
    // The outcome may show the reason after an earlier click.
    if (this.refusal && !reason) this.outcome.replaceChildren();
    this.refusal = reason;
    this.reason.hidden = !reason;
    this.reason.textContent = reason ?? '';
    this.button.title = reason ?? '';
    if (reason) this.button.setAttribute('aria-describedby', this.reason.id);
    else this.button.removeAttribute('aria-describedby');
    this.showState();
  }

  /** Shows the reason after a click on a disabled button; the browser would ask for missing entries first. */
  press(event) {
    if (!this.refusal) return;
    event.preventDefault();
    this.fail(new Problem(this.refusal));
  }

  showState() {
    // Not `disabled`: the button would lose the focus.
    this.button.setAttribute('aria-disabled', String(Boolean(this.isBusy || this.refusal)));
  }

  setBusy(isBusy) {
    this.isBusy = isBusy;
    this.showState();
    this.element.setAttribute('aria-busy', String(isBusy));
  }

  succeed(content) {
    const box = h('div', { class: 'notice good' }, typeof content === 'string' ? h('p', null, content) : content);
    showOutcome(this.outcome, box);
    announce(box.textContent);
  }

  fail(problem) {
    showOutcome(this.outcome, problemBox(problem));
  }
}

/** Returns the message of a problem, with the entry of the zip that it concerns. */
export function problemBox(problem) {
  const facts = [];
  if (problem.entry) facts.push(h('dt', null, 'Entry'), h('dd', null, h('code', null, problem.entry)));
  if (problem.reason) facts.push(h('dt', null, 'Reason'), h('dd', null, h('code', null, problem.reason)));
  // Any other error is a fault of this page, which is shown as well.
  const text = problem instanceof Problem ? problem.message : `The console failed: ${problem.message}`;
  return h('div', { class: 'notice bad', role: 'alert' },
    h('p', null, text),
    facts.length ? h('dl', { class: 'facts' }, facts) : null,
    problem.losses?.length ? h('ul', null, problem.losses.map((loss) => h('li', null, lossText(loss)))) : null);
}

/** Returns the text for a release that devices would lose, with the number of devices that have it, if the server knows it. */
function lossText({ package: id, version, needs, devices: count }) {
  return `${id} ${version}${needs ? `, which needs ${needs}` : ''}: ${count == null ? 'number of devices not known' : `lost by ${devices(count)}`}`;
}
