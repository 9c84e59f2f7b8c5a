process.env.TZ = 'Europe/Berlin';

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bandPath } from '../../Public/charts/bands.js';
import { makeModel as lineModel } from '../../Public/charts/lines.js';
import { drawNotes } from '../../Public/charts/notes.js';
import { linearScale, niceTicks } from '../../Public/charts/scale.js';
import { nearest } from '../../Public/charts/cursor.js';
import { linePath, runs, spread } from '../../Public/charts/shape.js';
import { makeModel as stackModel, stack } from '../../Public/charts/stacks.js';
import { timeTicks } from '../../Public/charts/time.js';
import { number, percent, useCatalogue } from '../../Public/i18n/index.js';
import { readFileSync } from 'node:fs';

const english = JSON.parse(readFileSync(new URL('../../Public/i18n/en.json', import.meta.url), 'utf8'));

useCatalogue('en', english);

const local = (...parts) => new Date(...parts).getTime();

test('a scale maps its domain to its range, and a domain of one value to the middle', () => {
  const scale = linearScale(10, 20, 0, 100);
  assert.deepEqual([scale(10), scale(15), scale(20)], [0, 50, 100]);
  assert.equal(linearScale(5, 5, 0, 100)(5), 50);
});

test('the ticks of a range from zero are 4 to 6 round values that cover it', () => {
  for (let exponent = -4; exponent < 10; exponent += 0.01) {
    const high = 10 ** exponent;
    const ticks = niceTicks(0, high);
    assert.ok(ticks.length >= 4 && ticks.length <= 6, `${high}: ${ticks}`);
    assert.equal(ticks[0], 0);
    assert.ok(ticks.at(-1) >= high * (1 - 1e-9), `${high}: ${ticks}`);
    assert.ok(ticks.at(-1) <= high * 1.7, `${high}: ${ticks}`);
  }
});

test('ticks are written without the error of binary fractions', () => {
  assert.deepEqual(niceTicks(0, 0.3), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(niceTicks(0, 1.2), [0, 0.25, 0.5, 0.75, 1, 1.25]);
  assert.deepEqual(niceTicks(0, 112_640), [0, 25_000, 50_000, 75_000, 100_000, 125_000]);
  assert.deepEqual(niceTicks(-3, 5), [-4, -2, 0, 2, 4, 6]);
});

test('ticks of whole numbers are whole, and values of zero still have an axis', () => {
  assert.deepEqual(niceTicks(0, 1, { wholeNumbers: true }), [0, 1, 2, 3]);
  assert.deepEqual(niceTicks(0, 0, { wholeNumbers: true }), [0, 1, 2, 3]);
  assert.ok(niceTicks(0, 12, { wholeNumbers: true }).every(Number.isInteger));
  assert.deepEqual(niceTicks(0, 0), [0, 0.2, 0.4, 0.6, 0.8, 1]);
});

test('time ticks are round hours of the local zone', () => {
  const { instants, unit } = timeTicks(local(2026, 10, 24, 8, 50), local(2026, 10, 24, 14, 32));
  assert.equal(unit, 'time');
  assert.deepEqual(instants, [9, 10, 11, 12, 13, 14].map((hours) => local(2026, 10, 24, hours)));
});

test('time ticks of days are local midnights, also over a change of the clock', () => {
  const { instants, unit } = timeTicks(local(2026, 9, 20), local(2026, 9, 30));
  assert.equal(unit, 'day');
  assert.ok(instants.every((instant) => new Date(instant).getHours() === 0), String(instants.map((i) => new Date(i))));
  const hours = timeTicks(local(2026, 2, 29), local(2026, 2, 29, 12));
  assert.ok(hours.instants.every((instant) => new Date(instant).getMinutes() === 0));
  assert.equal(new Set(hours.instants).size, hours.instants.length);
});

test('each usual range has 3 to 7 time ticks', () => {
  const end = local(2026, 10, 24, 14, 32);
  for (const hours of [0.1, 0.5, 1, 2, 6, 12, 24, 48, 7 * 24, 14 * 24, 30 * 24, 90 * 24, 365 * 24, 1000 * 24]) {
    const { instants } = timeTicks(end - hours * 3_600_000, end, 7);
    assert.ok(instants.length >= 3 && instants.length <= 7, `${hours} h: ${instants.length}`);
    assert.ok(instants.every((instant) => instant >= end - hours * 3_600_000 && instant <= end));
  }
});

test('the ticks of days stay when the range moves on by a day', () => {
  const at = (date) => timeTicks(local(2026, 10, date), local(2026, 10, date + 13)).instants;
  const [first, second] = [at(1), at(2)];
  assert.ok(first.slice(1).every((instant) => second.includes(instant)));
});

test('a gap splits a line, and a point between gaps is a run of its own', () => {
  assert.deepEqual(runs([[1, 2], [2, 3], [3, null], [4, 5], [5, NaN], [6, 1]]), [[[1, 2], [2, 3]], [[4, 5]], [[6, 1]]]);
  assert.deepEqual(runs([]), []);
});

test('a path goes straight or in steps', () => {
  assert.equal(linePath([[0, 10], [5, 4.04]]), 'M0,10L5,4');
  assert.equal(linePath([[0, 10], [5, 4]], true), 'M0,10H5V4');
});

test('the path of an interval returns along its lower bound', () => {
  assert.equal(bandPath([[0, 9, 1], [5, 8, 2]]), 'M0,1L5,2L5,8L0,9Z');
  assert.equal(bandPath([[0, 9, 1], [5, 8, 2]], true), 'M0,1H5V2V8V9H0Z');
  assert.equal(bandPath([]), '');
});

test('the nearest position is found, the earlier one of two', () => {
  assert.equal(nearest([], 3), -1);
  assert.deepEqual([-9, 0, 4, 5, 6, 99].map((target) => nearest([0, 10, 20], target)), [0, 0, 0, 0, 1, 2]);
});

test('series are stacked from the last one up', () => {
  assert.deepEqual(stack([[1, null], [2, 3]]), [[[2, 3], [3, 3]], [[0, 2], [0, 3]]]);
});

test('shares add up to 100, and a position without values stays a gap', () => {
  assert.deepEqual(stack([[1, 0, null], [3, 0, null]], true), [[[75, 100], null, null], [[0, 75], null, null]]);
});

test('labels keep their gap and their order, inside the limits', () => {
  assert.deepEqual(spread([50, 10], 15, 0, 100), [50, 10]);
  assert.deepEqual(spread([50, 50], 10, 0, 100), [45, 55]);
  assert.deepEqual(spread([98, 99, 100], 10, 0, 100), [80, 90, 100]);
  assert.deepEqual(spread([0, 1, 12], 10, 0, 100), [0, 10, 20]);
  assert.deepEqual(spread([5, 6, 7], 10, 0, 10), [0, 10, null]);
});

test('labels at any places keep their gap', () => {
  for (let seed = 1; seed < 200; seed += 1) {
    const wanted = Array.from({ length: 6 }, (_, index) => ((seed * 7919 + index * index * 104_729) % 1000) / 10);
    const placed = spread(wanted, 15, 0, 100).sort((a, b) => a - b);
    placed.forEach((place, index) => {
      assert.ok(place >= -1e-9 && place <= 100 + 1e-9);
      assert.ok(index === 0 || place - placed[index - 1] >= 15 - 1e-9, `${wanted}: ${placed}`);
    });
  }
});

test('a model of lines has all x values, and texts with the interval', () => {
  const model = lineModel({
    title: 'Failures', summary: 'Few.', formatValue: percent,
    series: [
      { name: 'new', colour: 1, points: [['2026-11-24T01:00:00Z', 0.4], ['2026-11-24T03:00:00Z', null]],
        interval: [['2026-11-24T01:00:00Z', 0.3, 9]] },
      { name: 'old', colour: 5, points: [['2026-11-24T02:00:00Z', 0.5]] },
    ],
    limits: [{ value: 1, label: 'halts at 1%', kind: 'bad' }],
  });
  assert.equal(model.xs.length, 2);
  assert.equal(model.series[0].textAt(model.xs[0]), '0.4% (0.3%–9%)');
  assert.equal(model.series[0].textAt(model.xs[1]), '–');
  assert.equal(model.ticks.at(-1), 2, 'a wide interval does not flatten the lines');
});

test('labels of moments that are close do not overlap, and one without space is left out', async () => {
  const { find } = await import('./browser.js');
  const { drawPlot } = await import('../../Public/charts/plot.js');
  const labels = ['1%', '10%', '20%', '25%', '100%'];
  const model = lineModel({
    title: '', summary: '', to: 100, series: [{ name: 'plan', colour: 1, step: true, points: [[0, 1], [90, 100]] }],
    marks: [0, 6, 6.5, 7, 90].map((x, index) => ({ x, label: labels[index] })),
  }, { drawNotes });
  const measure = (text) => text.length * 7;
  const texts = find(drawPlot(model, 336, measure).node, 'text').filter((each) => labels.includes(each.textContent) && each.getAttribute('y') < 24);
  const spans = texts.map((each) => [each.textContent, Number(each.getAttribute('x')), measure(each.textContent) / 2]);
  for (const [index, [, middle, half]] of spans.entries()) {
    if (index) assert.ok(middle - half >= spans[index - 1][1] + spans[index - 1][2] + 6, JSON.stringify(spans));
  }
  assert.deepEqual(spans.map(([text]) => text), ['1%', '10%', '100%']);
});

test('a line that ends before the axis has its label at its highest point', async () => {
  const { drawEarlyLabels } = await import('../../Public/charts/notes.js');
  const model = lineModel({ title: '', summary: '', series: [
    { name: 'old', colour: 5, points: [[0, 1], [20, 3], [40, 2]] }, { name: 'new', colour: 1, points: [[0, 1], [100, 2]] },
  ] });
  const labels = drawEarlyLabels(model, (x) => x, (y) => 100 - y, { left: 0, right: 200, top: 0, bottom: 100 }, () => 20);
  assert.deepEqual(labels.map((label) => label?.textContent), ['old', undefined]);
  assert.equal(labels[0].getAttribute('x'), '20');
});

test('a step holds its value up to the next one', () => {
  const { series: [plan], to } = lineModel({
    title: '', summary: '', to: 9, series: [{ name: 'plan', colour: 1, step: true, points: [[1, 10], [5, 100]] }],
  });
  assert.deepEqual([0, 1, 4, 5, 8].map(plan.valueAt), [null, 10, 10, 100, 100]);
  assert.equal(to, 9);
});

test('days of UTC are written as these days in each zone', () => {
  process.env.TZ = 'America/Los_Angeles';
  const { xs, formatX, hasDays } = lineModel({
    title: '', summary: '', series: [{ name: 'a', colour: 1, points: [['2026-11-23T00:00:00Z', 1], ['2026-11-24', 2]] }],
  });
  assert.equal(hasDays, true);
  assert.deepEqual(xs.map(formatX), ['Nov 23', 'Nov 24']);
  process.env.TZ = 'Europe/Berlin';
});

test('a model of shares writes the share and the count', () => {
  const options = {
    title: '', summary: '', share: true, formatValue: number,
    series: [
      { name: '2.0', colour: 1, points: [['2026-11-24', 1500]] },
      { name: '1.0', colour: 5, points: [['2026-11-24', 4500]] },
    ],
  };
  const { series, xs, ticks } = stackModel(/** @type {any} */ (options));
  assert.deepEqual(ticks, [0, 25, 50, 75, 100]);
  assert.equal(series[0].textAt(xs[0]), '25% (1,500)');
  assert.equal(series[0].legendText, '2.0, 25%');
});

test('a chart without values is empty', () => {
  assert.equal(lineModel({ title: '', summary: '', series: [{ name: 'a', colour: 1, points: [[1, null]] }] }).isEmpty, true);
  assert.equal(stackModel({ title: '', summary: '', series: [] }).isEmpty, true);
});

test('a chart whose code cannot be fetched says so in its place alone, and is drawn after another try', async () => {
  const { dispatch, find } = await import('./browser.js');
  const { chartsOf } = await import('../../Public/charts/place.js');
  let comeIntoView = (/** @type {any[]} */ entries) => { void entries; };
  globalThis.IntersectionObserver = /** @type {any} */ (class {
    constructor(callback) { comeIntoView = callback; }
    observe() {}
    disconnect() {}
  });
  const loads = [() => Promise.reject(new TypeError('lost')), async () => ({ text: 'drawn' })];
  const draw = chartsOf(() => (loads.shift() ?? (() => Promise.reject(new Error('loaded again'))))());
  const make = ({ text }) => Object.assign(document.createElement('p'), { textContent: text });
  const panel = document.createElement('section');
  panel.append('60 devices', draw(make));
  comeIntoView([{ isIntersecting: true }]);
  await new Promise((resolve) => { setTimeout(resolve); });
  assert.match(panel.textContent, /^60 devices.*could not be loaded/);
  dispatch(find(panel, 'button')[0], 'click');
  await new Promise((resolve) => { setTimeout(resolve); });
  assert.equal(panel.textContent, '60 devicesdrawn');
  assert.equal(draw(make).textContent, 'drawn', 'the code is loaded once');
});

test('the events of a chart wait for the code of its cursor', async () => {
  await import('./browser.js');
  globalThis.ResizeObserver = /** @type {any} */ (class { observe() {} });
  await import('../../Public/charts/chart.js');
  const chart = /** @type {any} */ (document.createElement('larder-chart'));
  const scale = Object.assign((/** @type {number} */ value) => value, { low: 0, high: 100 });
  chart.model = { kind: 'line', xs: [0, 50, 100], series: [], formatX: String };
  chart.drawn = {
    node: { getBoundingClientRect: () => ({ left: 0 }) }, cursor: document.createElement('g'), x: scale, y: scale, box: { left: 0, right: 100, top: 0, bottom: 100 },
  };
  const key = { type: 'keydown', key: 'ArrowLeft', isPrevented: false, preventDefault: () => { key.isPrevented = true; }, stopPropagation: () => {} };
  chart.take({ type: 'pointermove' });
  assert.equal(chart.waiting.length, 0, 'a pointer that was there before loads nothing');
  const loading = chart.take({ type: 'pointerenter', clientX: 50 });
  chart.take({ type: 'pointerleave', pointerType: 'mouse' });
  chart.take({ type: 'keydown', key: 'a' });
  await loading;
  assert.equal(chart.cursor.selected, -1, 'the pointer has left');
  chart.cursor = null;
  const again = chart.take(key);
  chart.take({ ...key });
  assert.ok(key.isPrevented, 'the page does not scroll');
  await again;
  assert.equal(chart.cursor.selected, 1, 'two keys move from the last value to the one before it');
});
