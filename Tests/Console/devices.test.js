import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import './browser.js';
import { useCatalogue } from '../../Public/i18n/index.js';

useCatalogue('en', JSON.parse(readFileSync(new URL('../../Public/i18n/en.json', import.meta.url), 'utf8')));
const { decidingRelease, differences, reasonSentence, sortedPackages, versionsInUse } = await import('../../Public/pages/devices/explanation.js');
const { attributesOf } = await import('../../Public/pages/devices.js');

const planned = (release, version, activeTime) => ({ release, version, outcome: 'refused', reason: '', refusal: { code: 'not-yet', activeTime } });
const ruled = { release: 6, version: '3.1.0', outcome: 'refused', reason: '', refusal: { code: 'rule', rule: { fact: 'appVersion', range: '>=8.0.0' }, has: '7.9.0' } };
const neverBegan = { release: 5, version: '3.0.5', outcome: 'refused', reason: '', refusal: { code: 'never-began' } };
const offered = { release: 4, version: '3.0.0', outcome: 'offered' };
const friday = planned(7, '3.2.0', '2026-12-04T08:00:00Z');
const sunday = planned(8, '3.3.0', '2026-12-06T08:00:00Z');

/** Returns the explanation of a package of which a device gets a version. */
const explained = (releases, current = { release: 4, version: '3.0.0' }) => ({ package: 'guide', enable: true, current, next: null, releases });
const sentence = (...values) => reasonSentence(explained(...values)).map((part) => part.textContent ?? part).join('');

test('the reason is that of the newest release that has begun, not that of a planned one', () => {
  assert.equal(sentence([friday, ruled, offered]), 'It should have 3.0.0, not 3.1.0. Release #6: the rule “Host app version >=8.0.0” is not met (device: 7.9.0).');
  assert.equal(decidingRelease(explained([sunday, neverBegan, ruled, offered])).release, 6);
  assert.equal(decidingRelease(explained([sunday, neverBegan, offered])).release, 5);
});

test('if only planned releases rank higher, the sentence names the newest that has begun and the next one', () => {
  assert.match(sentence([sunday, friday, offered]), /^It should have 3\.0\.0, the newest that has begun\. 3\.2\.0, release #7, begins on .*4/);
  assert.match(sentence([friday], null), /^It gets nothing yet\. 3\.2\.0, release #7, begins on /);
  assert.match(sentence([friday, ruled], null), /^It gets nothing\. 3\.1\.0, release #6: the rule /);
});

test('a release below the offered one is no reason', () => {
  assert.equal(decidingRelease(explained([offered, ruled])), undefined);
  assert.match(sentence([offered, ruled]), /first whose conditions are all met/);
});

const wanted = (name, version) => ({ package: name, enable: true, current: version ? { release: 1, version } : null, releases: [] });
const packages = [wanted('absent', '1.0.0'), wanted('behind', '2.0.0'), wanted('same', '1.0.0'), wanted('failed', '1.0.0'), wanted('ready', '2.0.0'), wanted('none')];
const device = {
  knowsHas: true, has: { behind: '1.0.0', same: '1.0.0', ready: '1.0.0' }, sent: { ready: ['1.0.0', '2.0.0'] },
  events: [{ package: 'failed', version: '1.0.0', event: 'downloadFailed' }],
};

test('packages that differ come first, then those that the device has, then those to be installed', () => {
  assert.deepEqual(sortedPackages(packages, device).map((each) => each.package), ['failed', 'ready', 'behind', 'same', 'absent', 'none']);
  assert.deepEqual(differences(packages, device), { differ: 3, missing: 1 });
});

test('the version in use is the first that the device sent, or else what it reported', () => {
  assert.deepEqual(versionsInUse({ news: ['1.0.0', '2.0.0'] }, { news: { version: '0.9.0' }, shop: { version: '3.0.0' } }), { news: '1.0.0', shop: '3.0.0' });
});

test('each line of the attributes is a name and a value', () => {
  assert.deepEqual(attributesOf('city=Shenzhen\n\n member = a=b, c '), { 'attr.city': 'Shenzhen', 'attr.member': 'a=b, c' });
  assert.deepEqual([attributesOf(''), attributesOf('city'), attributesOf('=x'), attributesOf('city=')], [{}, null, null, null]);
});
