// Numbers as text.

/**
 * What a tick says: as few digits as tell it from its neighbors.
 * @param {number} value
 * @param {number} step between ticks
 */
export function tickLabel(value, step) {
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const isPlain = decimals <= 4 && Math.abs(value) < 1e5;
  const text = isPlain ? value.toFixed(decimals) : value.toExponential(1);
  return withMinus(text).replace(/^−(0(\.0*)?)$/, "$1");
}

/** A number as it is read: behind a minus sign. @param {string} text */
export const withMinus = (text) => text.replace("-", "−");

/** The title of an axis with its unit. @param {string} title */
export const inUnits = (title) => `${title} (standard deviations)`;

/** A share as the server writes it: 100 % is all of them. @param {number} share */
export const percent = (share) => (share >= 0.995 && share < 1 ? "over 99 %" : `${Math.round(100 * share + 1e-9)} %`);

const WITHIN = /(?<=\b[\d.,]*\d) (?=[%a-z±])|(?<=\bp) (?=[=<])|(?<=[±=<]) (?=\d)/g;

/** A sentence in which no line ends within a number, its error and what it is of. @param {string} text */
export const unbroken = (text) => text.replace(WITHIN, "\u00a0");

// An accuracy of three digits is 1.00 for all rows only, as `accuracy_figure` has it.
const NEARLY_ONE = 0.9995;

/** A score of a plane with three digits, or a dash. @param {string} name @param {number | null} value */
export function scoreText(name, value) {
  if (value === null) return "–";
  return name.startsWith("accuracy") && value >= NEARLY_ONE && value < 1 ? "> 0.999" : withMinus(value.toPrecision(3));
}
