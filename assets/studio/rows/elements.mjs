// Elements that show rows.
import { element, span } from "../page/dom.mjs";
import { percent } from "../page/number_text.mjs";

/** @typedef {import("../types").RowSummary} RowSummary */

/**
 * A field for text, which Dash does not have without a callback.
 * @param {string} label
 * @param {object} properties
 */
export function textField(label, properties) {
  const field = document.createElement("input");
  Object.assign(field, { type: "text", className: "row-field", ...properties });
  field.setAttribute("aria-label", label);
  return field;
}

/** @param {string} label */
export function submitButton(label) {
  const button = document.createElement("button");
  Object.assign(button, { type: "submit", className: "button is-small", textContent: label });
  return button;
}

/** The name of a row, or its number. @param {{ name: string, row: number }} row */
export const nameOf = ({ name, row }) => name || `row ${row}`;

/** What a row is taken for, and how sure that is. @param {RowSummary} row */
export const predictionOf = ({ predicted, probability }) => `${predicted} ${percent(probability)}`;

/**
 * A row as a line: name, class, and, where another class is more probable, that.
 * @param {RowSummary} row
 */
export function rowLine(row) {
  const isOther = row.label && row.label !== row.predicted;
  const line = [
    element("span", "row-name", nameOf(row)),
    span(row.label || row.predicted, "row-class"),
    element("span", isOther ? "row-taken is-other" : "row-taken", isOther ? predictionOf(row) : percent(row.probability)),
  ];
  if (row.unlike) line.push(element("span", "row-unlike", "unlike"));
  return line;
}
