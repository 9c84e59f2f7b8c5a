process.env.TZ = 'America/New_York';

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { dispatch, find } from './browser.js';
import { useCatalogue } from '../../Public/i18n/index.js';

const english = JSON.parse(readFileSync(new URL('../../Public/i18n/en.json', import.meta.url), 'utf8'));

useCatalogue('en', english);

const { button, h, later, panel } = await import('../../Public/elements/index.js');
const { chips } = await import('../../Public/elements/chips.js');
const { segmented } = await import('../../Public/elements/segmented.js');
const { facts } = await import('../../Public/elements/facts.js');
const { checkbox, field } = await import('../../Public/elements/fields.js');
const { select, textInput } = await import('../../Public/elements/inputs.js');
const { form, readValues } = await import('../../Public/elements/form.js');
const { nextSort, table } = await import('../../Public/elements/table.js');
const { treeRows } = await import('../../Public/elements/tree.js');
const { percentAfterKey, percentAt, percentSlider, positionOf } = await import('../../Public/elements/slider.js');
const { durationInput, splitDuration } = await import('../../Public/elements/durations.js');
const { dateTimeInput, instantOf, localValue } = await import('../../Public/elements/moments.js');
const { dialog } = await import('../../Public/elements/dialog.js');

/** Lets the promises that are settled go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));
const byClass = (root, name) => find(root, 'div').find((each) => (each.getAttribute('class') ?? '').split(' ').includes(name));
const openDialog = () => find(document.body, 'dialog').at(-1);
const buttonNamed = (root, text) => find(root, 'button').find((each) => each.textContent === text);

test('a press on a heading reverses its order, and numbers begin with the largest', () => {
  assert.deepEqual(nextSort({ key: 'name', descending: false }, { sort: 'name' }), { key: 'name', descending: true });
  assert.deepEqual(nextSort({ key: 'name', descending: true }, { sort: 'name' }), { key: 'name', descending: false });
  assert.deepEqual(nextSort({ key: 'name', descending: true }, { sort: 'devices', numeric: true }), { key: 'devices', descending: true });
  assert.deepEqual(nextSort(undefined, { sort: 'name' }), { key: 'name', descending: false });
});

test('a table says how it is sorted, and its first cells are the links of the rows', () => {
  const asked = [];
  const element = table({
    caption: 'Packages', sort: { key: 'devices', descending: true }, onSort: (sort) => asked.push(sort),
    columns: [{ label: 'Package', sort: 'name' }, { label: 'Devices', numeric: true, sort: 'devices' }, { label: 'State' }],
    rows: [{ href: '#/x', cells: ['checkout', '12', 'active'] }],
  });
  assert.deepEqual(find(element, 'th').map((each) => each.getAttribute('aria-sort')), [null, 'descending', null]);
  dispatch(find(element, 'button')[0], 'click');
  assert.deepEqual(asked, [{ key: 'name', descending: false }]);
  assert.deepEqual(find(element, 'a').map((each) => [each.getAttribute('href'), each.textContent]), [['#/x', 'checkout']]);
  assert.deepEqual(find(element, 'td').map((each) => each.getAttribute('data-label')), [null, 'Devices', 'State']);
});

test('a button with a reason does nothing and says the reason', () => {
  let presses = 0;
  const element = button('Halt…', { onclick: () => { presses += 1; }, reason: 'Needs the role releaser.', type: 'submit' });
  const { event } = dispatch(element, 'click');
  assert.equal(presses, 0);
  assert.ok(event.isPrevented);
  assert.equal(element.getAttribute('aria-disabled'), 'true');
  assert.equal(element.getAttribute('title'), 'Needs the role releaser.');
});

test('the scale of the slider is stretched below 10 percent, and goes both ways', () => {
  assert.deepEqual([0, 250, 500, 750, 1000].map(percentAt), [0, 1, 10, 50, 100]);
  assert.deepEqual([0, 1, 10, 50, 100].map(positionOf), [0, 250, 500, 750, 1000]);
  for (const value of [0.05, 0.5, 1, 2.5, 7.3, 10, 25, 37, 50, 99]) assert.equal(percentAt(positionOf(value)), value);
  let last = -1;
  for (let position = 0; position <= 1000; position += 1) {
    assert.ok(percentAt(position) >= last);
    last = percentAt(position);
  }
});

test('an event of a field inside the slider does not reach the callback', () => {
  const values = [];
  const slider = percentSlider({ value: 10, label: 'Share', onchange: (value) => values.push(value) });
  const [range, exact] = find(slider, 'input');
  exact.value = '5';
  dispatch(exact, 'input');
  // The browser calls `onchange` of each element that a `change` event bubbles through.
  slider.onchange?.({ isTrusted: true });
  assert.deepEqual(values, [5]);
  assert.equal(range.getAttribute('aria-valuetext'), '5%');
});

test('arrow keys move the slider by a tenth, and Page Up and Page Down to the next stop', () => {
  assert.equal(percentAfterKey('ArrowRight', 0.2), 0.3);
  assert.equal(percentAfterKey('ArrowDown', 10), 9.9);
  assert.equal(percentAfterKey('PageUp', 10), 25);
  assert.equal(percentAfterKey('PageDown', 10), 5);
  assert.equal(percentAfterKey('PageUp', 100), 100);
  assert.equal(percentAfterKey('x', 10), null);
});

test('the slider keeps its minimum and describes its value', () => {
  const told = [];
  const slider = percentSlider({ value: 1, min: 5, describe: (value) => `${value} of 100`, onchange: (value) => told.push(value), name: 'percent' });
  const [range, exact] = find(slider, 'input');
  assert.equal(slider.value, 5);
  exact.value = '2';
  dispatch(exact, 'input');
  range.value = '750';
  dispatch(range, 'input');
  assert.deepEqual(told, [5, 50]);
  assert.equal(exact.value, '50');
  assert.equal(range.getAttribute('aria-valuetext'), '50 of 100');
  assert.equal(dispatch(range, 'keydown', { key: 'Tab' }).event.isPrevented, false);
  dispatch(range, 'keydown', { key: 'Home' });
  assert.equal(slider.value, 5);
  slider.value = 130;
  assert.deepEqual(readValues(h('div', null, slider)), { percent: 100 });
});

test('a field for an instant shows the local time and returns UTC', () => {
  assert.equal(localValue('2026-07-01T12:30:00Z'), '2026-07-01T08:30');
  assert.equal(localValue('2026-12-01T12:30:00Z'), '2026-12-01T07:30');
  assert.equal(instantOf('2026-07-01T08:30'), '2026-07-01T12:30:00Z');
  assert.equal(instantOf('2026-12-01T07:30'), '2026-12-01T12:30:00Z');
  assert.equal(instantOf(''), null);
  assert.equal(instantOf('soon'), null);
  // The clock goes forward at 02:00 on this day: half past two does not exist.
  assert.equal(instantOf('2026-03-08T02:30'), '2026-03-08T07:30:00Z');
  const element = dateTimeInput({ value: '2026-07-01T12:30:00Z', name: 'at' });
  assert.equal(element.value, '2026-07-01T12:30:00Z');
  assert.equal(element.focusTarget.value, '2026-07-01T08:30');
  assert.match(element.textContent, /UTC-4|UTC−4/);
  element.value = null;
  assert.equal(element.value, null);
});

test('a field for a duration keeps its unit', () => {
  assert.deepEqual(splitDuration('90m'), { count: 90, unit: 'm' });
  assert.deepEqual(splitDuration('1h30m'), { count: 90, unit: 'm' });
  assert.deepEqual(splitDuration('24h'), { count: 24, unit: 'h' });
  assert.deepEqual(splitDuration('1d12h'), { count: 36, unit: 'h' });
  assert.deepEqual(splitDuration(null), { count: null, unit: 'h' });
  assert.deepEqual(splitDuration('soon'), { count: null, unit: 'h' });
  const element = durationInput({ value: '2h', name: 'after' });
  assert.equal(element.value, '2h');
  element.focusTarget.value = '';
  assert.equal(element.value, null);
});

function sampleForm(onsubmit) {
  const name = field('Name', textInput({ name: 'name', value: 'a' }), { required: true });
  const role = field('Role', select([['viewer', 'Viewer'], ['admin', 'Admin']], { name: 'role', value: 'admin' }));
  const element = form({
    fields: [name, h('div', null, role), checkbox('Mandatory', { name: 'mandatory', checked: true }),
      segmented([{ label: 'One', value: 1 }, { label: 'Two', value: 2 }], { name: 'count', value: 2 }),
      chips([{ label: 'iOS', value: 'ios' }, { label: 'Android', value: 'android' }], { name: 'systems', values: ['ios'] })],
    submit: 'Save', onsubmit,
  });
  return { element, name };
}

test('a form sends the values of its named controls', async () => {
  const sent = [];
  const { element } = sampleForm(async (values) => { sent.push(values); });
  const { event } = dispatch(element, 'submit');
  await settle();
  assert.ok(event.isPrevented);
  assert.deepEqual(sent, [{ name: 'a', role: 'admin', mandatory: true, count: 2, systems: ['ios'] }]);
});

test('a form is sent once while it is busy, and by Ctrl+Enter', async () => {
  let sent = 0;
  let finish;
  const { element } = sampleForm(() => {
    sent += 1;
    return new Promise((resolve) => { finish = resolve; });
  });
  dispatch(element, 'keydown', { key: 'Enter', ctrlKey: true });
  dispatch(element, 'submit');
  await settle();
  assert.equal(sent, 1);
  assert.equal(element.getAttribute('aria-busy'), 'true');
  finish();
  await settle();
  assert.equal(element.getAttribute('aria-busy'), null);
  assert.equal(buttonNamed(element, 'Save').getAttribute('aria-disabled'), null);
});

test('a form keeps its entries after a failure, and shows the problem at the field that it names', async () => {
  const problems = [{ status: 422, message: 'The name is taken.', member: 'name' }, { status: 503, message: 'The disk is full.', code: 'disk-full' }];
  const { element, name } = sampleForm(async () => { throw problems.shift(); });
  name.control.value = 'b';
  dispatch(element, 'submit');
  await settle();
  assert.match(name.textContent, /The name is taken\./);
  assert.equal(name.control.getAttribute('aria-invalid'), 'true');
  assert.equal(document.activeElement, name.control);
  dispatch(element, 'submit');
  await settle();
  assert.doesNotMatch(name.textContent, /The name is taken\./);
  assert.match(byClass(element, 'form-problem').textContent, /The disk is full\./);
  assert.equal(element.values().name, 'b');
});

test('a form with an empty required field is not sent', async () => {
  let sent = 0;
  const { element, name } = sampleForm(async () => { sent += 1; });
  name.control.value = ' ';
  dispatch(element, 'submit');
  await settle();
  assert.equal(sent, 0);
  assert.match(name.textContent, /Required/);
});

test('chips of a single choice go back to the option for all', () => {
  const told = [];
  const element = chips([{ label: 'All', value: '' }, { label: 'Failing', value: 'failing' }], { value: '', onchange: (value) => told.push(value) });
  const [, failing] = find(element, 'button');
  dispatch(failing, 'click');
  dispatch(failing, 'click');
  assert.deepEqual(told, ['failing', '']);
});

test('an action whose code arrives after another page was opened does not run, and a change of the query is no other page', async () => {
  const ran = [];
  let arrive;
  const act = later(() => new Promise((resolve) => { arrive = resolve; }), (module, value) => ran.push(`${module} ${value}`));
  for (const [before, after] of [['#/a/b/packages', '#/a/b/audit'], ['#/a/b/packages', '#/a/b/packages?tab=releases']]) {
    location.hash = before;
    const done = act(after);
    assert.equal(await act('a second call'), null);
    location.hash = after;
    arrive('module');
    await done;
  }
  location.hash = '';
  assert.deepEqual(ran, ['module #/a/b/packages?tab=releases']);
});

test('an action whose code cannot be fetched says so, and the next call tries again', async () => {
  let isReached = false;
  const act = later(async () => {
    if (!isReached) throw new TypeError('Failed to fetch dynamically imported module: x.js');
    return 'module';
  }, (module) => module);
  assert.equal(await act(), null);
  const said = () => document.getElementById('assertive')?.textContent;
  for (let turn = 0; said() !== english['problem.not-loaded'] && turn < 200; turn += 1) await new Promise((resolve) => { setTimeout(resolve, 10); });
  assert.equal(said(), english['problem.not-loaded']);
  isReached = true;
  assert.equal(await act(), 'module');
});

test('a dialog waits for the consequence and for the typed name, and keeps a problem', async () => {
  let acts = 0;
  let load;
  const outcome = dialog({
    title: 'Roll back Checkout?', confirm: 'Roll back', kind: 'danger', requireName: 'checkout', load: () => new Promise((resolve) => { load = resolve; }),
    act: async () => {
      acts += 1;
      if (acts === 1) throw { status: 409, message: 'Another rollback is running.' };
      return 'done';
    },
  });
  const element = openDialog();
  const [sendForm] = find(element, 'form');
  const confirm = buttonNamed(element, 'Roll back');
  assert.equal(document.activeElement, buttonNamed(element, 'Cancel'));
  const [input] = find(element, 'input');
  input.value = 'checkout';
  dispatch(input, 'input');
  assert.equal(confirm.getAttribute('aria-disabled'), 'true');
  load(h('p', null, '69,377 devices go back.'));
  await settle();
  assert.equal(confirm.getAttribute('aria-disabled'), null);
  input.value = 'check';
  dispatch(input, 'input');
  assert.equal(confirm.getAttribute('aria-disabled'), 'true');
  dispatch(sendForm, 'submit');
  await settle();
  assert.equal(acts, 0);
  input.value = 'checkout ';
  dispatch(input, 'input');
  dispatch(sendForm, 'submit');
  await settle();
  assert.match(element.textContent, /Another rollback is running\./);
  dispatch(sendForm, 'submit');
  assert.equal(await outcome, 'done');
  assert.equal(element.isConnected, false);
});

test('a dialog that is cancelled returns null and stops loading', async () => {
  let signal;
  const outcome = dialog({ title: 'Halt?', confirm: 'Halt', load: (given) => { signal = given; return new Promise(() => {}); }, act: async () => {} });
  dispatch(buttonNamed(openDialog(), 'Cancel'), 'click');
  assert.equal(await outcome, null);
  assert.ok(signal.aborted);
});

test('a dialog whose consequence cannot be loaded offers to try again', async () => {
  let tries = 0;
  dialog({
    title: 'Halt?', confirm: 'Halt', act: async () => {},
    load: async () => {
      tries += 1;
      if (tries === 1) throw { status: 503, message: 'The disk is full.' };
      return 'Nothing changes.';
    },
  });
  await settle();
  const element = openDialog();
  assert.match(element.textContent, /The disk is full\./);
  dispatch(buttonNamed(element, 'Try again'), 'click');
  await settle();
  assert.match(element.textContent, /Nothing changes\./);
  assert.equal(buttonNamed(element, 'Halt').getAttribute('aria-disabled'), null);
  element.close();
});

test('a panel shows text in its body as a paragraph and hides the parts that are empty', () => {
  const element = panel({ title: 'History', count: 1200, body: ['None yet.', null, false] });
  assert.equal(find(element, 'h2')[0].textContent, 'History');
  assert.match(element.textContent, /1,200/);
  assert.deepEqual(find(element, 'p').map((each) => each.textContent), ['', 'None yet.']);
  assert.ok(find(element, 'footer')[0].hasAttribute('hidden'));
  element.setBody(h('p', null, 'One.'));
  element.setFooter('All of 1');
  assert.match(element.textContent, /One\.All of 1$/);
  assert.ok(!find(element, 'footer')[0].hasAttribute('hidden'));
});

test('facts leave out entries that are null and show a dash for a value that is missing', () => {
  const element = facts([['Entry', 'index.html'], null, ['Signed by', null]]);
  assert.deepEqual(find(element, 'dd').map((each) => each.textContent), ['index.html', '–']);
});

test('the rows of a tree have a line for each folder, folders before files', () => {
  const rows = treeRows([{ path: 'index.html' }, { path: 'assets/app.js' }, { path: 'assets/img/a.svg' }, { path: 'assets-old/b.js' }],
    (folder, files) => ({ note: String(files.length) }));
  assert.deepEqual(rows.map(({ path, depth, isFolder, note }) => [path, depth, isFolder, note]), [
    ['assets/', 0, true, '2'], ['assets/img/', 1, true, '1'], ['assets/img/a.svg', 2, false, undefined], ['assets/app.js', 1, false, undefined],
    ['assets-old/', 0, true, '1'], ['assets-old/b.js', 1, false, undefined], ['index.html', 0, false, undefined],
  ]);
});
