import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { dispatch } from './browser.js';
import { useCatalogue } from '../../Public/i18n/index.js';

useCatalogue('en', JSON.parse(readFileSync(new URL('../../Public/i18n/en.json', import.meta.url), 'utf8')));

const { Reference } = await import('../../Public/pages/reference.js');
const { shape } = await import('../../Public/pages/reference/shape.js');

const operation = (id, tag, more) => ({
  operationId: id, tags: [tag], summary: `Does ${id}`, 'x-role': 'admin', parameters: [],
  responses: { 200: { content: {} }, 400: { 'x-codes': ['invalid-request'] } }, ...more,
});

const description = {
  tags: [{ name: 'One', description: 'First.' }, { name: 'Two', description: 'Second.' }],
  paths: {
    '/a': { get: operation('getA', 'One'), put: operation('putA', 'One', { 'x-role': 'releaser' }) },
    '/b': { get: operation('getB', 'Two', { description: '<img src=x onerror=alert(1)>' }) },
  },
  components: { schemas: {} },
};

test('each section has its operations, and text stays text', () => {
  const reference = new Reference(description);
  assert.deepEqual(reference.sections.map((section) => section.operations.length), [2, 1]);
  const content = reference.content(description.paths['/b'].get);
  assert.match(content.textContent, /<img src=x onerror=alert\(1\)>/);
  assert.match(content.textContent, /invalid-request/);
});

test('a search shows the operations that have its words, in the path, the summary or the role', () => {
  const reference = new Reference(description);
  const shown = () => reference.sections.flatMap((section) => section.operations)
    .filter((each) => !each.element.hidden).length;
  for (const [text, count] of [['', 3], ['/A', 2], ['releaser', 1], ['getb does', 1], ['none of them', 0]]) {
    reference.search.value = text;
    dispatch(reference.search, 'input');
    assert.equal(shown(), count, text);
    assert.equal(reference.none.hidden, count > 0);
  }
  clearTimeout(reference.timer);
});

test('a schema is written like JSON', () => {
  const schemas = {
    Loop: { type: 'object', required: ['next'], properties: { next: { $ref: '#/components/schemas/Loop' } } },
  };
  const object = {
    type: 'object', required: ['id'],
    properties: { id: { type: 'integer' }, at: { type: ['string', 'null'], format: 'date-time' }, kind: { enum: ['a', 'b'] } },
  };
  assert.equal(shape(object, schemas), [
    '{', '  "id": integer,', '  "at"?: string (date-time) | null,', '  "kind"?: "a" | "b"', '}',
  ].join('\n'));
  assert.equal(shape({ type: 'array', items: { type: 'string' } }, schemas), '[string, …]');
  assert.match(shape({ $ref: '#/components/schemas/Loop' }, schemas), /"next": Loop/);
});
