import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dispatch, find, live, page } from './browser.js';
import { Problem } from '../../Public/api.js';
import { Form, problemBox } from '../../Public/form.js';

/** Returns a form on the page, with the requests that it has sent and that a test completes. */
function form() {
  const sent = [];
  const form = new Form('Save', [], () => new Promise((succeed, fail) => sent.push({ succeed, fail })));
  page.append(form.element);
  return { form, sent, submit: () => dispatch(form.element, 'submit') };
}

test('a form sends one request at a time and never leaves the page', async () => {
  const { form: one, sent, submit } = form();
  const { event, result } = submit();
  assert.equal(event.isPrevented, true);
  submit();
  assert.equal(sent.length, 1);
  assert.equal(one.button.attributes['aria-disabled'], 'true');
  sent[0].succeed();
  await result;
  assert.equal(one.button.attributes['aria-disabled'], 'false');
  submit();
  assert.equal(sent.length, 2);
});

test('an outcome is shown and announced', async () => {
  const { form: one, sent, submit } = form();
  const { result } = submit();
  sent[0].succeed('Saved.');
  await result;
  assert.equal(one.outcome.textContent, 'Saved.');
  assert.equal(live.textContent, 'Saved.');
});

test('a failure is shown in the server’s words, and the form can be sent again', async () => {
  const { form: one, sent, submit } = form();
  const { result } = submit();
  sent[0].fail(new Problem('The name is taken.'));
  await result;
  assert.equal(one.outcome.textContent, 'The name is taken.');
  submit();
  assert.equal(sent.length, 2);
  assert.equal(one.outcome.textContent, '');
});

test('an error of the page is not shown as one of the server', () => {
  assert.equal(problemBox(new TypeError('x is undefined')).textContent, 'The console failed: x is undefined');
});

test('a refused form is not sent, and a click says why', () => {
  const { form: one, sent, submit } = form();
  one.refuse('Choose a version.');
  submit();
  assert.equal(sent.length, 0);
  assert.equal(one.button.attributes['aria-disabled'], 'true');
  assert.equal(one.button.attributes['aria-describedby'], one.reason.id);
  assert.equal(one.reason.hidden, false);
  assert.equal(dispatch(one.button, 'click').event.isPrevented, true);
  assert.equal(one.outcome.textContent, 'Choose a version.');
});

test('a form that is no longer refused shows no refusal and is sent', () => {
  const { form: one, sent, submit } = form();
  one.refuse('Choose a version.');
  dispatch(one.button, 'click');
  one.refuse(null);
  assert.equal(one.outcome.textContent, '');
  assert.equal(one.reason.hidden, true);
  assert.equal(one.button.attributes['aria-describedby'], undefined);
  assert.equal(dispatch(one.button, 'click').event.isPrevented, false);
  submit();
  assert.equal(sent.length, 1);
});

test('a problem names the entry of the zip and the releases that devices would lose', () => {
  const box = problemBox(new Problem('No.', {
    entry: 'a/../b', reason: 'path-traversal',
    losses: [{ package: 'news', version: '2', needs: 'common ~1.1', devices: 1 }, { package: 'shop', version: '3', devices: null }],
  }));
  assert.deepEqual(find(box, 'dd').map((each) => each.textContent), ['a/../b', 'path-traversal']);
  assert.deepEqual(find(box, 'li').map((each) => each.textContent), [
    'news 2, which needs common ~1.1: lost by 1 device', 'shop 3: number of devices not known',
  ]);
});
