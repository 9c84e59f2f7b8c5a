import { Problem } from './api.js';
import { announce, empty, h, showOutcome, table } from './dom.js';
import { problemBox } from './form.js';
import { time } from './format.js';
import { Pager } from './pager.js';
import { releaseButtons } from './release-actions.js';
import { ReleaseForm } from './release-form.js';
import { audience, planText } from './rollout.js';
import { mayRelease, refusal } from './session.js';

const badges = {
  active: ['tag good', '▶'], completed: ['tag good', '✓'], paused: ['tag soon', '‖'], scheduled: ['tag soon', '◷'],
  halted: ['tag bad', '■'], superseded: ['tag', '≡'], 'rolled-back': ['tag', '↩'],
};

/** Returns the state of a release as a word, a symbol and a colour. */
export function badge(state, text = state) {
  const [kind, icon] = badges[state] ?? ['tag', '•'];
  return h('span', { class: kind }, h('span', { 'aria-hidden': 'true' }, `${icon} `), text);
}

/** The releases with their actions, and the form for a new one. */
export class ReleaseSection {
  /** @param actions `changed` is called after a change and reads everything again */
  constructor(app, where, actions) {
    this.where = where;
    this.actions = actions;
    this.pager = new Pager('releases', (rows) => this.draw(rows));
    this.list = h('div');
    this.outcome = h('div', { class: 'outcome', tabindex: '-1' });
    this.refusal = h('p', { class: 'hint', id: 'releases-refusal' });
    this.hint = empty('A version has to be published, and not retired, before it can be released.');
    this.form = new ReleaseForm(app, where, actions);
    this.element = h('section', { class: 'card', 'aria-labelledby': 'releases-heading' },
      h('h2', { id: 'releases-heading' }, 'Releases'),
      this.refusal, this.outcome, this.list,
      h('h3', null, 'Make a release'), this.hint, this.form.element);
  }

  show(all) {
    const { releases, versions } = all;
    this.refusal.hidden = mayRelease();
    this.refusal.textContent = mayRelease() ? '' : refusal('Releasing');
    const isOffered = versions.some((item) => !item.retired);
    this.hint.hidden = isOffered;
    this.form.element.hidden = !isOffered;
    this.form.show(all);
    this.all = all;
    this.pager.show([...releases].sort((a, b) => b.rank - a.rank));
    if (releases.length === 0) this.list.replaceChildren(empty('Nothing is released: devices get no version of this package yet.'));
    else if (!this.pager.element.isConnected) this.list.replaceChildren(hint(), this.pager.element);
  }

  /** Fills in a version and scrolls to the form. */
  choose(version) {
    this.form.choose(version);
  }

  draw(releases) {
    const context = {
      where: this.where, package: this.all.package, versions: this.all.versions, refresh: this.actions.changed,
      done: (text) => this.showResult(h('div', { class: 'notice good' }, text)),
      failed: (problem) => this.showResult(problemBox(problem)),
      refused: (reason) => this.refuse(reason),
    };
    const rows = releases.map((release) => [
      `#${release.id}`,
      [h('strong', null, release.version), release.mandatory ? [' ', h('span', { class: 'tag' }, 'mandatory')] : null].flat(),
      h('span', { class: 'channel' }, release.channel),
      h('span', { class: 'state' }, badge(release.state)),
      [audience(release), release.plan ? h('div', { class: 'muted' }, `Plan: ${planText(release.plan)}`) : null,
        release.nextStepAt ? h('div', { class: 'muted' }, 'Next step: ', time(release.nextStepAt)) : null].flat(),
      time(release.activeTime),
      h('div', { class: 'buttons' }, releaseButtons(release, context)),
    ]);
    return table('Releases by rank, the highest first',
      ['Release', 'Version', 'Channel', 'State', 'For', 'Takes effect', ''], rows);
  }

  /** Shows why a click had no effect. */
  refuse(reason) {
    showOutcome(this.outcome, problemBox(new Problem(reason)));
    this.outcome.scrollIntoView({ block: 'nearest' });
  }

  /** Refreshes the list and shows the outcome of an action above it; the row of its button may be gone. */
  async showResult(box) {
    await this.actions.changed();
    this.form.clearOutcome();
    showOutcome(this.outcome, box);
    this.outcome.focus();
    announce(box.textContent);
  }
}

function hint() {
  return h('p', { class: 'hint' }, 'By rank: a device gets the topmost release of its channel that has taken effect and whose audience includes it.');
}
