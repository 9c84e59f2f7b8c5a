import { empty, h, table } from './dom.js';
import { number } from './format.js';
import { Pager } from './pager.js';

/** The usual events in the order in which a device reports them; other events follow. */
const usual = [
  'downloadStarted', 'downloaded', 'downloadFailed', 'verifyFailed', 'applied', 'applyFailed', 'fellBack', 'activated',
  'opened', 'pageLoad', 'resourceMissing', 'whiteScreen', 'scriptError', 'crash', 'failed', 'rolledBack', 'configFailed',
  'custom',
];

/** Returns the section with the reported events by version. */
export function statsSection(versions) {
  const names = Object.keys(versions);
  const content = names.length
    ? statsTable(names, versions)
    : empty('No device has reported yet. Apps send their events to POST /report.');
  return h('section', { class: 'card', 'aria-labelledby': 'stats-heading' },
    h('h2', { id: 'stats-heading' }, 'Reports'), content);
}

function statsTable(names, versions) {
  const seen = new Set(names.flatMap((name) => Object.keys(versions[name])));
  const events = [...usual.filter((event) => seen.has(event)), ...[...seen].filter((event) => !usual.includes(event)).sort()];
  const rows = names.map((name) => [
    h('strong', null, name),
    ...events.map((event) => cell(versions[name][event])),
  ]);
  const pager = new Pager('versions with reports', (page) => table('Devices and reports by version and event', ['Version', ...events], page));
  pager.show(rows);
  return pager.element;
}

function cell(count) {
  if (!count) return h('span', { class: 'muted' }, '–');
  return [
    `${number(count.devices)} ${count.devices === 1 ? 'device' : 'devices'}`,
    h('div', { class: 'muted' }, `${number(count.reports)} ${count.reports === 1 ? 'report' : 'reports'}`),
  ];
}
