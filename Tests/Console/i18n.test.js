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

test('both languages have the same keys', () => {
  assert.deepEqual(Object.keys(chinese).filter((key) => !(key in english)), []);
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
