// How every row looks: by its class or a column, filled or open, and faint unless it is singled out.
import { CROWDING, UNLABELED_COLOR } from "../constants.mjs";

/**
 * Whose rows stand out, if not all: classes by code, rows by number.
 * @typedef {{ classes: number[] | null, rows: Set<number> | null }} Chosen
 */

/**
 * @param {Rows} rows
 * @param {Trace[]} styles of the traces of the figure
 * @param {{ colors: RowMarks | null, symbols: RowMarks | null }} columns
 * @param {Chosen} chosen
 * @param {DrawnRows} drawn
 * @returns {Dress}
 */
export function dressOf(rows, styles, { colors, symbols }, chosen, drawn) {
  const own = markersOf(styles);
  const nClasses = own.length - 1;
  const weightOf = (code, isFaint) => {
    if (!drawn[code < nClasses ? "labeled" : "unlabeled"]) return 0;
    return isFaint ? CROWDING.aside : 1;
  };
  const palette = (colors?.palette ?? own.map(({ color }) => color)).map(colorParts);
  const shapes = symbols?.palette ?? own.map(({ symbol }) => symbol);
  const colorOf = colors?.codes ?? rows.classes;
  const shapeOf = symbols?.codes ?? rows.classes;
  const isFaint = faintRows(rows, chosen);
  // Only the looks that some row has: of many classes, few pairs of color and shape.
  const looks = [];
  const known = new Map();
  const marks = new Uint16Array(rows.numbers.length);
  for (let i = 0; i < marks.length; i += 1) {
    const isUnlabeled = Number(rows.classes[i] === nClasses);
    const key = (((colorOf[i] * shapes.length + shapeOf[i]) * 2 + rows.heldOut[i]) * 2 + isFaint(i)) * 2 + isUnlabeled;
    let mark = known.get(key);
    if (mark === undefined) {
      mark = looks.length;
      known.set(key, mark);
      const shape = shapes[shapeOf[i]];
      looks.push({
        color: palette[colorOf[i]],
        symbol: rows.heldOut[i] ? `${shape}-open` : shape,
        weight: weightOf(rows.classes[i], isFaint(i)),
        isBelow: isUnlabeled === 1,
      });
    }
    marks[i] = mark;
  }
  return { marks, looks };
}

/**
 * The parts of a dress: what lies above, then what lies below; none of rows that are not drawn.
 * @param {Dress} dress
 * @returns {Dress[]}
 */
export function partsOf({ marks, looks }) {
  const part = (isBelow) => looks.map((look) => (look.isBelow === isBelow ? look : { ...look, weight: 0 }));
  const parts = [part(false), part(true)].filter((own) => own.some(({ weight }) => weight > 0));
  return parts.map((own) => ({ marks, looks: own }));
}

/**
 * The markers of the classes in their order, and of rows without a class.
 * @param {Trace[]} styles of the traces of a figure
 */
export function markersOf(styles) {
  const own = styles.filter(({ meta }) => meta.kind === "train").map(({ marker }) => marker);
  return [...own, { color: UNLABELED_COLOR, symbol: "circle" }];
}

/** @param {Rows} rows @param {Chosen} chosen @returns {(i: number) => number} */
function faintRows({ numbers, classes: codes }, { classes, rows }) {
  if (!classes && !rows) return () => 0;
  return (i) => Number((classes !== null && !classes.includes(codes[i])) || (rows !== null && !rows.has(numbers[i])));
}

/** Red, green and blue of a color as the server writes it. @param {string} color */
export function colorParts(color) {
  if (color.startsWith("#")) return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return color.match(/[\d.]+/g).slice(0, 3).map(Number);
}
