import { Problem } from './api.js';
import { announce, h, showOutcome } from './dom.js';
import { devices } from './rollout.js';

let lastRefusal = 0;

/** A form that sends without leaving the page: one request at a time, its outcome in words below the button. */
export class Form {
  /**
   * @param action what the button says
   * @param fields what is filled in
   * @param submit makes the request; returns what is shown when it is done, as text or a node, or nothing
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

  /** Keeps the form from being sent, and says why beside the button; `null` lets it be sent. */
  refuse(reason) {
    // The outcome may be the refusal of an earlier click.
    if (this.refusal && !reason) this.outcome.replaceChildren();
    this.refusal = reason;
    this.reason.hidden = !reason;
    this.reason.textContent = reason ?? '';
    this.button.title = reason ?? '';
    if (reason) this.button.setAttribute('aria-describedby', this.reason.id);
    else this.button.removeAttribute('aria-describedby');
    this.showState();
  }

  /** Answers a click on the button of a form that is refused; the browser would ask for missing entries first. */
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

/** What went wrong, for people: the sentence, and which entry of a zip it is about. */
export function problemBox(problem) {
  const facts = [];
  if (problem.entry) facts.push(h('dt', null, 'Entry'), h('dd', null, h('code', null, problem.entry)));
  if (problem.reason) facts.push(h('dt', null, 'Reason'), h('dd', null, h('code', null, problem.reason)));
  // Whatever is no answer of the server is a fault of this page: it is not hidden.
  const text = problem instanceof Problem ? problem.message : `The console failed: ${problem.message}`;
  return h('div', { class: 'notice bad', role: 'alert' },
    h('p', null, text),
    facts.length ? h('dl', { class: 'facts' }, facts) : null,
    problem.losses?.length ? h('ul', null, problem.losses.map((loss) => h('li', null, lossText(loss)))) : null);
}

/** A release that devices would lose, and how many of the devices seen have it; the server may count none. */
function lossText({ package: id, version, needs, devices: count }) {
  return `${id} ${version}${needs ? `, which needs ${needs}` : ''}: ${count == null ? 'number of devices not known' : `lost by ${devices(count)}`}`;
}
