import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  audience, devices, finalPercent, hasRules, isPrerelease, moment, planText, reachSentence, readPlan, shortAudience,
} from '../../Public/rollout.js';

test('the reach names the devices that match and those that were seen', () => {
  assert.equal(
    reachSentence({ matching: 1024, seen: 5120, days: 7 }),
    'About 1,024 of the 5,120 devices seen in the last 7 days get it.');
});

test('the reach is not known if no device was seen', () => {
  assert.match(reachSentence({ matching: 0, seen: 0, days: 7 }), /seen no device .* is not known\.$/);
});

test('the final percentage is the largest of the current one and the steps', () => {
  assert.equal(finalPercent({ percent: 10 }), 10);
  assert.equal(finalPercent({ percent: 10, plan: [{ percent: 5 }, { percent: 50 }] }), 50);
  assert.equal(finalPercent({ percent: 60, plan: [{ percent: 50 }] }), 60);
  assert.equal(finalPercent({ plan: null }), 0);
});

test('rules, excluded devices and a floor keep devices out, and an empty list of rules does not', () => {
  for (const release of [{ rules: ['os = ios'] }, { excluded: 'blocked' }, { floor: 2 }]) assert.equal(hasRules(release), true);
  for (const release of [{}, { rules: [] }, { rules: null, excluded: null, floor: null }]) assert.equal(hasRules(release), false);
});

test('the audience of a release names everyone, a percentage, rules and the list', () => {
  const texts = [
    [{ percent: 100 }, 'everyone', 'everyone'],
    [{ percent: 100, whitelist: 'testers' }, 'everyone', 'everyone'],
    [{ percent: 10 }, '10% of devices', '10%'],
    [{ percent: 10, whitelist: 'testers' }, '10% of devices, and the list testers', '10% + list'],
    [{ percent: 100, floor: 2 }, '100% of devices that meet its rules', '100% by rules'],
    [{ percent: 100, rules: ['x'], whitelist: 'qa' }, '100% of devices that meet its rules', '100% by rules + list'],
    [{ percent: 0.5, rules: ['x'], whitelist: 'qa' }, '0.5% of devices that meet its rules, and the list qa', '0.5% by rules + list'],
  ];
  for (const [release, long, short] of texts) {
    assert.equal(audience(release), long);
    assert.equal(shortAudience(release), short);
  }
});

test('a plan is read with spaces, percent signs and two decimals', () => {
  assert.deepEqual(readPlan(' 1@0s, 10% @ 2h ,33.25@1d'), [
    { percent: 1, after: '0s' }, { percent: 10, after: '2h' }, { percent: 33.25, after: '1d' },
  ]);
});

test('a step that is not one is named, with an example', () => {
  for (const text of ['', '10', '10@', '10@2', '10@2w', '@2h', '1.234@2h', '-1@2h', '1@0s,,2@1h', '10@1234567890s']) {
    assert.throws(() => readPlan(text), (error) => error instanceof RangeError && error.message.includes('1@0s,10@2h,100@1d'), text);
  }
  assert.throws(() => readPlan('1@0s, soon '), /“soon” is no step/);
});

test('a plan in words says at once for its start', () => {
  assert.equal(planText(readPlan('1@0s,10@2h')), '1% at once, 10% after 2h');
});

test('a version is a pre-release if anything but numbers stands before its build', () => {
  for (const version of ['1', '1.2', '1.2.3', '1.2.3.4', '1.2.3+build-7']) assert.equal(isPrerelease(version), false, version);
  for (const version of ['1.2.3-beta', '1.2.3-beta+7', 'v1', 'nightly', '1.', '']) assert.equal(isPrerelease(version), true, version);
});

test('one device is singular', () => {
  assert.deepEqual([devices(0), devices(1), devices(5120)], ['0 devices', '1 device', '5,120 devices']);
});

test('a release without a time takes effect at once', () => {
  assert.equal(moment(null), 'at once');
  assert.match(moment('2026-03-01T09:30:00Z'), /^on Mar 1, 2026/);
});
