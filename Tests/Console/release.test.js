import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { find } from './browser.js';

const { planSteps } = await import('../../Public/pages/release/plan.js');
const { chartStart } = await import('../../Public/pages/release/statistics.js');
const { appliedSeries, failureSeries, shareWithInterval } = await import('../../Public/pages/release/series.js');
const { downloadRates, slotsEnd } = await import('../../Public/pages/release/downloads.js');
const { sharesBy } = await import('../../Public/pages/release/common.js');
const { advancesOf, isAbout } = await import('../../Public/pages/release/history.js');
const { byWeakness } = await import('../../Public/pages/release-set.js');
const { consequencesOf } = await import('../../Public/pages/release/consequences.js');
const { shownAction } = await import('../../Public/pages/release/subject.js');
const { stateName } = await import('../../Public/elements/state-badge.js');
const { h } = await import('../../Public/elements/index.js');
const { useCatalogue } = await import('../../Public/i18n/index.js');

useCatalogue('en', JSON.parse(readFileSync(new URL('../../Public/i18n/en.json', import.meta.url), 'utf8')));

const plan = [{ percent: 1, after: '0s' }, { percent: 10, after: '2h' }, { percent: 100, after: '26h' }];
const activeTime = '2026-11-24T01:00:00Z';

test('The steps after the next one keep their distance from it', () => {
  const steps = planSteps({ plan, activeTime, percent: 1, state: 'active', nextStepAt: '2026-11-24T04:00:00Z' }, [], Date.parse('2026-11-24T02:30:00Z'));
  assert.deepEqual(steps.map((step) => step.state), ['current', 'next', 'next']);
  assert.equal(new Date(steps[2].plannedAt).toISOString(), '2026-11-25T04:00:00.000Z');
  assert.equal(steps[0].share, 0.5);
});

test('A step that waits for the verdict has no time', () => {
  const steps = planSteps({ plan, activeTime, percent: 10, state: 'active' }, [{ percent: 10, time: '2026-11-24T03:00:00Z' }]);
  assert.deepEqual(steps.map((step) => step.state), ['done', 'current', 'next']);
  assert.equal(steps[1].begunAt, Date.parse('2026-11-24T03:00:00Z'));
  assert.equal(steps[2].isWaiting, true);
});

test('A step that waits for the verdict has the time from which it follows, until that has passed', () => {
  const release = { plan, activeTime, percent: 10, state: 'active', nextStepFrom: '2026-11-25T03:00:00Z' };
  const [early, late] = ['2026-11-24T05:00:00Z', '2026-11-25T04:00:00Z'].map((now) => planSteps(release, [], Date.parse(now))[2]);
  assert.deepEqual([early.plannedAt, early.isWaiting], [Date.parse(release.nextStepFrom), false]);
  assert.deepEqual([late.plannedAt, late.isWaiting], [null, true]);
});

test('A planned release begins its steps after its activeTime', () => {
  const steps = planSteps({ plan, activeTime, percent: 1, state: 'scheduled' });
  assert.deepEqual(steps.map((step) => step.state), ['next', 'next', 'next']);
  assert.equal(new Date(steps[1].plannedAt).toISOString(), '2026-11-24T03:00:00.000Z');
});

test('A step without rules comes after the one of the same percentage', () => {
  const beyond = [{ percent: 100, after: '0s' }, { percent: 100, after: '2h', withoutRules: true }];
  const rules = [{ fact: 'region', in: ['CN'] }];
  const before = planSteps({ plan: beyond, activeTime, percent: 100, rules, state: 'active', nextStepAt: '2026-11-24T03:00:00Z' });
  assert.deepEqual(before.map((step) => [step.state, step.isLatest]), [['current', true], ['next', false]]);
  const advances = [{ percent: 100, withoutRules: true, time: '2026-11-24T03:30:00Z' }];
  const after = planSteps({ plan: beyond, activeTime, percent: 100, state: 'completed' }, advances);
  assert.deepEqual(after.map((step) => [step.state, step.isLatest]), [['done', false], ['done', true]]);
  assert.deepEqual(after.map((step) => step.begunAt), [Date.parse(activeTime), Date.parse('2026-11-24T03:30:00Z')]);
});

test('The time at which an operator dropped the rules and widened is that of the step', () => {
  const advances = [{ percent: 50, withoutRules: true, time: '2026-11-24T05:00:00Z' }];
  const steps = planSteps({ activeTime, percent: 50, state: 'active' }, advances);
  assert.equal(steps[0].begunAt, Date.parse('2026-11-24T05:00:00Z'));
});

test('Rules that an operator drops later do not move the time of a step', () => {
  const advances = advancesOf([{ action: 'release.widen', time: '2026-11-26T05:00:00Z', details: { release: 7, withoutRules: true } }]);
  assert.equal(advances.length, 1);
  assert.equal(planSteps({ activeTime, percent: 10, state: 'active' }, advances)[0].begunAt, Date.parse(activeTime));
});

test('A release that was widened between two steps has a step for its percentage', () => {
  const steps = planSteps({ plan: [{ percent: 50, after: '2h' }], activeTime, percent: 30, state: 'active' });
  assert.deepEqual(steps.map((step) => [step.percent, step.state]), [[30, 'current'], [50, 'next']]);
});

test('A release that never began has begun no step', () => {
  const release = { plan, activeTime, percent: 1, state: 'halted' };
  assert.deepEqual(planSteps({ ...release, neverBegan: true }).map((step) => [step.state, step.begunAt]), [['next', null], ['next', null], ['next', null]]);
  assert.equal(planSteps(release)[0].begunAt, Date.parse(activeTime));
});

const row = (start, version, event, devices) => ({ start, version, event, devices });

test('The failures of an hour are shares of the devices that opened or updated', () => {
  const rows = [
    row('1', '2.0', 'opened', 100), row('1', '2.0', 'applied', 80), row('1', '2.0', 'whiteScreen', 2), row('1', '1.0', 'opened', 50), row('1', '1.0', 'whiteScreen', 1),
    row('1', '0.9', 'opened', 50),
  ];
  const { own, control } = failureSeries(rows, '2.0', 'whiteScreens');
  assert.equal(own[0].value, 2);
  assert.ok(own[0].low > 0.3 && own[0].high < 7.5);
  assert.deepEqual(control, [{ x: '1', value: 1 }]);
});

test('The interval of a share stays between 0 and 100 percent', () => {
  assert.equal(shareWithInterval(0, 10).low, 0);
  assert.equal(Math.round(shareWithInterval(10, 10).high), 100);
});

test('Applied devices are added up by hour in the order of time', () => {
  assert.deepEqual(appliedSeries([row('2', '2.0', 'applied', 5), row('1', '2.0', 'applied', 3), row('1', '1.0', 'applied', 9)], '2.0'), [['1', 3], ['2', 8]]);
});

test('Groups of devices come with the largest share first', () => {
  const rows = [
    { platform: 'ios', event: 'opened', devices: 100 }, { platform: 'android', event: 'opened', devices: 100 }, { platform: 'android', event: 'whiteScreen', devices: 9 },
    { platform: '', event: 'opened', devices: 5 },
  ];
  assert.deepEqual(sharesBy(rows, 'platform', 'whiteScreens').map((each) => [each.name, each.percent]), [['android', 9], ['ios', 0]]);
});

test('The weakest package of a set is the unhealthy one, then the one nearest to a limit', () => {
  const release = (name, state, evidence) => ({ package: name, verdict: state && { state, rules: [{ evidence, bound: 7 }] } });
  const order = byWeakness([release('a', 'healthy', 1), release('b', null, 0), release('c', 'healthy', 3), release('d', 'unhealthy', 8)]).map((each) => each.package);
  assert.deepEqual(order, ['d', 'c', 'a', 'b']);
});

test('The history of a release has its making, its changes and the rollback that ended it', () => {
  const release = { id: 7, package: 'news', version: '2.0', channel: 'production', createdAt: '2026-11-24T01:00:00Z' };
  const entry = (action, subject, time, details) => ({ action, subject, time: `2026-11-24T${time}Z`, details });
  const entries = [
    entry('release.make', 'news@2.0', '01:00:00', { channel: 'production' }), entry('release.make', 'news@2.0', '01:00:00', { channel: 'beta' }),
    entry('release.make', 'news@2.0', '03:00:00', { channel: 'production' }), entry('release.widen', 'news@2.0', '02:00:00', { release: 7, percent: '40' }),
    entry('release.widen', 'news@2.0', '02:00:00', { release: 8, percent: '40' }), entry('release.rollback', 'news@1.0', '04:00:00', { takesBack: 7, channel: 'production' }),
    entry('version.publish', 'news@2.0', '00:59:59', {}),
  ];
  assert.deepEqual(entries.map((each) => isAbout(release, each)), [true, false, false, true, false, true, false]);
  assert.deepEqual(advancesOf(entries.slice(3, 4)), [{ percent: 40, withoutRules: false, time: '2026-11-24T02:00:00Z' }]);
});

test('Downloads are bytes per second of the full archive in each full hour', () => {
  const row = (start, span = 'hour') => ({ start, reports: 7_200, span });
  const rows = [row('2026-11-20T00:00:00Z', 'day'), row('2026-11-24T00:00:00Z'), row('2026-11-24T01:00:00Z')];
  const during = Date.parse('2026-11-24T01:59:59Z');
  assert.deepEqual(downloadRates(rows, 1_000, during), [['2026-11-24T00:00:00Z', 2_000]]);
  assert.equal(downloadRates(rows, 1_000, during + 1_000).length, 2);
  assert.equal(new Date(slotsEnd('2026-11-24T00:00:00Z', '2026-11-25T12:00:00Z')).toISOString(), '2026-11-27T00:00:00.000Z');
  // Slots that begin later have no downloads yet, and the server knows no future.
  const now = Date.parse('2026-11-24T02:30:00Z');
  assert.equal(chartStart('2026-11-25T00:00:00Z', now), '2026-11-24T02:00:00.000Z');
});

test('The history of a release has no entry of a release set with the same number', () => {
  const entry = { action: 'release-set.rollback', subject: 'news@1.0.0', time: '2026-11-24T05:00:00Z', details: { takesBack: 7, channel: 'production' } };
  const release = { id: 7, package: 'news', version: '1.1.0', channel: 'production', createdAt: '2026-11-24T01:00:00Z' };
  assert.equal(isAbout(release, entry), false);
  assert.equal(isAbout(release, { ...entry, action: 'release.rollback' }), true);
  assert.equal(isAbout({ ...release, releases: [{ package: 'news', version: '1.1.0' }] }, entry), true);
});

test('A step that waits while a release cools down follows after that at the earliest', () => {
  const verdict = { state: 'cooling-down', since: '2026-11-25T05:00:00Z' };
  const release = { plan, activeTime, percent: 10, state: 'active', nextStepFrom: '2026-11-25T03:00:00Z', verdict };
  assert.equal(planSteps(release, [], Date.parse('2026-11-24T05:00:00Z'))[2].plannedAt, Date.parse(verdict.since));
});

test('A halt says what it means for devices that do not say what they have, if the dry run said so', () => {
  const lines = (release, result) => find(h('div', null, consequencesOf('halt', release, { result, losses: [], readiness: null })), 'li').map((each) => each.textContent);
  const release = { state: 'active', package: 'news', version: '2.0.0' };
  const back = 'Devices that do not say what they have go back to the next lower release that is for them, at first';
  const keep = 'Devices that do not say what they have keep it, and get no update until another release is for them.';
  assert.equal(lines(release, { package: 'news', fallsBackToVersion: '1.0.0' })[2], `${back} 1.0.0.`);
  assert.equal(lines(release, { package: 'news', fallsBackToVersion: null })[2], keep);
  // The dry run was refused for what devices would lose.
  assert.equal(lines(release, null).length, 3);
  const set = { state: 'active', releases: [release, { ...release, package: 'map' }] };
  const parts = [{ package: 'news', fallsBackToVersion: null }, { package: 'map', fallsBackToVersion: '7' }];
  assert.equal(lines(set, { releases: parts })[2], `${back} map 7. They keep news, and get no update of it until another release is for them.`);
  assert.deepEqual(lines({ ...release, state: 'scheduled' }, {}), ['It does not begin until you resume it.', 'You can resume it later, or cancel it.']);
});

test('A rollback before the start is a cancellation, in the action and in the state', () => {
  const shown = (release) => [shownAction(release, 'rollback'), shownAction(release, 'halt'), stateName(release)];
  assert.deepEqual(shown({ state: 'scheduled' }), ['cancel', 'halt', 'scheduled']);
  assert.deepEqual(shown({ state: 'halted', neverBegan: true }), ['cancel', 'halt', 'halted']);
  assert.deepEqual(shown({ state: 'rolled-back', neverBegan: true }), ['cancel', 'halt', 'cancelled']);
  assert.deepEqual(shown({ state: 'rolled-back' }), ['rollback', 'halt', 'rolled back']);
});
