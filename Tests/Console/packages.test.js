import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import './browser.js';
import { useCatalogue } from '../../Public/i18n/index.js';

useCatalogue('en', JSON.parse(readFileSync(new URL('../../Public/i18n/en.json', import.meta.url), 'utf8')));

const { changedMembers, lines, readResources } = await import('../../Public/pages/package/members.js');
const { lanes } = await import('../../Public/pages/package/lanes.js');
const { worstFailure } = await import('../../Public/pages/parts/failures.js');
const { releasePath } = await import('../../Public/pages/parts/release-basics.js');
const { grouped, releaseNote, tellingRule, urgentFirst } = await import('../../Public/pages/parts/release-names.js');
const { nextStep, planText } = await import('../../Public/pages/release/plan-text.js');
const { actorName } = await import('../../Public/pages/parts/actor.js');
const { forgetFlight, isInFlight, loadFlight } = await import('../../Public/api/flight.js');

test('a form sends only the members that differ, whatever the order of their members', () => {
  const before = { name: 'News', entry: null, dialects: ['info-json'], resources: { rules: [], diffLimit: 5 }, permissions: null };
  assert.deepEqual(changedMembers(before, structuredClone(before)), {});
  assert.deepEqual(changedMembers(before, { ...before, resources: { diffLimit: 5, rules: [] } }), {});
  assert.deepEqual(changedMembers(before, { ...before, entry: 'index.html', dialects: [], permissions: { apis: [] } }),
    { entry: 'index.html', dialects: [], permissions: { apis: [] } });
  assert.deepEqual(changedMembers({ permissions: { apis: [] } }, { permissions: null }), { permissions: null });
});

test('lists are read by line, and rules that are no JSON are a problem of their field', () => {
  assert.deepEqual(lines(' camera \n\n pay\n'), ['camera', 'pay']);
  assert.deepEqual(readResources('  '), {});
  assert.throws(() => readResources('{"rules":'), { member: 'resources', status: 400 });
});

test('the worst failure is the one of the largest share of devices', () => {
  assert.equal(worstFailure([]), null);
  assert.deepEqual(worstFailure([{ event: 'opened', devices: 200 }]), { event: 'whiteScreen', devices: 0, percent: 0 });
  assert.deepEqual(worstFailure([
    { event: 'opened', devices: 200 }, { event: 'applied', devices: 90 }, { event: 'whiteScreen', devices: 4 }, { event: 'applyFailed', devices: 10 },
  ]), { event: 'applyFailed', devices: 10, percent: 10 });
});

const release = (id, state, values = {}) => ({ id, state, package: 'news', version: `1.${id}`, percent: 100, activeTime: `2026-11-0${id}T00:00:00Z`, ...values });

test('a lane ends when the release was halted, rolled back, or replaced for everyone', () => {
  const found = lanes([
    release(5, 'active', { percent: 10 }),
    release(4, 'halted', { percent: 1 }),
    release(3, 'completed', { plan: [{ percent: 1, after: '0s' }, { percent: 100, after: '1d12h' }] }),
    release(2, 'rolled-back'),
    release(1, 'superseded'),
  ], [
    { action: 'release.halt', time: '2026-11-04T06:00:00Z', details: { release: 4 } },
    { action: 'release.rollback', time: '2026-11-02T06:00:00Z', details: { takesBack: 2 } },
  ]);
  assert.deepEqual(found.map(({ end, reason }) => [end && new Date(end).toISOString(), reason]), [
    [null, null],
    ['2026-11-04T06:00:00.000Z', 'halted'],
    [null, null],
    ['2026-11-02T06:00:00.000Z', 'rolled-back'],
    ['2026-11-04T12:00:00.000Z', 'superseded'],
  ]);
});

test('releases of a set are one entry, and what needs a person comes first', () => {
  const all = [release(1, 'active', { percent: 5 }), release(2, 'active', { releaseSet: 7 }), release(3, 'halted'), release(4, 'active', { releaseSet: 7 })];
  assert.deepEqual(grouped(all).map((group) => group.map(({ id }) => id)), [[1], [2, 4], [3]]);
  assert.deepEqual(urgentFirst(all).map(({ id }) => id), [3, 4, 2, 1]);
  assert.equal(releasePath(all[0]), 'releases/news/1');
  assert.equal(releasePath(all[1]), 'sets/7');
  assert.deepEqual(all.filter(isInFlight).map(({ id }) => id), [1, 3]);
});

test('a planned release says with what share its plan begins', () => {
  const plan = [{ percent: 5, after: '0s' }, { percent: 100, after: '1d' }];
  assert.equal(releaseNote([release(2, 'scheduled', { percent: 5, plan })]), '#2, starts with 5%, plan to 100%');
  assert.equal(releaseNote([release(2, 'scheduled', { percent: 100, plan, mandatory: true })]), '#2, 100%, mandatory');
  assert.equal(releaseNote([release(2, 'scheduled', { releaseSet: 7 }), release(3, 'scheduled', { releaseSet: 7 })]), 'news 1.2, news 1.3, 100%');
  assert.equal(releaseNote([release(2, 'active', { percent: 5, plan })]), '#2');
});

test('the next step of a plan is the first one above the present percentage', () => {
  const plan = [{ percent: 1, after: '0s' }, { percent: 10, after: '2h' }, { percent: 100, after: '1d' }];
  assert.equal(nextStep({ percent: 1, plan })?.percent, 10);
  assert.equal(nextStep({ percent: 25, plan })?.percent, 100);
  assert.equal(nextStep({ percent: 100, plan }), null);
  assert.equal(nextStep({ percent: 50 }), null);
});

test('a step without rules is next while the rules of the release still apply', () => {
  const plan = [{ percent: 5, after: '0s' }, { percent: 100, after: '1d' }, { percent: 100, after: '2d', withoutRules: true }];
  const rules = [{ fact: 'region', in: ['CN'] }];
  assert.equal(nextStep({ percent: 5, plan, rules }), plan[1]);
  assert.equal(nextStep({ percent: 100, plan, rules }), plan[2]);
  assert.equal(nextStep({ percent: 100, plan }), null);
  assert.equal(planText(plan), '5% → 100% → everyone');
  assert.equal(planText([{ percent: 10, withoutRules: true }]), '10% of everyone');
  assert.equal(isInFlight({ state: 'active', percent: 100, plan, rules }), true);
  assert.equal(isInFlight({ state: 'active', percent: 100, rules }), false);
});

test('a verdict is told by the rule that has tripped or is nearest to it', () => {
  const rule = (metric, values) => ({ metric, devices: 50, percent: 1, evidence: 0, bound: 7, state: 'healthy', ...values });
  assert.equal(tellingRule({ rules: [rule('crashes', { evidence: 2 }), rule('whiteScreens', { evidence: 5 })] })?.metric, 'whiteScreens');
  assert.equal(tellingRule({ rules: [rule('crashes', { evidence: 6.9 }), rule('failures', { state: 'unhealthy' })] })?.metric, 'failures');
  assert.equal(tellingRule({ rules: [rule('crashes', { devices: 0 })] }), null);
  assert.equal(tellingRule(undefined), null);
});

test('people and programs are named without their numbers', () => {
  assert.equal(actorName('lin (user #1)'), 'lin');
  assert.equal(actorName('ci (#6)'), 'ci');
  assert.equal(actorName('server'), 'Larder');
});

test('readers at the same time share the requests about what is in flight, until something changes', async () => {
  const asked = [];
  const { fetch } = globalThis;
  globalThis.fetch = /** @type {any} */ (async (url) => {
    asked.push(String(url).replace(/^.*\/apps\//, ''));
    return new Response(JSON.stringify({ releases: [release(1, 'active'), release(2, 'halted')], approvals: [], packages: [] }));
  });
  try {
    const [one, other] = await Promise.all([loadFlight('travel', 'beta'), loadFlight('travel', 'beta')]);
    assert.equal(one, other);
    assert.deepEqual(one.releases.map(({ id }) => id), [2]);
    assert.equal(asked.length, 3);
    await loadFlight('travel', 'production');
    assert.equal(asked.length, 6);
    forgetFlight();
    await loadFlight('travel', 'beta');
    assert.equal(asked.length, 9);
  } finally {
    globalThis.fetch = fetch;
  }
});
