import { copyButton } from '../../elements/copy.js';
import { badge, button, emptyState, h, mark, notice, panel } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { timeTag } from '../../elements/time.js';
import { dateTime, t, tn } from '../../i18n/index.js';
import { eventKind, eventName } from '../parts/events.js';
import { verdictText } from '../release/text.js';
import { askedRelease } from './recent.js';
import { refusalParts } from '../parts/refusal.js';

/** Returns the rows of the list of packages before `All`: few where the releases follow below the list. */
const shownPackages = () => (matchMedia('(max-width: 759px)').matches ? 4 : 12);

/**
 * Returns what a device should have, has and does about a package.
 *
 * @param {any} explained the package of an explanation
 * @param {{has?: string, events?: any[]}} device what the device has, and its reports, newest first
 * @returns {{kind: string, icon: string, key: string, event?: string}} the state as the key of a text and a colour
 */
function packageState(explained, { has, events = [] }) {
  const wanted = explained.current?.version;
  if (!explained.enable) return { kind: 'warn', icon: 'pause', key: 'off' };
  if (!wanted) return { kind: '', icon: 'info', key: has ? 'not-offered' : 'none' };
  if (has === wanted) return { kind: 'good', icon: 'check', key: 'current' };
  const last = events.find((event) => event.package === explained.package && event.version === wanted);
  if (last && eventKind(last.event) === 'bad') return { kind: 'bad', icon: 'warning', key: 'failed', event: last.event };
  if (last?.event === 'downloaded') return { kind: 'warn', icon: 'clock', key: 'downloaded' };
  return has ? { kind: 'info', icon: 'download', key: 'behind' } : { kind: 'info', icon: 'download', key: 'missing' };
}

/** Returns the badge of a package's state on a device. */
function stateOf(explained, device) {
  const { kind, icon, key, event } = packageState(explained, device);
  return badge(key === 'failed' ? eventName(event) : t(`devices.state-${key}`), kind, icon);
}

/** Returns why a release is refused; its times are in the viewer's zone. */
const reasonOf = ({ refusal, reason }) => refusalParts(refusal, reason, (instant) => timeTag(instant));

/**
 * Returns in one sentence why a device gets what it gets.
 *
 * @param {any} explained
 * @returns {any[]} texts and nodes
 */
function reasonSentence(explained) {
  const { current, releases } = explained;
  const version = current ? h('b', null, current.version) : '';
  if (!explained.enable) return tn('devices.why-off', { version });
  const refused = releases.find((each) => each.outcome === 'refused');
  if (!current) return refused ? tn('devices.why-nothing', { other: refused.version, release: refused.release, reason: reasonOf(refused) }) : tn('devices.why-none', {});
  const isAbove = refused && releases.indexOf(refused) < releases.findIndex((each) => each.outcome === 'offered');
  if (isAbove) return tn('devices.why-not', { version, other: refused.version, release: refused.release, reason: reasonOf(refused) });
  return tn('devices.why', { version, release: current.release });
}

/** The parts that show an explanation: the packages, and the releases of the selected one. */
export class ExplanationView {
  /**
   * @param {any} context
   * @param {{packages: any[], device: {has: Object<string, string>, knowsHas: boolean, events?: any[]}, channel: string,
   *   command: string}} options
   */
  constructor(context, { packages, device, channel, command }) {
    this.context = context;
    this.packages = packages;
    this.device = device;
    this.channel = channel;
    this.command = command;
    /** @type {((id: string) => void) | undefined} */
    this.onSelect = undefined;
    this.isAll = false;
    this.list = panel({ title: t('devices.packages') });
    this.trace = panel({ title: '–', actions: [copyButton(command, { label: t('devices.copy-command'), small: true })] });
    /** The column beside the list, which is often taller than the trace. */
    this.beside = h('div', null, this.trace);
    this.element = h('div', { class: 'columns even' }, h('div', null, this.list), this.beside);
    const wanted = context.query.get('package');
    this.sorted = [...packages].sort((one, other) => weight(other, device) - weight(one, device) || (one.package < other.package ? -1 : 1));
    this.selected = packages.some((each) => each.package === wanted) ? wanted : this.sorted[0]?.package;
    this.show();
  }

  show() {
    const { sorted, device, packages } = this;
    const differ = packages.filter((each) => weight(each, device) > 0).length;
    this.list.setNote(device.knowsHas ? t('devices.packages-note', { n: packages.length, differ }) : t('devices.packages-count', { n: packages.length }));
    if (!packages.length) {
      this.list.setBody(emptyState({ icon: 'box', title: t('devices.no-packages'), text: t('devices.no-packages-text', { channel: this.channel }) }));
      return this.trace.setAttribute('hidden', '');
    }
    const most = shownPackages();
    const shown = this.isAll ? sorted : sorted.filter((each, index) => index < most || each.package === this.selected);
    this.list.setBody(table({
      caption: t('devices.packages'), dense: true,
      columns: [{ label: t('devices.package') }, { label: t('devices.should'), numeric: true },
        ...device.knowsHas ? [{ label: t('devices.has'), numeric: true }, { label: t('devices.state') }] : [{ label: t('devices.next'), numeric: true }]],
      rows: shown.map((each) => ({ key: each.package, selected: each.package === this.selected, cells: this.cells(each) })),
    }));
    this.list.setFooter(sorted.length > most ? [
      h('span', null, this.isAll ? '' : t('devices.shown', { shown: shown.length, n: sorted.length })),
      button(this.isAll ? t('devices.fewer') : t('devices.all'), { kind: 'quiet', small: true, 'data-key': 'all', onclick: () => { this.isAll = !this.isAll; this.show(); } }),
    ] : null);
    this.showTrace(packages.find((each) => each.package === this.selected));
    return undefined;
  }

  cells(each) {
    const { device } = this;
    const select = h('button', { type: 'button', class: 'link strong row-link', 'data-key': `package-${each.package}`, onclick: () => this.select(each.package) }, each.package);
    const own = device.has[each.package];
    const wanted = each.current?.version ?? '–';
    if (!device.knowsHas) return [select, wanted, each.next ? h('span', { title: dateTime(each.next.activeTime) }, each.next.version) : '–'];
    return [select, wanted, h('span', { class: 'muted' }, own ?? '–'), stateOf(each, { has: own, events: device.events })];
  }

  select(id) {
    this.selected = id;
    this.context.setQuery({ package: id, release: null }, { reload: false });
    this.show();
    this.list.querySelector(`[data-key="package-${CSS.escape(id)}"]`)?.focus();
    this.onSelect?.(id);
  }

  showTrace(explained) {
    if (!explained) return;
    const own = this.device.has[explained.package];
    this.trace.querySelector('h2').textContent = explained.package;
    this.trace.setFooter(h('a', { href: this.context.href(`packages/${explained.package}`) }, t('devices.open-package')));
    const verdict = notice(explained.current ? 'good' : 'info', h('p', null, reasonSentence(explained)),
      this.device.knowsHas ? h('p', { class: 'small' }, this.hasSentence(explained, own)) : null,
      explained.next ? h('p', { class: 'small' }, t('devices.then', { version: explained.next.version, time: dateTime(explained.next.activeTime) })) : null);
    const asked = askedRelease(this.context);
    const isGone = asked && asked.package === explained.package && !explained.releases.some((each) => String(each.release) === asked.release);
    this.trace.setBody(verdict, isGone ? h('p', null, t('devices.asked-gone', { release: asked.release })) : null, explained.releases.length ? h('ul', { class: 'list' }, explained.releases.map((each) => this.release(explained, each))) : null);
  }

  hasSentence(explained, own) {
    if (!own) return t('devices.has-none');
    return own === explained.current?.version ? t('devices.has-same') : t('devices.has-other', { version: own });
  }

  release(explained, each) {
    const looks = { offered: ['check', 'good'], refused: ['cross', ''], hidden: ['layers', ''] };
    const [icon, kind] = looks[each.outcome] ?? ['info', ''];
    const reason = each.outcome === 'offered' ? t('devices.offered-text') : each.outcome === 'hidden' ? t('devices.hidden-text') : reasonOf(each);
    const href = this.context.href(`releases/${explained.package}/${each.release}`).replace(`/${encodeURIComponent(this.context.channel)}/`, `/${encodeURIComponent(this.channel)}/`);
    const asked = askedRelease(this.context);
    const isAsked = asked && asked.package === explained.package && asked.release === String(each.release);
    return h('li', { class: isAsked ? 'selected' : null }, mark(icon, kind), h('div', { class: 'grow' },
      h('p', null, h('a', { href }, t('devices.release', { version: each.version, release: each.release })), ' ', badge(t(`devices.outcome-${each.outcome}`), kind),
        isAsked ? [' ', badge(t('devices.asked'), 'info')] : null),
      h('p', { class: 'small muted' }, reason),
      each.verdict?.note ? h('p', { class: 'small muted' }, t('devices.health', { note: verdictText(each.verdict) })) : null));
  }
}

/** Returns how much a package deserves attention: a failure first, then other differences, then refused releases. */
function weight(explained, device) {
  if (!device.knowsHas) return explained.releases.some((each) => each.outcome === 'refused') ? 1 : 0;
  const { key } = packageState(explained, { has: device.has[explained.package], events: device.events });
  return { failed: 4, off: 3, downloaded: 3, behind: 2 }[key] ?? 0;
}

/** Returns the command line that explains the same. */
export function explainCommand(context, { channel, at, ...facts }) {
  const quote = (text) => (/^[\w@.,:=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const given = Object.entries(facts).filter(([, value]) => value).map(([name, value]) => quote(`${name}=${value}`));
  return ['larder explain', ...given, '--app', context.app, '--channel', channel, ...at ? ['--at', at] : []].join(' ');
}

/** Returns the versions that a device has, by package, from what it sent or reported. */
export function versionsOf(seen, installed = {}) {
  const has = Object.fromEntries(Object.entries(installed).map(([id, each]) => [id, each.version]));
  for (const [id, versions] of Object.entries(seen?.have ?? {})) has[id] = versions.at(-1);
  return has;
}
