// The settings of a run, in words where they are folded away. The kernel width: a number field holds it, a slider
// over its logarithm follows and sets it, and a button leaves it to the method.
import { GAMMA_DIGITS } from "../constants.mjs";
import { provideCallbacks, setProps } from "./dash.mjs";
import { byId, onClick, whenPresent } from "./dom.mjs";
import { signal } from "./signals.mjs";

/** The kernel width that the next run is to have. */
export const chosenGamma = signal(/** @type {number | null} */ (null));

export function connectSettings() {
  provideCallbacks({ setGamma, setAuto, summarizeSettings });
  onClick("#gamma-choice", (button) => choose(button.getAttribute("aria-pressed") !== "true"));
  whenPresent("#gamma-slider", (slider) => {
    slider.addEventListener("input", () => setProps("gamma", { value: gammaAt(/** @type {HTMLInputElement} */ (slider).valueAsNumber) }));
  });
}

// A width that is chosen by hand ends the choice of the method.
const choose = (isAuto) => setProps("gamma-auto", { data: isAuto });

function setAuto(isAuto) {
  const button = byId("gamma-choice");
  button?.setAttribute("aria-pressed", String(isAuto));
  button?.closest(".gamma").classList.toggle("is-auto", isAuto);
}

// While a number is typed, the field may hold text.
function setGamma(gamma) {
  if (typeof gamma !== "number" || gamma <= 0) return;
  chosenGamma.set(gamma);
  if (byId("gamma-choice")?.getAttribute("aria-pressed") === "true") choose(false);
  const slider = byId("gamma-slider");
  if (!slider) return;
  // While it is moved, answers of Dash are behind it and would pull it back.
  if (!slider.matches(":focus, :active")) slider.value = String(Math.log10(gamma));
  slider.setAttribute("aria-valuetext", `γ ${gamma}`);
}

/**
 * The settings that are folded away, as ": 2 components, 14 starts, 25 % held out".
 * @param {string} components
 * @param {number | string} starts
 * @param {boolean} takesNoStarts
 * @param {number | string} heldOut
 * @param {string} curves whether features bend
 */
export function summarizeSettings(components, starts, takesNoStarts, heldOut, curves) {
  const parts = [
    counted(components, "component"),
    BENDING[curves],
    !takesNoStarts && counted(starts, "start"),
    heldOut !== "" && (heldOut ?? null) !== null && `${heldOut} % held out`,
  ];
  return `: ${parts.filter(Boolean).join(", ")}`;
}

// What is said of features that are not straight.
const BENDING = { curved: "curved", auto: "curved or straight" };

const counted = (number, noun) => `${number} ${noun}${String(number) === "1" ? "" : "s"}`;

// The kernel width that a position of its logarithmic slider stands for.

/** @param {number} logGamma decimal logarithm @returns {number} */
export const gammaAt = (logGamma) => Number((10 ** logGamma).toPrecision(GAMMA_DIGITS));
