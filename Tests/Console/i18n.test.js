import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../../Public/', import.meta.url);
const catalogue = (name) => JSON.parse(readFileSync(new URL(`i18n/${name}.json`, root), 'utf8'));
const english = catalogue('en');
const chinese = catalogue('zh-Hans');

/** The console's modules, by their paths. */
const modules = new Map(readdirSync(root, { recursive: true }).map(String).filter((name) => name.endsWith('.js'))
  .map((name) => [name, readFileSync(new URL(name, root), 'utf8')]));
const sources = [...modules.values()].join('\n');

/** Returns the texts of an entry: one, or one for each plural form. */
const texts = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry));
const placeholders = (text) => [...new Set(text.match(/\{\w+\}/g))].sort();

/** Returns the keys that are used as they are, and patterns of those that are put together. */
function usedKeys() {
  const literals = new Set([...sources.matchAll(/'([a-z][\w-]*(?:\.[\w*-]+)+)'/g)].map(([, key]) => key));
  const templates = [...sources.matchAll(/`([a-z][\w-]*\.[\w.-]*)\$\{/g)].map(([, prefix]) => prefix);
  // A template such as `${key}-change` adds an end to keys that are used as they are.
  const ends = [...sources.matchAll(/`\$\{\w+\}(-[\w-]+)`/g)].map(([, end]) => end);
  return (key) => literals.has(key) || templates.some((prefix) => key.startsWith(prefix))
    || ends.some((end) => key.endsWith(end) && literals.has(key.slice(0, -end.length)));
}

test('both languages have the same keys, except for texts of codes other than refusals', () => {
  // The server's sentences about a refusal name facts and rules as programs write them.
  assert.deepEqual(Object.keys(english).filter((key) => key.startsWith('server.') && !/^server\.(fact|refusal)\./.test(key)), []);
  assert.deepEqual(Object.keys(chinese).filter((key) => !(key in english) && /^server\.(fact|refusal)\./.test(key)), []);
  assert.deepEqual(Object.keys(chinese).filter((key) => !(key in english) && !key.startsWith('server.')), []);
  assert.deepEqual(Object.keys(english).filter((key) => !(key in chinese)), []);
});

test('each key that a module asks for is in the catalogue', () => {
  const missing = [];
  for (const [name, source] of modules) {
    for (const [, argument] of source.matchAll(/\btn?\(([^`()]*?)(?:,\s*\{|\))/g)) {
      for (const [, key] of argument.matchAll(/'([a-z][\w-]*(?:\.[\w-]+)+)'/g)) {
        if (!(key in english)) missing.push(`${name}: ${key}`);
      }
    }
    for (const [, prefix] of source.matchAll(/\btn?\(`([a-z][\w-]*\.[\w.-]*)\$\{/g)) {
      if (!Object.keys(english).some((key) => key.startsWith(prefix))) missing.push(`${name}: ${prefix}…`);
    }
  }
  assert.deepEqual(missing, []);
});

test('each key of the catalogue is used', () => {
  const isUsed = usedKeys();
  assert.deepEqual(Object.keys(english).filter((key) => !isUsed(key)), []);
});

test('no text is empty or has markup', () => {
  const wrong = [english, chinese].flatMap((each) => Object.entries(each))
    .filter(([, entry]) => texts(entry).some((text) => text.trim() === '' || /<\/?[a-z]|&\w+;/i.test(text))).map(([key]) => key);
  assert.deepEqual(wrong, []);
});

test('the values in the texts of both languages have the same names', () => {
  const all = (entry) => placeholders(texts(entry).join(' '));
  const wrong = Object.keys(english).filter((key) => all(english[key]).join() !== all(chinese[key] ?? '').join());
  assert.deepEqual(wrong, []);
});

test('a text with plural forms has those of its language', () => {
  for (const [each, forms] of [[english, ['one', 'other']], [chinese, ['other']]]) {
    const wrong = Object.entries(each).filter(([, entry]) => typeof entry !== 'string' && Object.keys(entry).sort().join() !== forms.join());
    assert.deepEqual(wrong.map(([key]) => key), []);
  }
});

test('no text begs, apologizes or boasts', () => {
  const wrong = Object.entries(english).filter(([, entry]) => texts(entry).some((text) => /\b(please|sorry|successfully|are you sure)\b/i.test(text)));
  assert.deepEqual(wrong.map(([key]) => key), []);
  assert.deepEqual(Object.entries(chinese).filter(([, entry]) => texts(entry).some((text) => /请(?!求)/.test(text.replaceAll('申请', '')))).map(([key]) => key), []);
});

const apiDocument = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
const lintDocument = readFileSync(new URL('../../docs/lint.md', import.meta.url), 'utf8');

/** Returns the codes in the first column of the table that begins with a header. */
function codesOfTable(text, header) {
  const start = text.indexOf(header);
  assert.notEqual(start, -1, header);
  return [...text.slice(start + header.length, text.indexOf('\n\n', start)).matchAll(/^\| `([\w.-]+)` \|/gm)].map(([, code]) => code);
}

/** Returns the codes of one kind that the Chinese catalogue has texts for. */
const translated = (kind) => Object.keys(chinese).filter((key) => key.startsWith(`server.${kind}.`)).map((key) => key.slice(`server.${kind}.`.length));

test('each error code of the API has a Chinese text, and no text is for an unknown code', () => {
  const codes = codesOfTable(apiDocument, '| `code` | status | meaning |');
  assert.ok(codes.includes('version-exists') && codes.includes('storage-full'));
  assert.deepEqual(translated('error').sort(), codes.sort());
});

test('each reason of a refused zip or key has a Chinese text, and no text is for an unknown reason', () => {
  const [, zips, keys] = /Reasons of `bad-package`:\n([^]*?)\nReasons of `invalid-request`, for an imported key:(.*)/.exec(apiDocument) ?? [];
  const reasons = [...`${zips}${keys}`.matchAll(/`([\w-]+)`/g)].map(([, reason]) => reason);
  assert.ok(reasons.includes('path-traversal') && reasons.includes('key-size'));
  assert.deepEqual(translated('reason').sort(), [...new Set(reasons)].sort());
});

test('each finding of the linter, refusal, warning and reason for a missing patch has a Chinese text', () => {
  assert.deepEqual(translated('finding').sort(), codesOfTable(lintDocument, '| code | severity | found |').sort());
  assert.deepEqual(translated('refusal').sort(), codesOfTable(apiDocument, '| `code` | the release is not offered because | facts |').sort());
  assert.deepEqual(translated('warning').sort(), codesOfTable(apiDocument, '| `warningCodes` | meaning |').sort());
  assert.deepEqual(translated('patch').sort(), codesOfTable(apiDocument, '| `reason` | meaning |').sort());
});

test('each action that a second person approves has a Chinese text', () => {
  const prefix = 'approval.say.';
  assert.deepEqual(translated('approval').sort(), Object.keys(english).filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)).sort());
});

test('each action of the audit log has a sentence in both languages, and no sentence is for an unknown action', () => {
  const actions = codesOfTable(apiDocument, '| action | object (`subject`) |');
  // Sentences for what the details say, and for actions of a newer server.
  const others = ['package.online', 'package.off', 'release.plan', 'release.cancel', 'release.drop-rules', 'release.drop-rules-at', 'other'];
  const sentences = Object.keys(english).filter((key) => key.startsWith('history.')).map((key) => key.slice('history.'.length));
  assert.deepEqual(sentences.sort(), [...actions, ...others].sort());
});
