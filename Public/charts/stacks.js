import { svg } from '../elements/dom.js';
import { percent, t } from '../i18n/index.js';
import { bandPath } from './bands.js';
import { layerClass } from './marks.js';
import { finish, union, xAxis } from './model.js';
import { niceTicks } from './scale.js';
import { linePath, runs } from './shape.js';

/**
 * Returns what a stacked chart draws. The first series is on top.
 *
 * @param {import('./types.js').ChartOptions} options
 * @returns {import('./types.js').Model}
 */
export function makeModel(options) {
  const axis = xAxis(options);
  const columns = options.series.map(({ points }) => new Map(points.map(([x, value]) => [axis.read(x), value])));
  const xs = union(columns.map((column) => [...column.keys()]));
  const layers = stack(columns.map((column) => xs.map((x) => column.get(x) ?? null)), options.share);
  const series = options.series.map((given, index) => {
    const bounds = new Map(xs.map((x, position) => [x, layers[index][position]]));
    const column = columns[index];
    const textAt = (/** @type {number} */ x, isShort = false) => {
      const value = column.get(x);
      const layer = bounds.get(x);
      if (value == null || layer == null) return t('chart.none');
      if (!options.share) return axis.formatValue(value);
      const share = percent(layer[1] - layer[0]);
      return options.formatValue && !isShort ? t('chart.share', { share, value: axis.formatValue(value) }) : share;
    };
    return {
      ...given,
      points: /** @type {[number, number | null][]} */ (xs.map((x) => [x, column.get(x) ?? null])),
      interval: /** @type {number[][]} */ ([]),
      layer: layers[index],
      valueAt: (/** @type {number} */ x) => bounds.get(x)?.[1] ?? null,
      textAt,
      legendText: options.bars ? given.name
        : t('chart.value', { name: given.name, value: textAt(xs[xs.length - 1], true) }),
    };
  });
  const tops = layers.flatMap((layer) => layer.map((bounds) => bounds?.[1] ?? 0));
  const ticks = options.share ? [0, 25, 50, 75, 100]
    : niceTicks(0, Math.max(0, options.max ?? 0, ...tops), { wholeNumbers: tops.every(Number.isInteger) });
  const model = finish(options.bars ? 'bars' : 'stack', options, axis, series, ticks, { under: [drawLayers], over: [], endOf });
  return options.share ? { ...model, formatTick: percent } : model;
}

/** Returns the middle of a layer's end, which its label points to; `null` if the layer is not there. */
function endOf(series, model) {
  const [low, high] = series.layer[series.layer.length - 1] ?? [0, 0];
  return high > low ? { x: model.to, value: (low + high) / 2 } : null;
}

/** Returns the areas or the bars of the layers. */
function drawLayers(model, x, y, box) {
  const barWidth = Math.max(2, Math.min(28, ((box.right - box.left) / model.xs.length) * 0.66));
  return model.series.map((series) => {
    const points = series.points.map(([at], index) => [at, series.layer[index]?.[0], series.layer[index]?.[1]]);
    if (model.kind === 'bars') {
      return points.filter(([, low, high]) => high > low).map(([at, low, high]) => svg('rect', {
        class: layerClass(series, model.kind),
        x: x(at) - barWidth / 2, y: y(high), width: barWidth, height: y(low) - y(high),
      }));
    }
    return runs(points).map((run) => {
      // One position has no width; a narrow bar stands for it.
      const wide = run.length > 1 ? run.map(([at, ...bounds]) => [x(at), ...bounds])
        : [-6, 6].map((offset) => [x(run[0][0]) + offset, ...run[0].slice(1)]);
      if (wide.every(([, low, high]) => low === high)) return null;
      const band = bandPath(wide.map(([at, low, high]) => [at, y(low), y(high)]));
      return [
        svg('path', { class: layerClass(series, model.kind), d: band }),
        svg('path', { class: `edge c-${series.colour}`, d: linePath(wide.map(([at, , high]) => [at, y(high)])) }),
      ];
    });
  });
}

/**
 * Stacks series on each other; the first is on top. A gap counts as 0, but a position without any value stays a gap.
 *
 * @param {(number | null)[][]} columns the values of each series, at the same positions
 * @param {boolean} [share] whether the layers are percentages of the sum
 * @returns {([number, number] | null)[][]} the bottom and the top of each layer
 */
export function stack(columns, share = false) {
  const layers = columns.map((column) => column.map(() => /** @type {[number, number] | null} */ (null)));
  for (let position = 0; position < (columns[0]?.length ?? 0); position += 1) {
    const values = columns.map((column) => column[position]);
    const sum = values.reduce((total, value) => Number(total) + (value ?? 0), 0);
    if (values.every((value) => value == null) || (share && sum === 0)) continue;
    const factor = share ? 100 / Number(sum) : 1;
    let bottom = 0;
    for (let index = columns.length - 1; index >= 0; index -= 1) {
      const top = bottom + (values[index] ?? 0);
      layers[index][position] = [bottom * factor, top * factor];
      bottom = top;
    }
  }
  return layers;
}
