// The kernel width that a position of its logarithmic slider stands for.
import { GAMMA_DIGITS } from "../constants.mjs";

/** @param {number} logGamma decimal logarithm @returns {number} */
export const gammaAt = (logGamma) => Number((10 ** logGamma).toPrecision(GAMMA_DIGITS));
