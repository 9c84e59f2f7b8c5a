import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { find, respond } from './browser.js';
import { api, environment } from '../../Public/api/client.js';
import { list, number, problemText, t, useCatalogue } from '../../Public/i18n/index.js';
import { bytes, rate, unitName } from '../../Public/i18n/sizes.js';
import { duration, relative } from '../../Public/i18n/times.js';

const [english, chinese] = ['en', 'zh-Hans'].map((name) => JSON.parse(readFileSync(new URL(`../../Public/i18n/${name}.json`, import.meta.url), 'utf8')));
useCatalogue('en', english);
environment.codeText = problemText;
const { problemNotice } = await import('../../Public/elements/index.js');
const { findingList } = await import('../../Public/pages/parts/findings.js');
const { historySentence } = await import('../../Public/pages/parts/history.js');
const { refusalParts, refusalText } = await import('../../Public/pages/parts/refusal.js');
const { audienceRuleText } = await import('../../Public/pages/release/audience-text.js');
const { gapText } = await import('../../Public/pages/release/terms.js');
const { verdictText } = await import('../../Public/pages/release/text.js');

afterEach(() => useCatalogue('en', english));

const detail = "The app 'default' has no package 'nws'.";

/** Returns the problem of a request to which the server responds with a problem document. */
async function problemOf(document, status = 404) {
  respond(status, JSON.stringify({ status, ...document }));
  return api.get('apps/default/packages/nws').then(() => assert.fail(), (problem) => problem);
}

const texts = (nodes) => nodes.map((node) => node.textContent ?? String(node)).join('');

test('in English a problem is the sentence of the server alone', async () => {
  const problem = await problemOf({ code: 'package-not-found', detail });
  assert.equal(problem.message, detail);
  assert.deepEqual(find(problemNotice(problem), 'p').map((each) => each.textContent), [detail]);
});

test('in Chinese the text of the code comes first, and the sentence of the server after it as English', async () => {
  useCatalogue('zh-Hans', chinese);
  const problem = await problemOf({ code: 'package-not-found', detail });
  assert.equal(problem.message, `没有此离线包。 ${detail}`);
  const [summary, more] = find(problemNotice(problem), 'p');
  assert.deepEqual([summary.textContent, more.textContent, more.getAttribute('lang')], ['没有此离线包。', detail, 'en']);
});

test('the reason of a refused zip says more than its code', async () => {
  useCatalogue('zh-Hans', chinese);
  const problem = await problemOf({ code: 'bad-package', reason: 'path-traversal', entry: '../up.js', detail: 'The path …' }, 422);
  assert.equal(problem.summary, '路径含 . 或 ..。');
});

test('the code of a newer server leaves the sentence of the server', async () => {
  useCatalogue('zh-Hans', chinese);
  const problem = await problemOf({ code: 'quite-new', detail });
  assert.equal(problem.message, detail);
  assert.equal(problem.detail, undefined);
});

test('a finding says in Chinese how to fix it, above the sentence of the server', () => {
  useCatalogue('zh-Hans', chinese);
  const list = findingList([{ code: 'source-map', path: 'a.js.map', message: 'A source map makes …' }], () => []);
  assert.deepEqual(find(list, 'p').slice(1).map((each) => [each.textContent, each.getAttribute('lang')]), [
    [chinese['server.finding.source-map'], null], ['A source map makes …', 'en'],
  ]);
});

test('a missing patch, a verdict and a tripped rule are in the words of the language', () => {
  const gap = { reason: 'not-smaller', note: 'the patch is not smaller than the full archive' };
  const rule = { metric: 'crashes', state: 'unhealthy', devices: 200, affected: 9, percent: 4.5, ceiling: 2 };
  const verdict = { state: 'unhealthy', note: 'Crashes on 9 of 200 devices.', devices: 200, required: 50, rules: [rule] };
  const entry = { actor: 'server', action: 'release.unhealthy', subject: 'news@1.1.0', details: { release: 2, note: verdict.note, ...rule } };
  const context = { href: (page) => `#/${page}` };
  assert.equal(gapText(gap), gap.note);
  assert.equal(verdictText(verdict), verdict.note);
  assert.match(texts(historySentence(context, entry)), /unhealthy: crashes on 9 of 200 devices \(4\.5%\); rule: above 2%/);
  useCatalogue('zh-Hans', chinese);
  assert.equal(gapText(gap), '补丁不比完整包小');
  assert.equal(verdictText(verdict), '200 台设备中 9 台（4.5%）崩溃。');
  assert.equal(verdictText({ ...verdict, state: 'waiting', devices: 12, rules: [{ ...rule, state: 'waiting', devices: 12 }] }), '尚无法判断。50 台中已有 12 台上报。');
  assert.match(texts(historySentence(context, entry)), /200 台设备中 9 台（4\.5%）崩溃（规则：高于 2%）/);
});

test('a request in the history names in Chinese what it asks for', () => {
  useCatalogue('zh-Hans', chinese);
  const entry = { actor: 'ann (user #1)', action: 'approval.request', subject: '3', details: { action: 'release.widen', channel: 'production', summary: 'Widen news 1.1.0 from 5 % to 40 %.' } };
  assert.match(texts(historySentence({ href: (page) => `#/${page}` }, entry)), /在 production 扩大发布。Widen news 1\.1\.0 from 5 % to 40 %\./);
});

test('a rollback in the history is a cancellation if the release had not begun', () => {
  const context = { href: (page) => `#/${page}` };
  const entry = { actor: 'ann (user #1)', action: 'release.rollback', subject: 'news@1.1.0', details: { release: 4 } };
  assert.equal(texts(historySentence(context, entry)), 'ann cancelled news 1.1.0 before it began');
  const rollback = { ...entry, subject: 'news@1.0.0', details: { takesBack: 4 } };
  assert.equal(texts(historySentence(context, rollback)), 'ann rolled back to news 1.0.0');
  const set = { ...entry, action: 'release-set.rollback', subject: '3', details: {} };
  assert.equal(texts(historySentence(context, set)), 'ann cancelled Set 3 before it began');
});

test('Chinese has one space between a number and a word, and none between two words', () => {
  useCatalogue('zh-Hans', chinese);
  const now = Date.parse('2026-12-01T12:00:00Z');
  assert.deepEqual([duration(3_600), duration(63_000), relative(now - 300_000, now), number(650, { style: 'unit', unit: 'millisecond' })], ['1 小时', '17 小时 30 分钟', '5 分钟前', '650 毫秒']);
  assert.equal(t('wizard.health-note', { n: 50, window: duration(86_400), coolDown: duration(3_600) }), '达到 50 台设备后判断；每 1 天重新统计上报；恢复后 1 小时内不作判断。');
  assert.equal(t('release.sub-began', { id: '#7', channel: 'beta', time: '11月28日周六 08:00' }), 'beta 上的发布 #7，11月28日周六 08:00 开始');
  assert.deepEqual([list(['CN', 'SG']), list(['甲', '乙 丙', '丁'])], ['CN 和 SG', '甲、乙 丙和丁']);
  assert.equal(audienceRuleText({ fact: 'network', in: ['wifi', 'Cellular'] }), '网络为 Wi-Fi 或移动网络');
  assert.equal(audienceRuleText({ fact: 'attr.city', notIn: ['Porto'] }), '属性 city 不为 Porto');
});

test('a rate has the unit of the language, also beside a field', () => {
  assert.deepEqual([rate(12_000_000), rate(500), bytes(500), unitName('megabyte-per-second')], ['12 MB/s', '500 byte/s', '500 bytes', 'MB/s']);
  useCatalogue('zh-Hans', chinese);
  assert.deepEqual([rate(12_000_000), unitName('megabyte-per-second')], ['12 MB/秒', 'MB/秒']);
});

test('the times in a refusal are in the zone of the viewer, also in the sentence of the server', () => {
  const refusal = { code: 'set', releaseSet: 3, package: 'common', version: '1.1.0', because: { code: 'not-yet', activeTime: '2026-12-01T12:00:00Z' } };
  const sentence = 'the device does not get common 1.1.0: its activeTime 2026-12-01T12:00:00.000Z has not come';
  const show = (instant) => [instant];
  assert.deepEqual(refusalParts(undefined, sentence, show).slice(1), [['2026-12-01T12:00:00.000Z'], ' has not come']);
  assert.match(refusalText(undefined, sentence), /its activeTime .*Dec 1.* has not come$/);
  assert.match(refusalText(refusal, sentence), /the device does not get common 1\.1\.0: it begins on .*Dec 1/);
  useCatalogue('zh-Hans', chinese);
  assert.deepEqual(refusalParts(refusal, sentence, show)[1], ['2026-12-01T12:00:00Z']);
  assert.match(refusalText(refusal, sentence), /生效时间 .*12月1日.* 未到$/);
});

test('a refusal is in the language, with the facts of the device if it is about one', () => {
  const sentence = "the rule 'attr.city not in Porto, Faro' is not met: the device has 'Faro'";
  const refusal = { code: 'rule', rule: { fact: 'attr.city', notIn: ['Porto', 'Faro'] }, has: 'Faro' };
  useCatalogue('en', english);
  assert.equal(refusalText(refusal, sentence), 'the rule “Attribute city is not Porto or Faro” is not met (device: Faro)');
  assert.equal(
    refusalText({ code: 'rule', rule: { fact: 'appVersion', range: '>=8.0.0' }, has: '7.9.0' }, ''),
    'the rule “Host app version >=8.0.0” is not met (device: 7.9.0)');
  assert.match(refusalText({ code: 'percentage', percent: 5, position: 6_888 }, ''), /^it is at 5% .*its place in the release's order is 6889 of 10,000/);
  useCatalogue('zh-Hans', chinese);
  const text = refusalText(refusal, sentence);
  assert.ok(text.includes('属性 city') && text.includes('Porto') && text.endsWith('（设备：Faro）') && !/the rule/.test(text), text);
  assert.ok(!refusalText({ ...refusal, has: undefined }, sentence).includes('设备：'));
  const because = { code: 'floor', floor: { version: '2.0.0', reason: 'storage' }, has: '1.0.0' };
  const set = refusalText({ code: 'set', releaseSet: 3, package: 'common', version: '1.1.0', because }, '');
  assert.ok(set.includes('common 1.1.0') && set.includes('2.0.0') && set.includes('storage'), set);
  assert.ok(refusalText({ code: 'not-yet', activeTime: '2026-12-01T00:00:00Z' }, '').includes('12月1日'));
  assert.ok(refusalText({ ...refusal, has: null }, sentence).endsWith('（设备没有发送）'));
  const share = { code: 'percentage', percent: 5 };
  assert.ok(refusalText(share, '').endsWith('不在其中') && refusalText({ ...share, percent: 0, position: null }, '').endsWith('不在其中'));
  assert.ok(refusalText({ ...share, position: 7_316, list: 'testers' }, '').endsWith('（也不在名单“testers”中）（设备在此发布的排序中位于第 7317 位，共 10,000 位）'));
  assert.ok(refusalText({ ...share, position: null }, '').endsWith('（设备没有发送设备 ID）'));
  assert.equal(refusalText({ code: 'apis' }, ''), '该版本需要原生 API');
  assert.ok(refusalText({ code: 'apis', apis: ['pay'], build: '8.3', known: false }, '').endsWith(' pay（构建 8.3 未登记）'));
  assert.ok(refusalText({ code: 'dependency', package: 'common', range: '*', has: null }, '').endsWith('（设备得不到该离线包）'));
  // Those of a newer server, and of an older one.
  assert.equal(refusalText({ code: 'set', releaseSet: 3, package: 'common', version: '1', because: { code: 'moon-phase' } }, 'the moon'), 'the moon');
  assert.equal(refusalText({ code: 'moon-phase' }, 'the moon'), 'the moon');
  assert.equal(refusalText(undefined, 'the moon'), 'the moon');
});
