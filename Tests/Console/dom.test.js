import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dispatch, find, page } from './browser.js';
import { field, h, showLateOutcomes, showOutcome, table } from '../../Public/dom.js';

test('children are text whatever is in them, and null is none', () => {
  const element = h('p', null, '<b>', null, ['1', 2], undefined, h('i', null, 'x'));
  assert.equal(element.textContent, '<b>12x');
  assert.equal(find(element, 'b').length, 0);
});

test('true is an attribute without a value; false and null are no attributes', () => {
  const element = h('input', { required: true, hidden: false, title: null, min: 0 });
  assert.deepEqual(element.attributes, { required: '', min: '0' });
});

test('attributes that begin with on are listeners', () => {
  let clicks = 0;
  const element = h('button', { onclick: () => { clicks += 1; } });
  dispatch(element, 'click');
  assert.equal(clicks, 1);
  assert.deepEqual(element.attributes, {});
});

test('a field ties its label and its hint to the control', () => {
  const control = h('input');
  const [label, , hint] = field('Name', control, 'Letters').children;
  assert.equal(label.attributes.for, control.id);
  assert.equal(control.attributes['aria-describedby'], hint.id);
  const named = h('input', { id: 'own' });
  assert.equal(field('Other', named).children[0].attributes.for, 'own');
});

test('two fields never share an id', () => {
  const controls = [h('input'), h('input')];
  for (const control of controls) field('Name', control);
  assert.notEqual(controls[0].id, controls[1].id);
});

test('a table labels each cell with its column, and the column of buttons for screen readers alone', () => {
  const element = table('Versions', ['Version', ''], [['1.0', h('button')]]);
  const [version, actions] = find(element, 'td');
  assert.equal(version.attributes['data-label'], 'Version');
  assert.equal(actions.attributes['data-label'], undefined);
  assert.deepEqual(find(element, 'th').map((cell) => cell.textContent), ['Version', 'Actions']);
});

test('an outcome is shown in its element, or below the heading if the operator has left the page', () => {
  const place = h('div');
  page.append(place);
  showOutcome(place, h('p', null, 'Saved.'));
  assert.equal(place.textContent, 'Saved.');
  page.replaceChildren(h('h1', null, 'Next'));
  showOutcome(place, h('p', null, 'Lost.'));
  assert.equal(page.textContent, 'NextLost.');
});

test('an outcome that arrives while the next page loads is shown there, once', () => {
  page.setAttribute('aria-busy', 'true');
  showOutcome(page.children[0], h('p', null, 'Late.'));
  page.replaceChildren(h('h1', null, 'Next'));
  page.removeAttribute('aria-busy');
  showLateOutcomes();
  showLateOutcomes();
  assert.equal(page.textContent, 'NextLate.');
});
