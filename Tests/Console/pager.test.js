import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dispatch, live } from './browser.js';
import { h } from '../../Public/dom.js';
import { PAGE_ROWS, Pager } from '../../Public/pager.js';

const numbers = (count) => Array.from({ length: count }, (_, index) => index + 1);

function pager(count) {
  const pager = new Pager('versions', (rows) => h('p', null, rows.join(' ')));
  pager.show(numbers(count));
  return pager;
}

const shown = (pager) => pager.body.textContent.split(' ').map(Number);

test('a list that fits on one page has no buttons', () => {
  const whole = pager(PAGE_ROWS);
  assert.equal(whole.nav.hidden, true);
  assert.deepEqual(shown(whole), numbers(PAGE_ROWS));
  assert.equal(pager(PAGE_ROWS + 1).nav.hidden, false);
});

test('the pages hold every row once, in order, and stop at both ends', () => {
  const pages = pager(60);
  const seen = [shown(pages)];
  dispatch(pages.back, 'click');
  assert.deepEqual(shown(pages), seen[0]);
  for (let page = 0; page < 2; page += 1) {
    dispatch(pages.forth, 'click');
    seen.push(shown(pages));
  }
  assert.deepEqual(seen.flat(), numbers(60));
  dispatch(pages.forth, 'click');
  assert.deepEqual(shown(pages), seen[2]);
});

test('the range is shown and announced', () => {
  const pages = pager(60);
  assert.equal(pages.range.textContent, '1–25 of 60 versions');
  dispatch(pages.forth, 'click');
  assert.equal(live.textContent, '26–50 of 60 versions');
});

test('the button that leads nowhere says so and keeps the focus', () => {
  const pages = pager(30);
  const states = () => [pages.back, pages.forth].map((button) => button.attributes['aria-disabled']);
  assert.deepEqual(states(), ['true', 'false']);
  dispatch(pages.forth, 'click');
  assert.deepEqual(states(), ['false', 'true']);
  assert.equal(pages.forth.attributes.disabled, undefined);
});

test('the page stays when the list is read again', () => {
  const pages = pager(60);
  dispatch(pages.forth, 'click');
  pages.show(numbers(61));
  assert.equal(shown(pages)[0], 26);
});

test('the last page that is left is shown if rows are gone', () => {
  const pages = pager(60);
  dispatch(pages.forth, 'click');
  dispatch(pages.forth, 'click');
  pages.show(numbers(30));
  assert.deepEqual(shown(pages), [26, 27, 28, 29, 30]);
  pages.show([]);
  assert.equal(pages.first, 0);
});
