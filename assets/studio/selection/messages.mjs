// Sentences about the rows and classes that are singled out.
import { positionOf } from "../every_row/answers.mjs";

/**
 * How many rows are selected, in all and of each class that is drawn.
 * @param {import("../types").Figure} figure
 * @param {Set<number>} rows
 * @param {import("../every_row/answers.mjs").Rows | null} [every] where all rows are drawn
 */
export function selectionMessage(figure, rows, every = null) {
  const known = every && classCounts(every, rows);
  const names = [...figure.classes, "without a label"]; // the latter are only among all rows
  const counts = names.map((name, code) => [known ? (known.get(code) ?? 0) : countOf(figure, code, rows), name]);
  const parts = counts.filter(([count]) => count).map(([count, name]) => `${count.toLocaleString("en")} ${name}`);
  return `${rows.size.toLocaleString("en")} ${rows.size === 1 ? "row" : "rows"} selected: ${parts.join(", ")}`;
}

function countOf(figure, code, selected) {
  const drawn = figure.rows.filter((_, trace) => figure.plane.data[trace].meta.class === code).flat();
  return drawn.filter((row) => selected.has(row)).length;
}

function classCounts({ numbers, classes }, selected) {
  const counts = new Map();
  for (const row of selected) {
    const at = positionOf(numbers, row);
    if (at >= 0) counts.set(classes[at], (counts.get(classes[at]) ?? 0) + 1);
  }
  return counts;
}

/**
 * @param {import("../types").Figure} figure
 * @param {number[]} codes of the classes that alone are shown
 */
export function classesMessage({ classes }, codes) {
  const names = codes.map((code) => classes[code]);
  return `Only ${names.join(" and ")} ${names.length === 1 ? "is" : "are"} shown`;
}
