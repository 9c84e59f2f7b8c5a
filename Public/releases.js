import { post } from './api.js';
import { check, empty, field, h, table } from './dom.js';
import { Form } from './form.js';
import { localTime, time } from './format.js';

const stateClasses = { active: 'tag good', completed: 'tag good', paused: 'tag soon', scheduled: 'tag soon' };

/** Which version is offered where and from when, and the form that offers one. */
export class ReleaseSection {
  /** @param actions `changed` is called after a release was made */
  constructor(where, actions) {
    this.where = where;
    this.actions = actions;
    this.list = h('div');
    this.hint = empty('A version has to be published, and not retired, before it can be released.');
    this.makeForm();
    this.element = h('section', { class: 'card', 'aria-labelledby': 'releases-heading' },
      h('h2', { id: 'releases-heading' }, 'Releases'), this.list,
      h('h3', null, 'Make a release'), this.hint, this.form.element);
  }

  show({ releases, versions, channels }) {
    const offered = versions.filter((item) => !item.retired);
    this.hint.hidden = offered.length > 0;
    this.form.element.hidden = offered.length === 0;
    this.fillVersions(offered.map((item) => item.version));
    fill(this.channel, channels, 'production');
    this.list.replaceChildren(releases.length
      ? releaseTable(releases)
      : empty('Nothing is released: devices get no version of this package yet.'));
  }

  /** The newest one is offered as soon as there is one that was not there before; else the chosen one stays. */
  fillVersions(names) {
    const before = new Set([...this.version.options].map((option) => option.value));
    fill(this.version, names);
    if (names.some((name) => !before.has(name))) this.version.value = names[0];
  }

  /** Fills in a version and goes to the form. */
  choose(version) {
    this.version.value = version;
    this.form.element.scrollIntoView({ block: 'center' });
    this.version.focus();
  }

  makeForm() {
    this.version = h('select', { name: 'version', required: true });
    this.channel = h('select', { name: 'channel', required: true });
    const moment = h('input', { type: 'datetime-local', name: 'activeTime' });
    const mandatory = h('input', { type: 'checkbox', name: 'mandatory' });
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    this.form = new Form('Release', [
      h('div', { class: 'grid' },
        field('Version to offer', this.version),
        field('Channel', this.channel),
        field('Takes effect', moment,
          `Left empty, at once. In your time (${zone}); devices download ahead and switch at that moment.`)),
      check('Mandatory', mandatory, 'Whoever has an older version updates before the package opens.'),
    ], async () => {
      const made = await post(`${this.where}/releases`, {
        version: this.version.value, channel: this.channel.value, mandatory: mandatory.checked,
        ...(moment.value ? { activeTime: new Date(moment.value).toISOString() } : {}),
      });
      moment.value = '';
      mandatory.checked = false;
      await this.actions.changed();
      return outcome(made);
    });
  }
}

/** Options of a select; the chosen one stays if it is still there. */
function fill(select, values, preferred) {
  const before = select.value;
  select.replaceChildren(...values.map((value) => h('option', { value }, value)));
  if (values.includes(before)) select.value = before;
  else if (values.includes(preferred)) select.value = preferred;
}

function releaseTable(releases) {
  const byRank = [...releases].sort((a, b) => b.rank - a.rank);
  const rows = byRank.map((release) => [
    `#${release.id}`,
    h('strong', null, release.version),
    release.channel,
    h('span', { class: stateClasses[release.state] ?? 'tag' }, release.state),
    `${release.percent} %`,
    time(release.activeTime),
    release.mandatory ? 'yes' : 'no',
  ]);
  return h('div', null,
    h('p', { class: 'hint' }, 'By rank: of a channel a device gets the topmost one that has taken effect and that it is in.'),
    table('Releases by rank, the highest first',
      ['Release', 'Version', 'Channel', 'State', 'Of devices', 'Takes effect', 'Mandatory'], rows));
}

/** What was made, by the state it is in; another release may hide it from its first moment on. */
const beginnings = {
  active: (made) => `Version ${made.version} is released on ${made.channel}. Devices are told now.`,
  scheduled: (made) => `Version ${made.version} will take effect on ${made.channel} at ${localTime(made.activeTime)}.`,
  superseded: (made) => `Version ${made.version} is released on ${made.channel}, but devices do not get it: a release of higher rank is active.`,
};

/** What was made, and which releases hide it or are hidden by it. */
function outcome(made) {
  const begin = beginnings[made.state](made);
  const lines = [
    ...made.shadows.map((other) => `It takes the place of ${other.version} (#${other.release}) from ${localTime(other.from)} on.`),
    ...made.shadowedBy.map((other) => `${other.version} (#${other.release}) takes its place from ${localTime(other.from)} on.`),
  ];
  return h('div', null, h('p', null, begin), lines.length ? h('ul', null, lines.map((line) => h('li', null, line))) : null);
}
