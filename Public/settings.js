import { ask, Problem, putTagged } from './api.js';
import { Confirmation } from './dialog.js';
import { check, field, h } from './dom.js';
import { Form } from './form.js';
import { mayRelease, refusal } from './session.js';

const labels = { name: 'Name', urlPrefix: 'URL prefix', entry: 'Entry page', priority: 'Priority', enable: 'Updates' };

/** The settings of a package. */
export class SettingSection {
  /** @param actions `changed` is called after the settings were saved */
  constructor(where, actions) {
    this.where = where;
    this.actions = actions;
    this.name = h('input', { name: 'name', required: true, maxlength: 200, autocomplete: 'off' });
    this.prefix = h('input', { name: 'urlPrefix', required: true, autocomplete: 'off', spellcheck: 'false' });
    this.entry = h('input', { name: 'entry', autocomplete: 'off', spellcheck: 'false' });
    this.priority = h('input', {
      type: 'number', name: 'priority', required: true, min: -1_000_000, max: 1_000_000, step: 1,
    });
    this.enable = h('input', { type: 'checkbox', name: 'enable' });
    this.reserved = [h('span'), h('span')];
    this.form = new Form('Save settings', [
      h('div', { class: 'grid two' },
        field('Name', this.name),
        field('Priority', this.priority, ['Higher ones are downloaded first.', this.reserved[0]]),
        field('URL prefix', this.prefix, 'Applies to versions published from now on.'),
        field('Entry page', this.entry, 'Empty for none. Applies to versions published from now on.')),
      check('Updates are on', this.enable, ['Off, devices keep the version they have and get no other.', this.reserved[1]]),
    ], () => this.save());
    this.element = h('section', { class: 'card', 'aria-labelledby': 'settings-heading' },
      h('h2', { id: 'settings-heading' }, 'Settings'), this.form.element);
  }

  /**
   * Shows the current settings; an entry that differs from the settings shown before stays.
   *
   * @param tag the entity tag of the settings
   */
  show(settings, tag) {
    this.permit();
    const before = this.shown ?? settings;
    const entered = this.shown ? this.changes() : {};
    this.shown = settings;
    this.tag = tag;
    const isShown = (member) => !(member in entered);
    if (isShown('name')) this.name.value = settings.name;
    if (isShown('urlPrefix')) this.prefix.value = settings.urlPrefix;
    if (isShown('entry')) this.entry.value = settings.entry ?? '';
    if (isShown('priority')) this.priority.value = settings.priority;
    if (isShown('enable')) this.enable.checked = settings.enable;
    // An entry would replace a value that the operator has not seen before.
    if (Object.keys(entered).some((member) => settings[member] !== before[member] && settings[member] !== entered[member])) {
      this.form.fail(conflict(before, settings, entered));
    }
  }

  /** Returns the entries that differ from the shown settings, in the format of the API. */
  changes() {
    const entered = {
      name: this.name.value, urlPrefix: this.prefix.value, entry: this.entry.value || null,
      priority: this.priority.valueAsNumber, enable: this.enable.checked,
    };
    return Object.fromEntries(Object.entries(entered).filter(([member, value]) => value !== this.shown[member]));
  }

  /** Enables the fields that the token permits to change, and shows the reason at the others. */
  permit() {
    for (const control of [this.priority, this.enable]) control.disabled = !mayRelease();
    for (const reason of this.reserved) reason.textContent = mayRelease() ? '' : ` ${refusal('Changing it')}`;
  }

  /** Makes changes that turn updates on or off, after a dialog; returns `null` if the operator cancels. */
  async confirm(changes, tag) {
    const isOn = changes.enable;
    const others = Object.keys(changes).filter((member) => member !== 'enable').map((member) => labels[member]);
    let isStale = null;
    const stop = (problem) => {
      if (problem.status !== 412) throw problem;
      isStale = problem;
    };
    const dialog = new Confirmation({
      title: `Turn updates of ${this.shown.name} ${isOn ? 'on' : 'off'}?`,
      keep: isOn ? 'Keep them off' : 'Keep them on', confirm: isOn ? 'Turn on' : 'Turn off', isDanger: !isOn,
      act: () => putTagged(this.where, changes, tag).catch(stop),
    });
    dialog.state('Checking the effect of the change…');
    const state = async () => {
      try {
        const plan = await ask(`${this.where}?dryRun=1`, changes, 'PUT');
        dialog.state(
          isOn ? 'Devices get the releases of the package again.' : 'No device gets a release of the package while they are off.',
          plan.clients?.length ? h('div', null, h('p', null, 'By the client of a device:'),
            h('ul', null, plan.clients.map((client) => h('li', null, h('code', null, client.client), ` ${client.does}`)))) : null,
          others.length ? `Saved with it: ${others.join(', ')}.` : null,
          `To undo it, turn updates ${isOn ? 'off' : 'on'} again.`);
        dialog.setReady(true);
      } catch (problem) {
        dialog.state('The effect of the change is unknown.');
        dialog.fail(problem);
      }
    };
    state();
    const saved = await dialog.open();
    if (isStale) throw isStale;
    return saved;
  }

  async save() {
    const changes = this.changes();
    // These entries are of a former token with more permissions; a publisher may change the others.
    if (!mayRelease()) {
      delete changes.priority;
      delete changes.enable;
    }
    if (Object.keys(changes).length === 0) return 'The entries equal the settings: nothing is sent.';
    const before = this.shown;
    let saved;
    try {
      saved = changes.enable === undefined
        ? await putTagged(this.where, changes, this.tag) : await this.confirm(changes, this.tag);
      if (!saved) return null;
    } catch (problem) {
      if (problem.status !== 412 || !await this.actions.changed()) throw problem;
      throw conflict(before, this.shown, changes);
    }
    // The entries that were sent are saved now; the next refresh shows the values of the server.
    this.shown = { ...this.shown, ...changes };
    // The next save is based on this one, even if the refresh fails.
    this.tag = saved.tag;
    await this.actions.changed();
    return 'The settings are saved. Devices are notified now.';
  }
}

/** Returns the problem that lists the changes of other operators beside the entries. */
function conflict(before, now, entered) {
  const changed = Object.keys(labels).filter((member) => now[member] !== before[member]);
  const lines = changed.map((member) =>
    `${labels[member]}: ${text(now[member])} now${member in entered ? `, you entered ${text(entered[member])}` : ''}.`);
  return new Problem([
    'Someone else has changed the settings since you saw them.',
    ...(lines.length ? lines : ['This page does not show what was changed.']),
    'Your entries are not saved. Change them, or save again.',
  ].join(' '), { status: 412 });
}

function text(value) {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value === null ? 'none' : `“${value}”`;
}
