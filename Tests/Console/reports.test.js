import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportsByKind } from '../../Public/pages/reports/charts.js';
import { compareVersions, outlier, rates, totals } from '../../Public/pages/reports/data.js';

const row = (version, event, devices, more = {}) => ({ version, event, devices, reports: devices, start: '2026-11-24T00:00:00Z', ...more });

test('The failures of a version are those of the devices that opened it', () => {
  const [entry] = totals([row('1.0', 'opened', 200), row('1.0', 'whiteScreen', 3), row('1.0', 'downloadFailed', 1), row('1.0', 'verifyFailed', 2), row('1.0', 'downloaded', 250)], 'version');
  assert.equal(entry.opened, 200);
  assert.deepEqual(entry.kinds, { whiteScreen: 3, download: 3 });
  assert.equal(entry.rate, 3);
});

test('A version that no device opened has no rate', () => {
  assert.equal(totals([row('1.0', 'downloadFailed', 9)], 'version')[0].rate, null);
});

test('A time without reports is a gap in the line of a version', () => {
  const lines = rates([row('1.0', 'opened', 100), row('2.0', 'opened', 10, { start: '2026-11-25T00:00:00Z' }), row('2.0', 'crash', 1, { start: '2026-11-25T00:00:00Z' })], 'version');
  assert.deepEqual(lines.get('1.0'), [['2026-11-24T00:00:00Z', 0], ['2026-11-25T00:00:00Z', null]]);
  assert.deepEqual(lines.get('2.0'), [['2026-11-24T00:00:00Z', null], ['2026-11-25T00:00:00Z', 10]]);
});

test('Reports of a kind are summed over the versions', () => {
  const kinds = reportsByKind([row('1.0', 'crash', 2), row('2.0', 'crash', 3), row('2.0', 'opened', 50)]);
  assert.deepEqual([...kinds], [['crash', [['2026-11-24T00:00:00Z', 5]]]]);
});

test('A version stands out from twice the failures of the others on, if enough devices opened it', () => {
  const entries = (failures) => totals([row('1.0', 'opened', 1000), row('1.0', 'crash', 10), row('2.0', 'opened', 100), row('2.0', 'crash', failures)], 'version');
  assert.equal(outlier(entries(3))?.name, '2.0');
  assert.equal(outlier(entries(1)), null);
  assert.equal(outlier(entries(3), 200), null);
});

test('Versions are in the order of their numbers, the newest first', () => {
  assert.deepEqual(['3.9.0', '3.12.0', '3.10.1'].sort(compareVersions), ['3.12.0', '3.10.1', '3.9.0']);
});
