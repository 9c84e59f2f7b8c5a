import { api } from '../../api/client.js';
import { facts, tiles } from '../../elements/facts.js';
import { badge, button, dialog, h, notice, toast } from '../../elements/index.js';
import { progress } from '../../elements/progress.js';
import { table } from '../../elements/table.js';
import { timeTag } from '../../elements/time.js';
import { livePanel } from '../../elements/live.js';
import { roleWall } from '../../elements/role-wall.js';
import { number, percent, sentences, t } from '../../i18n/index.js';
import { bytes } from '../../i18n/sizes.js';
import { duration } from '../../i18n/times.js';
import { daysLeft, warningDays } from '../parts/certificate.js';

/** The word that has to be typed before versions are removed. */
const pruneWord = 'prune';

/** The time in milliseconds after which the state of the server is read again. */
const refreshTime = 15_000;

/** The share of the disk in use from which it counts as nearly full. */
const nearlyFull = 0.9;

/** The difference between the clocks of the server and the browser in seconds that is worth a warning. */
const clockTolerance = 30;

/** The versions and archives that a list shows. */
const shownItems = 100;

/** Opens the tab with the state of the server, for its admins. */
export async function open(context) {
  const wall = roleWall(context, 'admin', {});
  if (wall) return { title: t('settings.tab-system'), content: [wall] };
  /** One request serves all panels that are loaded at once. */
  let reading;
  const load = (signal) => {
    reading ??= readState(signal).finally(() => { reading = undefined; });
    return reading;
  };

  const health = livePanel(context, { title: t('settings.server'), rows: 3, every: refreshTime, load, render: (state) => healthView(state) });
  const storage = livePanel(context, {
    title: t('settings.storage'), rows: 3, every: refreshTime, load,
    actions: [button(t('settings.prune'), { icon: 'trash', small: true, onclick: () => prune(storage) })],
    render: (state) => storageView(state),
  });
  const limits = livePanel(context, {
    title: t('settings.limits'), note: t('settings.limits-note'), rows: 6, load,
    render: (state) => table({
      caption: t('settings.limits'), dense: true,
      columns: [{ label: t('settings.setting') }, { label: t('settings.value'), numeric: true }],
      rows: state.limits.map((limit) => ({ cells: [h('code', null, `--${limit.name}`), limitText(limit)] })),
    }),
  });
  return { title: t('settings.tab-system'), sub: t('settings.system-text'), content: [health, storage, limits] };
}

/** Reads the state of the server, and how far the browser's clock is from the server's. */
async function readState(signal) {
  const before = Date.now();
  const state = await api.get('system', { signal });
  return { ...state, skew: (new Date(state.now).getTime() - (before + Date.now()) / 2) / 1000 };
}

function healthView({ version, startedAt, now, skew, database, devicesSeen, connections, spooledReports, node, certificate }) {
  const uptime = (new Date(now).getTime() - new Date(startedAt).getTime()) / 1000;
  return [
    Math.abs(skew) > clockTolerance ? notice('warn', t('settings.clock-off', { time: duration(Math.abs(skew)) })) : null,
    node && !node.connected ? notice('bad', t('settings.node-lost')) : null,
    tiles([
      { label: t('settings.version'), value: version, note: t('settings.uptime', { time: duration(uptime) }) },
      { label: t('settings.devices-seen'), value: number(devicesSeen.devices), note: t('settings.of-limit', { limit: number(devicesSeen.limit) }) },
      { label: t('settings.connections'), value: number(connections.open), note: t('settings.waiting', { n: connections.waiting, limit: connections.waitingLimit }) },
      { label: t('settings.spooled'), value: number(spooledReports?.reports ?? 0), note: spooledReports ? bytes(spooledReports.bytes) : t('settings.no-spool') },
    ]),
    facts([
      [t('settings.started'), timeTag(startedAt)], [t('settings.clock'), h('span', null, timeTag(now), ' ', badge(Math.abs(skew) > clockTolerance ? t('settings.differs') : t('settings.agrees'),
        Math.abs(skew) > clockTolerance ? 'warn' : 'good', 'clock'))],
      [t('settings.database'), t('settings.database-kind', { kind: database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL', schema: String(database.schema) })],
      [t('settings.snapshot'), database.snapshotAge > 0 ? badge(t('settings.snapshot-age', { time: duration(database.snapshotAge) }), 'warn', 'warning') : badge(t('settings.current'), 'good', 'check')],
      certificate ? [t('settings.certificate'), h('span', null, timeTag(certificate.expiresAt), ' ',
        daysLeft(certificate, now) < warningDays ? badge(t('settings.expires-soon'), 'bad', 'warning') : null)] : null,
      devicesSeen.dropped ? [t('settings.dropped'), badge(number(devicesSeen.dropped), 'warn', 'warning')] : null,
      node ? [t('settings.node'), t(node.leaseHeld ? 'settings.node-works' : 'settings.node-serves')] : null,
    ]),
  ].filter(Boolean);
}

function storageView({ data, blobs, blobCache }) {
  if (!data) return h('p', { class: 'ink3' }, t('settings.storage-unknown'));
  const used = data.totalBytes > 0 ? 1 - data.freeBytes / data.totalBytes : 0;
  const text = t('settings.disk', { free: bytes(data.freeBytes), total: bytes(data.totalBytes), percent: percent(used * 100) });
  return h('div', { class: 'stack' },
    used > nearlyFull ? notice('bad', t('settings.disk-full')) : null,
    progress(used, { label: text, kind: used > nearlyFull ? 'bad' : 'good', thick: true }), h('p', { class: 'ink2' }, text),
    facts([[t('settings.data-folder'), h('code', null, data.path)],
      [t('settings.blobs'), t('settings.blob-cache-text', { n: blobs.files, size: bytes(blobs.bytes) })],
      blobCache ? [t('settings.blob-cache'), t('settings.blob-cache-text', { n: blobCache.files, size: bytes(blobCache.bytes) })] : null]));
}

function limitText({ value, unit }) {
  if (value === 0) return number(0);
  if (unit === 'bytes') return bytes(value);
  if (unit === 'seconds') return duration(value);
  if (unit === 'hours') return duration(value * 3_600);
  if (unit === 'days') return duration(value * 86_400);
  return unit === 'per second' ? t('settings.per-second', { n: value }) : number(value);
}

/** Shows what a removal would remove, and removes it once the word was typed. */
async function prune(storage) {
  const removed = await dialog({
    title: t('settings.prune-title'), confirm: t('settings.prune-do'), kind: 'danger-fill', requireName: pruneWord, wide: true,
    load: async (signal) => {
      const { value } = await api.send('POST', 'prune', undefined, { dryRun: true, signal });
      return pruneView(value);
    },
    act: async () => (await api.send('POST', 'prune')).value,
  });
  if (!removed) return;
  storage.reload();
  const text = t('settings.pruned', { versions: removed.versions, archives: removed.archives, size: bytes(removed.bytes) });
  const rest = [removed.more ? t('settings.prune-more') : '', removed.heldByBackup ? t('settings.prune-held') : '', ...removed.failures].filter(Boolean);
  toast(sentences(text, ...rest).join(''), { kind: rest.length ? 'warn' : 'good' });
}

function pruneView({ versions, archives, blobs, bytes: size, items, unlisted, heldByBackup, skippedApps }) {
  if (versions + archives + blobs === 0) return h('p', null, t('settings.prune-nothing'));
  return h('div', { class: 'stack' },
    h('p', null, t('settings.prune-text', { versions, archives, size: bytes(size) })),
    heldByBackup ? notice('warn', t('settings.prune-held')) : null,
    skippedApps.length ? notice('warn', t('settings.prune-skipped', { apps: skippedApps.join(', ') })) : null,
    items.length ? table({
      caption: t('settings.prune-title'), dense: true,
      columns: [{ label: t('settings.package') }, { label: t('settings.kind') }, { label: t('settings.reason') }, { label: t('settings.size'), numeric: true }],
      rows: items.slice(0, shownItems).map((item) => ({ cells: [
        `${item.app} / ${item.package} ${item.version}`, item.from ? t('settings.prune-from', { kind: item.kind, from: item.from }) : item.kind,
        t(`settings.prune-${item.reason}`), bytes(item.archiveBytes),
      ] })),
    }) : null,
    unlisted ? h('p', { class: 'ink3' }, t('settings.prune-unlisted', { n: unlisted })) : null);
}
