import { ask, post, Problem } from './api.js';
import { Confirmation } from './dialog.js';
import { check, field, h } from './dom.js';
import { Form } from './form.js';
import { localTime, percent, waiting } from './format.js';
import { audience, finalPercent, isPrerelease, moment, planText, reachSentence, readPlan } from './rollout.js';
import { mayRelease, refusal } from './session.js';

/** The form for a new release, which a dialog shows for review before it is sent. */
export class ReleaseForm {
  /**
   * @param where the package's path in the API
   * @param actions `changed` is called after a release was created
   */
  constructor(app, where, actions) {
    this.app = app;
    this.where = where;
    this.actions = actions;
    this.version = h('select', { name: 'version', required: true, onchange: () => this.suggestChannel() });
    this.channel = h('select', { name: 'channel', required: true });
    this.kind = h('select', { name: 'rollout', onchange: () => this.showRollout() },
      h('option', { value: 'percent' }, 'A percentage'),
      h('option', { value: 'plan' }, 'A plan over time'));
    this.percent = h('input', { type: 'number', name: 'percent', min: 0, max: 100, step: 0.01, inputmode: 'decimal' });
    this.plan = h('input', { name: 'plan', autocomplete: 'off', spellcheck: 'false', placeholder: '1@0s,10@2h,100@1d' });
    this.percentField = field('Percentage', this.percent, 'The share of devices, 0 to 100; 100 is every device on the channel.');
    this.planField = field('Plan', this.plan, 'Steps of a percentage and the time since the release takes effect: 1@0s,10@2h,100@1d.');
    this.moment = h('input', { type: 'datetime-local', name: 'activeTime' });
    this.mandatory = h('input', { type: 'checkbox', name: 'mandatory' });
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    this.prerelease = h('p', { class: 'notice soon', hidden: true, role: 'status' });
    this.form = new Form('Review the release…', [
      h('div', { class: 'grid' },
        field('Version to offer', this.version),
        field('Channel', this.channel),
        field('Takes effect', this.moment,
          `Empty means at once. In your time zone (${zone}); devices download ahead and switch at that time.`),
        field('Audience', this.kind), this.percentField, this.planField),
      this.prerelease,
      check('Mandatory', this.mandatory, 'Devices with an older version update before the package opens.'),
      h('p', { class: 'hint' }, 'Rules, lists of devices and download rates: ', h('code', null, 'larder release make'), '. Floors: ',
        h('code', null, 'POST …/releases'), '.'),
    ], () => this.review());
    this.element = this.form.element;
    this.showRollout();
  }

  show({ package: settings, releases, versions, channels }) {
    this.package = settings;
    this.releases = releases;
    this.channels = channels;
    fill(this.version, versions.filter((item) => !item.retired).map((item) => item.version), 'Choose a version…');
    fill(this.channel, channels, 'Choose a channel…');
    this.form.refuse(mayRelease() ? null : refusal('Releasing'));
  }

  /** Fills in a version and scrolls to the form. */
  choose(version) {
    this.version.value = version;
    this.suggestChannel();
    this.element.scrollIntoView({ block: 'center' });
    (this.channel.value ? this.percent : this.channel).focus();
  }

  /** Selects the channel production for a plain version; for a pre-release the operator has to select the channel. */
  suggestChannel() {
    const version = this.version.value;
    const needsChoice = version !== '' && isPrerelease(version);
    if (needsChoice) this.channel.value = '';
    else if (version && !this.channel.value && this.channels.includes('production')) this.channel.value = 'production';
    this.prerelease.hidden = !needsChoice;
    this.prerelease.textContent = needsChoice ? `${version} is a pre-release: choose its channel.` : '';
  }

  showRollout() {
    const isPlan = this.kind.value === 'plan';
    this.planField.hidden = !isPlan;
    this.percentField.hidden = isPlan;
    this.plan.required = isPlan;
    this.percent.required = !isPlan;
  }

  /** Returns the release in the format of the API. */
  request() {
    return {
      version: this.version.value, channel: this.channel.value, mandatory: this.mandatory.checked,
      ...(this.kind.value === 'plan' ? { plan: readPlan(this.plan.value) } : { percent: Number(this.percent.value) }),
      ...(this.moment.value ? { activeTime: new Date(this.moment.value).toISOString() } : {}),
    };
  }

  async review() {
    const request = this.request();
    const reach = request.plan ? `up to ${percent(finalPercent(request))}` : `${percent(request.percent)}`;
    const dialog = new Confirmation({
      title: `Release ${this.package.name} ${request.version} to ${reach} of ${request.channel}?`,
      confirm: `Release to ${reach}`,
      act: async () => {
        // A release has no revision before it exists: another dry run shows whether the statement still holds.
        const plan = await this.rehearse(request).catch((problem) => {
          // Without a response, or if the response asks for a retry, the statement holds.
          if (problem.status < 400 || problem.status >= 500 || problem.status === 401 || problem.status === 429) throw problem;
          return problem;
        });
        if (plan instanceof Error || neighbours(plan) !== stated) {
          await this.actions.changed();
          const problem = await describe();
          throw problem ?? new Problem('Other releases have changed since this was stated. Read it again, then confirm.');
        }
        return post(`${this.where}/releases`, request);
      },
    });
    /** The other releases in the statement; `null` while the dialog states nothing. */
    let stated = null;
    /** States the consequence; returns the problem if the release cannot be created. */
    const describe = async () => {
      const plan = await this.describe(request, dialog);
      stated = plan instanceof Error ? null : neighbours(plan);
      return plan instanceof Error ? plan : null;
    };
    dialog.state('Counting devices…');
    describe();
    const made = await dialog.open();
    if (!made) return null;
    this.clear();
    await this.actions.changed();
    return waiting(made) ?? outcome(made);
  }

  rehearse(request) {
    return ask(`${this.where}/releases?dryRun=1`, request);
  }

  /** States the consequence of a dry run, and returns its response, or the problem if the release cannot be created. */
  async describe(request, dialog) {
    dialog.setReady(false);
    const [reach, plan] = await Promise.all([
      ask(`${this.where}/audience-estimate`, request).then(reachSentence, (problem) => problem.message),
      this.rehearse(request).catch((problem) => problem),
    ]);
    if (plan instanceof Error) {
      dialog.state('This release cannot be made.');
      dialog.fail(plan);
      return plan;
    }
    dialog.state(
      isPrerelease(request.version) ? h('p', { class: 'notice soon' }, `${request.version} is a pre-release.`) : null,
      reach,
      `It takes effect ${moment(request.activeTime)}${request.plan ? `, by the plan ${planText(request.plan)}` : ''}.`,
      plan.shadows.length
        ? `For the devices that get it, it replaces ${this.names(plan.shadows)}.`
        : 'It replaces no other release on this channel.',
      plan.shadowedBy.length ? `It is replaced by ${this.names(plan.shadowedBy)}.` : null,
      request.mandatory ? 'Devices have to update before they open the package.' : null,
      ...plan.warnings,
      'To undo it, roll the release back: its devices then get an earlier version.');
    dialog.setReady(true);
    return plan;
  }

  /** Returns at most three other releases with version, number, audience and time, and the number of further ones. */
  names(others) {
    const known = new Map(this.releases.map((release) => [release.id, release]));
    const shown = others.slice(0, 3).map((other) => {
      const release = known.get(other.release);
      return `${other.version} (#${other.release}${release ? `, ${audience(release)}` : ''}, from ${localTime(other.from)} on)`;
    });
    const more = others.length - shown.length;
    return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
  }

  /** Removes the outcome of the last release, which a later action makes obsolete. */
  clearOutcome() {
    this.form.outcome.replaceChildren();
  }

  /** Clears the entries of the created release. */
  clear() {
    this.moment.value = '';
    this.mandatory.checked = false;
    this.percent.value = '';
    this.plan.value = '';
    this.kind.value = 'percent';
    this.showRollout();
    this.version.value = '';
    this.channel.value = '';
    this.prerelease.hidden = true;
  }
}

/** Returns the releases that the new release hides or that hide it by a dry run, as comparable text. */
function neighbours({ activeTime, createdAt, shadows, shadowedBy }) {
  // For a release that is active at once, the begin is a later instant in each dry run.
  const begin = Math.max(Date.parse(activeTime), Date.parse(createdAt));
  const facts = (other) => [other.release, Date.parse(other.from) <= begin ? 'at once' : other.from];
  return JSON.stringify([shadows.map(facts), shadowedBy.map(facts)]);
}

/** Fills a select below its prompt, and keeps the selected value if it still exists. */
function fill(select, values, prompt) {
  const before = select.value;
  select.replaceChildren(h('option', { value: '' }, prompt), ...values.map((value) => h('option', { value }, value)));
  select.value = values.includes(before) ? before : '';
}

/** The sentences on a created release by its state; another release may hide it from the beginning. */
const beginnings = {
  active: (made) => `Version ${made.version} is released on ${made.channel} to ${audience(made)}. Devices are notified now.`,
  scheduled: (made) => `Version ${made.version} will take effect on ${made.channel} at ${localTime(made.activeTime)}.`,
  superseded: (made) => `Version ${made.version} is released on ${made.channel}, but devices do not get it: a release of higher rank is active.`,
};

/** Returns the outcome of a created release, with the releases that hide it or that it hides. */
function outcome(made) {
  const begin = beginnings[made.state]?.(made) ?? `Version ${made.version} is released on ${made.channel}: ${made.state}.`;
  const lines = [
    ...made.shadows.map((other) => `It replaces ${other.version} (#${other.release}) from ${localTime(other.from)} on.`),
    ...made.shadowedBy.map((other) => `${other.version} (#${other.release}) replaces it from ${localTime(other.from)} on.`),
    ...(made.warnings ?? []),
  ];
  return h('div', null, h('p', null, begin), lines.length ? h('ul', null, lines.map((line) => h('li', null, line))) : null);
}
