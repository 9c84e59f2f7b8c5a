import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import './browser.js';
import { useCatalogue } from '../../Public/i18n/index.js';
import { commandOf, suggestedMinimum, gapsOf, judgmentGap } from '../../Public/pages/wizard/draft-review.js';
import { addStepWithoutRules, addStep } from '../../Public/pages/wizard/add-step.js';
import { audienceRule, courseOf, devicesAt, estimateOf, isPrerelease, newDraft, requestOf, settleChannel } from '../../Public/pages/wizard/draft.js';
import { editedRule } from '../../Public/pages/wizard/same-audience.js';

const { factsOf, offeredFor, ruleExample } = await import('../../Public/pages/wizard/rules-editor.js');
const { leftOutTexts } = await import('../../Public/pages/wizard/left-out.js');
const { timeText } = await import('../../Public/pages/wizard/start.js');
const { audienceLines } = await import('../../Public/pages/release/terms.js');

const now = Date.parse('2026-11-24T08:00:00Z');

const useLanguage = (language) => useCatalogue(language, JSON.parse(readFileSync(new URL(`../../Public/i18n/${language}.json`, import.meta.url), 'utf8')));
const useEnglish = () => useLanguage('en');

/** Returns a draft of `news 1.1.0` for production. */
function draft(members = {}) {
  return { ...newDraft({ package: 'news', hasAppHealth: true }), packages: [{ package: 'news', version: '1.1.0' }], channel: 'production', ...members };
}

test('A pre-release gets no channel until a person chooses one', () => {
  const fresh = draft({ channel: '', packages: [{ package: 'news', version: '2.0.0-rc.1' }] });
  settleChannel(fresh, 'production');
  assert.equal(fresh.channel, '');
  assert.deepEqual(gapsOf(fresh, now).map((gap) => gap.key), ['wizard.gap-channel']);
  fresh.packages[0].version = '2.0.0';
  settleChannel(fresh, 'production');
  assert.equal(fresh.channel, 'production');
  assert.equal(isPrerelease('2.0'), false);
});

test('A share that is no number is missing, since the server would read it as 100%', () => {
  for (const percent of [NaN, null, undefined, 'x', { isTrusted: true }, 101]) {
    const keys = gapsOf(draft({ share: 'percent', percent }), now).map((gap) => gap.key);
    assert.deepEqual(keys, ['wizard.gap-percent'], String(percent));
  }
  assert.deepEqual(gapsOf(draft({ share: 'percent', percent: 0.5 }), now), []);
});

test('A channel that a person chose stays', () => {
  const chosen = draft({ channel: 'beta', isChannelChosen: true, packages: [{ package: 'news', version: '2.0.0-rc.1' }] });
  settleChannel(chosen, 'production');
  assert.equal(chosen.channel, 'beta');
});

test('The request has the terms that differ from their defaults, and the plan or the percentage', () => {
  assert.deepEqual(requestOf(draft()), {
    version: '1.1.0', channel: 'production', plan: [{ percent: 1, after: '0s' }, { percent: 10, after: '2h' }, { percent: 100, after: '1d' }],
  });
  const full = requestOf(draft({
    share: 'percent', percent: 12.345, whitelist: 'qa', rules: [{ fact: 'region', how: 'in', text: 'CN, SG，JP' }], start: 'later', activeTime: '2026-11-25T01:00:00Z',
    ahead: true, devices: 3000, mandatory: true, updateMode: 'prompt', floor: { version: '1.0', reason: 'schema', withoutHave: 'offer' }, health: 'none', sameAudienceAs: 7,
  }));
  assert.deepEqual(full, {
    version: '1.1.0', channel: 'production', percent: 12.35, whitelist: 'qa', rules: [{ fact: 'region', in: ['CN', 'SG', 'JP'] }], activeTime: '2026-11-25T01:00:00Z',
    downloads: { bytesPerSecond: 100_000_000, devices: 3000 }, mandatory: true, updateMode: 'prompt', floor: { version: '1.0', withoutHave: 'offer', reason: 'schema' },
    health: { rules: [] }, sameAudienceAs: 7,
  });
});

test('A set has versions by package, and no term that only one package can have', () => {
  const set = requestOf(draft({
    packages: [{ package: 'news', version: '1.1.0' }, { package: 'shop', version: '3.0' }], floor: { version: '1.0', reason: '', withoutHave: 'offer' },
    start: 'later', activeTime: '2026-11-25T01:00:00Z', ahead: true, devices: 9, sameAudienceAs: 7,
  }));
  assert.deepEqual(set.versions, { news: '1.1.0', shop: '3.0' });
  for (const member of ['version', 'floor', 'downloads', 'sameAudienceAs']) assert.equal(member in set, false);
});

test('The estimate asks for a percentage, without the plan and what has no effect on the audience', () => {
  const body = estimateOf(draft({ health: 'own', mandatory: true, whitelist: 'qa' }), { package: 'news', version: '1.1.0' }, 0);
  assert.deepEqual(body, { version: '1.1.0', channel: 'production', whitelist: 'qa', percent: 0 });
});

test('The command quotes what a shell would read otherwise', () => {
  assert.equal(commandOf(draft(), 'travel'), 'larder release make --package news --version 1.1.0 --app travel --channel production --plan 1@0s,10@2h,100@1d');
  const command = commandOf(draft({ share: 'percent', percent: 5, rules: [{ fact: 'appVersion', how: 'range', text: ">=8 <9" }], floor: { version: '1', reason: "it's old", withoutHave: 'withhold' } }), 'travel');
  assert.match(command, /--percent 5 --rules '\[\{"fact":"appVersion","range":">=8 <9"\}\]'/);
  assert.match(command, /--floor-reason 'it'\\''s old'/);
});

test('Rules survive the way into the editor and back', () => {
  for (const rule of [{ fact: 'region', notIn: ['CN', 'SG'] }, { fact: 'model', prefix: ['SM-'] }, { fact: 'appVersion', range: '^8.3' }]) {
    assert.deepEqual(audienceRule(editedRule(rule)), rule);
  }
});

test('A draft names what is missing and the step to mend it', () => {
  assert.deepEqual(gapsOf(draft(), now), []);
  assert.deepEqual(gapsOf(draft({ plan: [{ percent: 10, after: '0s' }, { percent: 10, after: '2h' }] }), now), [{ step: 'audience', key: 'wizard.gap-plan' }]);
  assert.deepEqual(gapsOf(draft({ plan: [{ percent: 1, after: '2h' }, { percent: 10, after: '90m' }] }), now), [{ step: 'audience', key: 'wizard.gap-plan' }]);
  assert.deepEqual(gapsOf(draft({ start: 'later', activeTime: '2026-11-24T07:59:59Z' }), now), [{ step: 'start', key: 'wizard.gap-past' }]);
  assert.deepEqual(gapsOf(draft({ share: 'list' }), now), [{ step: 'audience', key: 'wizard.gap-list' }]);
});

test('A plan ends without rules if the draft has some, and reaches everyone then', () => {
  const plan = [{ percent: 5, after: '0s' }];
  assert.equal(addStepWithoutRules(plan), 1);
  assert.deepEqual(plan[1], { percent: 100, after: '1d', withoutRules: true });
  const rules = [{ fact: 'region', how: 'in', text: 'CN' }];
  const ruled = draft({ plan, rules });
  assert.deepEqual(requestOf(ruled).plan, plan);
  assert.match(commandOf(ruled, 'travel'), /--plan 5@0s,100@1d@without-rules /);
  assert.deepEqual(gapsOf(ruled, now), []);
  assert.equal(devicesAt({ all: 100, listed: 0, everyone: 900 }, courseOf(ruled, now)[1]), 900);
  assert.deepEqual(requestOf(draft({ plan })).plan, [plan[0]]);
  assert.deepEqual(gapsOf(draft({ plan: [plan[1]], rules }), now).map((gap) => gap.key), ['wizard.gap-plan']);
  assert.equal(addStep(plan), 1);
  assert.deepEqual(plan.map((step) => step.percent), [5, 10, 100]);
  assert.equal(plan[2].withoutRules, true);
  assert.equal(plan[2].after, '2d');
  plan[2].after = '30d';
  addStep(plan);
  assert.equal(plan.at(-1).after, '30d');
  assert.deepEqual(gapsOf(draft({ plan, rules }), now), []);
});

test('The last two steps may have the same percentage if the last one is without rules', () => {
  const plan = [{ percent: 100, after: '0s' }];
  addStepWithoutRules(plan);
  assert.deepEqual(gapsOf(draft({ plan, rules: [{ fact: 'region', how: 'in', text: 'CN' }] }), now), []);
  const full = Array.from({ length: 50 }, (_, index) => ({ percent: index + 1, after: `${index}h` }));
  assert.equal(addStepWithoutRules(full), -1);
  assert.equal(addStep(full), -1);
});

test('A percentage counts the listed devices and the share of the others', () => {
  assert.equal(devicesAt({ all: 1000, listed: 0 }, { percent: 10 }), 100);
  assert.equal(devicesAt({ all: 1040, listed: 40 }, { percent: 0 }), 40);
  assert.equal(devicesAt({ all: 1040, listed: 40 }, { percent: 10 }), 140);
});

test('The steps of a plan follow the time at which the release begins', () => {
  const course = courseOf(draft({ start: 'later', activeTime: '2026-11-25T01:00:00Z' }), now);
  assert.deepEqual(course.map((step) => new Date(step.time).toISOString()), ['2026-11-25T01:00:00.000Z', '2026-11-25T03:00:00.000Z', '2026-11-26T01:00:00.000Z']);
});

test('The first step is too small for a decision of the rules if they need more devices than it reaches', () => {
  const releases = [{ health: { devices: 10, rules: [{ metric: 'crashes' }] } }];
  const gap = (estimate, made = releases) => judgmentGap(draft({ share: 'percent', percent: 5 }), { seen: 300, listed: 0, ...estimate }, made);
  assert.deepEqual(gap({ all: 180 }), { reached: 9, least: 10 });
  assert.equal(gap({ all: 200 }), null);
  assert.equal(gap({ all: 180 }, [{ health: { devices: 10, rules: [] } }]), null);
  assert.equal(gap({ all: 0, seen: 0 }), null);
  assert.equal(gap({ all: 180, coverage: { limitReached: true } }), null);
  assert.equal(judgmentGap(draft(), null, releases), null);
});

test('Each fact has an example of its own values, by the comparison', () => {
  const example = (fact, how = 'in') => ruleExample({ fact, how });
  assert.deepEqual(['platform', 'region', 'network', 'model'].map((fact) => example(fact)), ['android, ios', 'CN, SG', 'wifi, cellular', 'Pixel 9, SM-S9210']);
  assert.deepEqual([example('model', 'prefix'), example('network', 'prefix'), example('osVersion', 'range'), example('appVersion', 'range')], ['Pixel, SM-', 'wifi, cellular', '>=14 <17', '>=8.3 <9']);
  assert.equal(example('attr.tier'), 'gold, silver');
});

test('The facts are those that devices send and those that rules of releases compare; values that a rule lacks are offered', () => {
  const releases = [{ rules: [{ fact: 'attr.city', in: ['Porto'] }, { fact: 'region', in: ['CN'] }] }, {}, { rules: [{ fact: 'attr.Tier', in: ['gold'] }, { fact: 'attr.city', notIn: ['Faro'] }, { fact: 'attr.' }] }];
  const values = ['Porto', 'Faro', 'a,b', 'Lisbon', 'Braga', 'Aveiro', 'Viseu'].map((value) => ({ value, devices: 50 }));
  const known = factsOf(releases, { devices: 200, facts: [{ fact: 'attr.city', values }, { fact: 'platform', values: [] }] });
  assert.deepEqual([...known.keys()].sort(), ['attr.', 'attr.Tier', 'attr.city', 'platform', 'region']);
  const offered = (text, fact = 'attr.city') => offeredFor({ fact, text }, known).map(({ value, share }) => `${value} ${share}`);
  assert.deepEqual(offered(''), ['Porto 25', 'Faro 25', 'Lisbon 25', 'Braga 25', 'Aveiro 25']);
  assert.deepEqual(offered(' Porto，Braga, x'), ['Faro 25', 'Lisbon 25', 'Aveiro 25', 'Viseu 25']);
  assert.deepEqual([offered('', 'attr.Tier'), offered('', 'model')], [[], []]);
});

test('The suggested minimum is half of the devices of the first step, and at least ten', () => {
  assert.deepEqual([9, 10, 19, 25, 42].map(suggestedMinimum), [0, 10, 10, 12, 21]);
});

test('Devices that a rule leaves out get the release with everyone, those of other refusals do not', () => {
  useEnglish();
  const rule = { devices: 40, rule: "the rule 'platform in android'", refusal: { code: 'rule', rule: { fact: 'platform', in: ['android'] } } };
  const excluded = { devices: 1, rule: "the exclusion list 'vip'", refusal: { code: 'excluded', list: 'vip' } };
  assert.deepEqual(leftOutTexts([rule, excluded]), ['Left out: 40 because the rule “Platform is Android” is not met; 1 because the device is on the exclusion list “vip”.']);
  const [first, other] = leftOutTexts([rule, excluded], now);
  assert.match(first, /^Left out at first: 40 because the rule “Platform is Android” is not met\. These rules apply until .*Nov 24.* UTC.* at least\./);
  assert.equal(other, 'Left out: 1 because the device is on the exclusion list “vip”.');
  assert.deepEqual(leftOutTexts([]), []);
});

test('The audience says up to which step its rules hold', () => {
  useEnglish();
  const rules = [{ fact: 'platform', in: ['android'] }, { fact: 'attr.city', in: ['Porto'] }];
  const plan = [{ percent: 5, after: '0s' }, { percent: 100, after: '1d', withoutRules: true }];
  assert.deepEqual(audienceLines({ percent: 5, rules, plan }), ['5% → everyone', 'Before “everyone”, only devices that meet: Platform is Android and Attribute city is Porto']);
  assert.deepEqual(audienceLines({ percent: 5, rules }), ['5%', 'Platform is Android', 'Attribute city is Porto']);
});

test('A time to begin is said with its weekday and the time that is left', () => {
  const texts = (language) => {
    useLanguage(language);
    return timeText(now + 75 * 3_600_000, now);
  };
  assert.match(texts('en'), /^Friday, Nov 27\b.*, in 3 days 3 hr$/);
  assert.match(texts('zh-Hans'), /^11月27日星期五.*，3 ?天 3 ?小时后$/);
});
