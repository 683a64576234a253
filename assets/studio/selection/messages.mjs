// Sentences about the rows and classes that are singled out.

/**
 * How many rows are selected, in all and of each class that is drawn.
 * @param {import("../types").Figure} figure
 * @param {Set<number>} rows
 */
export function selectionMessage(figure, rows) {
  const counts = figure.classes.map((name, code) => [countOf(figure, code, rows), name]);
  const parts = counts.filter(([count]) => count).map(([count, name]) => `${count} ${name}`);
  return `${rows.size} ${rows.size === 1 ? "row" : "rows"} selected: ${parts.join(", ")}`;
}

function countOf(figure, code, selected) {
  const drawn = figure.rows.filter((_, trace) => figure.plane.data[trace].meta.class === code).flat();
  return drawn.filter((row) => selected.has(row)).length;
}

/**
 * @param {import("../types").Figure} figure
 * @param {number[]} codes of the classes that alone are shown
 */
export function classesMessage({ classes }, codes) {
  const names = codes.map((code) => classes[code]);
  return `Only ${names.join(" and ")} ${names.length === 1 ? "is" : "are"} shown`;
}
