import { svg } from '../elements/dom.js';
import { percent } from '../i18n/index.js';
import { linearScale } from './scale.js';
import { linePath, runs } from './shape.js';

/** @typedef {'good' | 'warn' | 'bad' | 'info' | 'plain'} Kind the meaning that the colour shows; by default good */

const width = 72;
const height = 20;

/**
 * Returns a small line without axes, for a cell of a table. The values must be in the text beside it too.
 *
 * @param {(number | null | [any, number | null])[]} points the values, or points of a chart; `null` is a gap
 * @param {{label: string, kind?: Kind}} options `label` is the accessible name
 * @returns {SVGSVGElement}
 */
export function sparkline(points, { label, kind = 'good' }) {
  const values = points.map((point) => (Array.isArray(point) ? point[1] : point));
  const known = values.filter((value) => value != null && Number.isFinite(value)).map(Number);
  const x = linearScale(0, Math.max(1, values.length - 1), 2, width - 2);
  const y = linearScale(Math.min(0, ...known), Math.max(0, ...known) || 1, height - 2, 2);
  const shapes = runs(values.map((value, index) => [index, value])).map((run) => (run.length > 1
    ? svg('path', { d: linePath(run.map(([at, value]) => [x(at), y(value)])) })
    : svg('circle', { cx: x(run[0][0]), cy: y(run[0][1]), r: 2 })));
  return svg('svg', {
    class: `sparkline ${kind}`, role: 'img', 'aria-label': label, width, height, viewBox: `0 0 ${width} ${height}`,
  }, shapes);
}

/**
 * Returns a bar that is as wide as its cell and filled by a share. A share above 0 stays visible.
 *
 * @param {number} value from 0 to 1
 * @param {{label?: string, kind?: Kind}} options `label` is the accessible name, by default the percentage
 * @returns {SVGSVGElement}
 */
export function barRow(value, { label = percent(value * 100), kind = 'good' } = {}) {
  const share = Math.min(1, Math.max(0, value));
  const filled = `${Math.max(1.2, Math.round(share * 1000) / 10)}%`;
  return svg('svg', { class: `bar-row ${kind}`, role: 'img', 'aria-label': label, width: '100%', height: 8 },
    svg('rect', { class: 'track', width: '100%', height: 8, rx: 4 }),
    share > 0 ? svg('rect', { class: 'filled', width: filled, height: 8, rx: 4 }) : null);
}
