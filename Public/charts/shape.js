/** Returns the runs of points without a gap: all members of a point but the first are values. */
export function runs(points) {
  const found = [];
  let run = [];
  for (const point of points) {
    if (point.slice(1).every((value) => Number.isFinite(value))) {
      run.push(point);
    } else if (run.length > 0) {
      found.push(run);
      run = [];
    }
  }
  if (run.length > 0) found.push(run);
  return found;
}

/** Returns the runs of a series; the last value of a step holds up to the end of the axis. */
export function drawnRuns(series, model) {
  const found = runs(series.points);
  const last = series.points.at(-1);
  if (series.step && last?.[1] != null && last[0] < model.to) found.at(-1)?.push([model.to, last[1]]);
  return found;
}

/** Returns the path data of a line. With `step`, each value holds until the next one. */
export function linePath(points, step = false) {
  return points.map(([x, y], index) => {
    if (index === 0) return `M${at(x)},${at(y)}`;
    return step ? `H${at(x)}V${at(y)}` : `L${at(x)},${at(y)}`;
  }).join('');
}

export function at(coordinate) {
  return Math.round(coordinate * 10) / 10;
}

/**
 * Moves labels apart so that they keep a gap, with the least movement that the order of the labels allows.
 *
 * @param {number[]} wanted the coordinates at which the labels should be
 * @returns {(number | null)[]} the coordinates from `low` to `high`; `null` for the last labels if not all have space
 */
export function spread(wanted, gap, low, high) {
  const count = Math.max(1, Math.floor((high - low) / gap) + 1);
  const order = wanted.map((_, index) => index).slice(0, count).sort((a, b) => wanted[a] - wanted[b] || a - b);
  // Without the gaps between them, labels that do not overlap ascend. Those that do not are moved to their common mean.
  const levels = order.map((label, place) => wanted[label] - place * gap);
  const mean = (part) => part.reduce((sum, value) => sum + value, 0) / part.length;
  const placed = wanted.map(() => /** @type {number | null} */ (null));
  order.forEach((label, place) => {
    const lowestMean = (from) => Math.min(...order.slice(place).map((_, after) => mean(levels.slice(from, place + after + 1))));
    const level = Math.max(...order.slice(0, place + 1).map((_, from) => lowestMean(from)));
    placed[label] = Math.min(Math.max(level, low), high - (order.length - 1) * gap) + place * gap;
  });
  return placed;
}
