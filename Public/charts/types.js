/**
 * The types of what a page passes to a chart. No module imports this one, so that a browser never loads it.
 *
 * @module
 */

/**
 * A series as a page passes it. The instants are ISO 8601 texts, dates or milliseconds since 1970.
 * @typedef {object} Series
 * @property {string} name
 * @property {any} colour 1 to 5 or `bad`: 1 is the newest version, 5 the control group or an old version
 * @property {[string | number | Date, number | null][]} points in ascending order; `null` is a gap
 * @property {[string | number | Date, number, number][]} [interval] the lower and the upper bound at an x
 * @property {boolean} [dashed] whether the line is dashed and thin, for a plan or a reference
 * @property {boolean} [area] whether the area below the line is filled
 * @property {boolean} [step] whether a value holds until the next one, and the last one up to the end of the axis
 * @property {boolean} [solid] whether a layer of a stacked chart has the full colour instead of the tint
 */

/**
 * The options of a chart.
 * @typedef {object} ChartOptions
 * @property {string} title the caption of the table, and of the figure for screen readers
 * @property {string} summary a sentence that says what the chart shows; the accessible name of the drawing
 * @property {Series[]} series
 * @property {{value: number, label: string, kind: 'bad' | 'plain'}[]} [limits] horizontal lines
 * @property {{x: string | number | Date, label: string}[]} [marks] vertical lines
 * @property {(value: number) => string} [formatValue] with the unit; used by the tooltip, the labels and the table
 * @property {(value: number) => string} [formatTick] by default `formatValue`
 * @property {'time' | 'day'} [x] the x values: instants (the default), or days of UTC
 * @property {string | number | Date} [to] the end of the x axis, by default the last point
 * @property {number} [max] the value at the top of the y axis if no point is higher
 * @property {number} [height] in pixels, by default 220
 * @property {boolean} [share] of a stacked chart: whether the layers are percentages of the sum; the values are then counts, and
 *   `formatValue` writes a count
 * @property {boolean} [bars] of a stacked chart: whether each x has a bar
 * @property {string} [empty] the sentence without data
 */

/**
 * What a chart draws.
 * @typedef {ReturnType<typeof import('./model.js').finish>} Model
 */

/**
 * The box of the plot inside the drawing, in pixels.
 * @typedef {{left: number, right: number, top: number, bottom: number}} Box
 */

/**
 * Maps a value of a domain to a coordinate, with the values it maps between.
 * @typedef {((value: number) => number) & {low: number, high: number}} Scale
 */

/**
 * Returns the width of a text of an axis or of a label.
 * @typedef {(text: string, isLabel?: boolean) => number} Measure
 */

/**
 * A drawing with what the cursor needs: its group, the box and the scales.
 * @typedef {{node: SVGSVGElement, cursor: SVGGElement, box: Box, x: Scale, y: Scale}} Drawing
 */

export {};
