/** @typedef {[number, number | null]} Point a value at a coordinate; `null` is a gap */

/**
 * Splits points at gaps.
 *
 * @param {any[][]} points points whose members after the first are values
 * @returns {any[][][]} the runs of points without a gap
 */
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

/**
 * Returns the path data of a line. With `step`, each value holds until the next one.
 *
 * @param {number[][]} points coordinates
 * @param {boolean} [step]
 * @returns {string} path data
 */
export function linePath(points, step = false) {
  return points.map(([x, y], index) => {
    if (index === 0) return `M${at(x)},${at(y)}`;
    return step ? `H${at(x)}V${at(y)}` : `L${at(x)},${at(y)}`;
  }).join('');
}

/**
 * Returns the path data of the area between two lines.
 *
 * @param {number[][]} points the x coordinate, and the y coordinates of the lower and the upper line
 * @param {boolean} [step]
 * @returns {string} path data
 */
export function bandPath(points, step = false) {
  if (points.length === 0) return '';
  const upper = points.map(([x, , y]) => [x, y]);
  const lower = points.map(([x, y]) => [x, y]).reverse();
  if (!step) return `${linePath(upper)}${linePath(lower).replace('M', 'L')}Z`;
  // On the way back, the value of the point at the left holds up to the point at the right.
  const back = lower.map(([x, y], index) => (index === 0 ? `V${at(y)}` : `V${at(y)}H${at(x)}`)).join('');
  return `${linePath(upper, true)}${back}Z`;
}

function at(coordinate) {
  return Math.round(coordinate * 10) / 10;
}

/**
 * Moves labels apart so that they keep a gap, with the least movement that the order of the labels allows.
 *
 * @param {number[]} wanted the coordinates at which the labels should be
 * @param {number} gap the least distance between two labels
 * @param {number} low the lowest coordinate
 * @param {number} high the highest coordinate
 * @returns {(number | null)[]} the coordinates; `null` for the last labels if not all have space
 */
export function spread(wanted, gap, low, high) {
  const count = Math.max(1, Math.floor((high - low) / gap) + 1);
  const order = wanted.map((_, index) => index).slice(0, count).sort((a, b) => wanted[a] - wanted[b] || a - b);
  /** @type {{members: number[], centre: number}[]} */
  const groups = [];
  for (const index of order) {
    let group = { members: [index], centre: wanted[index] };
    for (;;) {
      const half = ((group.members.length - 1) * gap) / 2;
      group.centre = Math.min(Math.max(group.centre, low + half), high - half);
      const before = groups.at(-1);
      if (!before || before.centre + ((before.members.length - 1) * gap) / 2 + gap <= group.centre - half) break;
      groups.pop();
      const members = [...before.members, ...group.members];
      const ideal = members.map((member, place) => wanted[member] - place * gap + ((members.length - 1) * gap) / 2);
      group = { members, centre: ideal.reduce((sum, value) => sum + value, 0) / members.length };
    }
    groups.push(group);
  }
  const placed = wanted.map(() => /** @type {number | null} */ (null));
  for (const { members, centre } of groups) {
    members.forEach((member, place) => { placed[member] = centre + (place - (members.length - 1) / 2) * gap; });
  }
  return placed;
}
