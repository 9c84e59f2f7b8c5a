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
 * What a device has: the version in use by package, all versions that it sent by package, and its reports, newest first.
 *
 * @typedef {{has: Object<string, string>, sent?: Object<string, string[]>, knowsHas: boolean, events?: any[]}} Device
 */

/**
 * Returns what a device should have, has and does about a package.
 *
 * @param {any} explained the package of an explanation
 * @param {Device} device
 * @returns {{kind: string, icon: string, key: string, event?: string}} the state as the key of a text and a colour
 */
function packageState(explained, device) {
  const { events = [] } = device;
  const has = device.has[explained.package];
  const wanted = explained.current?.version;
  if (!explained.enable) return { kind: 'warn', icon: 'pause', key: 'off' };
  if (!wanted) return { kind: '', icon: 'info', key: has ? 'not-offered' : 'none' };
  if (has === wanted) return { kind: 'good', icon: 'check', key: 'current' };
  const last = events.find((event) => event.package === explained.package && event.version === wanted);
  if (last && eventKind(last.event) === 'bad') return { kind: 'bad', icon: 'warning', key: 'failed', event: last.event };
  if (last?.event === 'downloaded' || device.sent?.[explained.package]?.includes(wanted)) return { kind: 'warn', icon: 'clock', key: 'downloaded' };
  return has ? { kind: 'info', icon: 'download', key: 'behind' } : { kind: 'info', icon: 'download', key: 'missing' };
}

/** Returns the badge of a package's state on a device. */
function stateOf(explained, device) {
  const { kind, icon, key, event } = packageState(explained, device);
  return badge(key === 'failed' ? eventName(event) : t(`devices.state-${key}`), kind, icon);
}

/** Returns why a release is refused; its times are in the viewer's zone. */
const reasonOf = ({ refusal, reason }) => refusalParts(refusal, reason, (instant) => timeTag(instant));

const isPlanned = ({ refusal }) => refusal?.code === 'not-yet';

/**
 * Returns the release of higher rank that best says why a device does not get a newer version.
 *
 * A release that has begun comes first, then one that was halted before it began, then the planned one that begins first.
 *
 * @param {any} explained
 * @returns {any} `undefined` if no release of higher rank is refused
 */
export function decidingRelease({ releases }) {
  const offered = releases.findIndex((each) => each.outcome === 'offered');
  const above = offered < 0 ? releases : releases.slice(0, offered);
  const [planned, begun] = [above.filter(isPlanned), above.filter((each) => !isPlanned(each))];
  const begins = (each) => Date.parse(each.refusal.activeTime);
  return begun.find((each) => each.refusal?.code !== 'never-began') ?? begun[0] ?? planned.sort((one, other) => begins(one) - begins(other))[0];
}

/**
 * Returns in one sentence why a device gets what it gets.
 *
 * @param {any} explained
 * @returns {any[]} texts and nodes
 */
export function reasonSentence(explained) {
  const { current } = explained;
  const version = current ? h('b', null, current.version) : '';
  if (!explained.enable) return tn('devices.why-off', { version });
  const refused = decidingRelease(explained);
  if (!refused) return current ? tn('devices.why', { version, release: current.release }) : tn('devices.why-none', {});
  const values = { version, other: refused.version, release: refused.release };
  if (isPlanned(refused)) return tn(current ? 'devices.why-newest' : 'devices.why-not-begun', { ...values, time: timeTag(refused.refusal.activeTime) });
  return tn(current ? 'devices.why-not' : 'devices.why-nothing', { ...values, reason: reasonOf(refused) });
}

/** The parts that show an explanation: the packages, and the releases of the selected one. */
export class ExplanationView {
  /**
   * @param {any} context
   * @param {{packages: any[], device: Device, channel: string, command: string}} options
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
    this.sorted = sortedPackages(packages, device);
    this.selected = packages.some((each) => each.package === wanted) ? wanted : this.sorted[0]?.package;
    this.show();
  }

  show() {
    const { sorted, device, packages } = this;
    this.list.setNote(device.knowsHas ? t('devices.packages-note', { n: packages.length, ...differences(packages, device) }) : t('devices.packages-count', { n: packages.length }));
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
    return [select, wanted, h('span', { class: 'muted' }, own ?? '–'), stateOf(each, device)];
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
    const deciding = decidingRelease(explained);
    const isNextNamed = explained.enable && deciding && isPlanned(deciding) && deciding.version === explained.next?.version;
    const verdict = notice(this.getsNewestBegun(explained) ? 'good' : 'info', h('p', null, reasonSentence(explained)),
      this.device.knowsHas ? h('p', { class: 'small' }, this.hasSentence(explained, own)) : null,
      explained.next && !isNextNamed ? h('p', { class: 'small' }, t('devices.then', { version: explained.next.version, time: dateTime(explained.next.activeTime) })) : null);
    const asked = askedRelease(this.context);
    const isGone = asked && asked.package === explained.package && !explained.releases.some((each) => String(each.release) === asked.release);
    this.trace.setBody(verdict, isGone ? h('p', null, t('devices.asked-gone', { release: asked.release })) : null, explained.releases.length ? h('ul', { class: 'list' }, explained.releases.map((each) => this.release(explained, each))) : null);
  }

  /** Returns whether the device gets the newest version that has begun. */
  getsNewestBegun(explained) {
    const refused = decidingRelease(explained);
    return explained.enable && explained.current && (!refused || isPlanned(refused));
  }

  hasSentence(explained, own) {
    if (!own) return t('devices.has-none');
    return own === explained.current?.version ? t('devices.has-same') : t('devices.has-other', { version: own });
  }

  release(explained, each) {
    const looks = { planned: ['clock', ''], offered: ['check', 'good'], refused: ['cross', ''], hidden: ['layers', ''] };
    const outcome = isPlanned(each) ? 'planned' : each.outcome;
    const [icon, kind] = looks[outcome] ?? ['info', ''];
    const reason = each.outcome === 'offered' ? t('devices.offered-text') : each.outcome === 'hidden' ? t('devices.hidden-text') : reasonOf(each);
    const href = this.context.href(`releases/${explained.package}/${each.release}`).replace(`/${encodeURIComponent(this.context.channel)}/`, `/${encodeURIComponent(this.channel)}/`);
    const asked = askedRelease(this.context);
    const isAsked = asked && asked.package === explained.package && asked.release === String(each.release);
    return h('li', { class: isAsked ? 'selected' : null }, mark(icon, kind), h('div', { class: 'grow' },
      h('p', null, h('a', { href }, t('devices.release', { version: each.version, release: each.release })), ' ', badge(t(`devices.outcome-${outcome}`), kind),
        isAsked ? [' ', badge(t('devices.asked'), 'info')] : null),
      h('p', { class: 'small muted' }, reason),
      each.verdict?.note ? h('p', { class: 'small muted' }, t('devices.health', { note: verdictText(each.verdict) })) : null));
  }
}

/** What a device does with a package, from what deserves attention least. */
const differencesInOrder = ['none', 'missing', 'same', 'differs', 'downloaded', 'failed'];

/** Returns which of `differencesInOrder` applies to a package. */
function differenceOf(explained, device) {
  const { key } = packageState(explained, device);
  const own = device.has[explained.package];
  if (key === 'failed' || key === 'downloaded') return key;
  if (!own) return key === 'missing' ? 'missing' : 'none';
  return own === explained.current?.version ? 'same' : 'differs';
}

/** Returns the packages in the order of the list, the first of which is open. */
export function sortedPackages(packages, device) {
  const weight = (explained) => (device.knowsHas ? differencesInOrder.indexOf(differenceOf(explained, device))
    : Number(explained.releases.some((each) => each.outcome === 'refused')));
  return [...packages].sort((one, other) => weight(other) - weight(one) || (one.package < other.package ? -1 : 1));
}

/** Returns the numbers of packages that differ on the device, and of those that it has still to install. */
export function differences(packages, device) {
  const all = packages.map((each) => differenceOf(each, device));
  return { differ: all.filter((each) => ['differs', 'downloaded', 'failed'].includes(each)).length, missing: all.filter((each) => each === 'missing').length };
}

/** Returns the command line that explains the same. */
export function explainCommand(context, { channel, at, ...facts }) {
  const quote = (text) => (/^[\w@.,:=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const given = Object.entries(facts).filter(([, value]) => value).map(([name, value]) => quote(`${name}=${value}`));
  return ['larder explain', ...given, '--app', context.app, '--channel', channel, ...at ? ['--at', at] : []].join(' ');
}

/** Returns the version in use by package: the first that the device sent, or else what it reported. */
export function versionsInUse(sent, installed = {}) {
  const has = Object.fromEntries(Object.entries(installed).map(([id, each]) => [id, each.version]));
  for (const [id, [first]] of Object.entries(sent ?? {})) has[id] = first;
  return has;
}
