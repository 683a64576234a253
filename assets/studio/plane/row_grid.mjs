// Rows sorted into the cells of a grid over a picture: those that are near each other are side by
// side, which makes drawing them several times faster, and the one under the pointer is found at once.

const LINES = 256; // and as many columns

export class RowGrid {
  /**
   * @param {Float32Array} x
   * @param {Float32Array} y
   * @param {Axes} box that holds most rows; others belong to the cells at its edge
   */
  constructor(x, y, [[left, right], [bottom, top]]) {
    this.low = [left, bottom];
    this.perUnit = [LINES / (right - left || 1), LINES / (top - bottom || 1)];
    const cells = new Uint16Array(x.length);
    /** The first row of each cell, and behind the last one the number of rows. */
    this.starts = new Int32Array(LINES * LINES + 1);
    for (let i = 0; i < x.length; i += 1) {
      cells[i] = LINES * this.step(1, y[i]) + this.step(0, x[i]);
      this.starts[cells[i] + 1] += 1;
    }
    for (let cell = 1; cell < this.starts.length; cell += 1) this.starts[cell] += this.starts[cell - 1];
    const next = this.starts.slice();
    /** The position before the sort of each row, whose place is in `x` and `y`. */
    this.order = new Int32Array(x.length);
    this.x = new Float32Array(x.length);
    this.y = new Float32Array(x.length);
    for (let i = 0; i < x.length; i += 1) {
      const at = next[cells[i]]++;
      this.order[at] = i;
      this.x[at] = x[i];
      this.y[at] = y[i];
    }
  }

  step(axis, value) {
    return Math.min(LINES - 1, Math.max(0, Math.floor((value - this.low[axis]) * this.perUnit[axis])));
  }

  /** A dress in the order of the rows of the grid. @param {Dress} dress */
  sorted({ marks, looks }) {
    return { marks: Uint16Array.from(this.order, (row) => marks[row]), looks };
  }

  /**
   * The row nearest to a point, by its position before the sort, or null.
   * @param {Point} point
   * @param {Point} reach how far it may be away along each axis
   * @param {(row: number) => boolean} counts whether a row can be found
   */
  nearest([x, y], [reachX, reachY], counts) {
    let [found, least] = [null, 1];
    const [first, last] = [this.step(0, x - reachX), this.step(0, x + reachX)];
    for (let line = this.step(1, y - reachY); line <= this.step(1, y + reachY); line += 1) {
      const end = this.starts[LINES * line + last + 1];
      for (let at = this.starts[LINES * line + first]; at < end; at += 1) {
        const distance = ((this.x[at] - x) / reachX) ** 2 + ((this.y[at] - y) / reachY) ** 2;
        if (distance > least || !counts(this.order[at])) continue;
        [found, least] = [this.order[at], distance];
      }
    }
    return found;
  }

  /**
   * The rows within a polygon, by their positions before the sort.
   * @param {Point[]} corners
   */
  within(corners) {
    const found = [];
    const [columns, lines] = [0, 1].map((axis) => corners.map((corner) => corner[axis]));
    const [left, right] = [Math.min(...columns), Math.max(...columns)];
    const [bottom, top] = [Math.min(...lines), Math.max(...lines)];
    for (let at = 0; at < this.x.length; at += 1) {
      const [x, y] = [this.x[at], this.y[at]];
      if (x < left || x > right || y < bottom || y > top) continue;
      if (isWithin(x, y, corners)) found.push(this.order[at]);
    }
    return found;
  }
}

/**
 * Whether a point is within a polygon: a line to the right crosses its outline an odd number of times.
 * @param {number} x
 * @param {number} y
 * @param {Point[]} corners
 */
export function isWithin(x, y, corners) {
  let isIn = false;
  for (let i = 0, j = corners.length - 1; i < corners.length; j = i, i += 1) {
    const [[x0, y0], [x1, y1]] = [corners[i], corners[j]];
    if (y0 > y !== y1 > y && x < x0 + ((y - y0) * (x1 - x0)) / (y1 - y0)) isIn = !isIn;
  }
  return isIn;
}
