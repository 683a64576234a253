// Angles of tools and views.

export const DEGREES = 180 / Math.PI;

/** An angle in radians, brought into [-π, π). @param {number} angle */
export const wrapped = (angle) => ((((angle + Math.PI) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI)) - Math.PI;

/** A number as it is sent in a query, to four decimals. @param {number} value */
export const rounded = (value) => Number(value.toFixed(4));
