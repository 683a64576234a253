// The settings that are folded away, in a few words.
import { provideCallbacks } from "./dash.mjs";

export const connectSettingsSummary = () => provideCallbacks({ summarizeSettings });

/**
 * As ": 2 components, 14 starts, 25 % held out".
 * @param {string} components
 * @param {number | string} starts
 * @param {boolean} takesNoStarts
 * @param {number | string} heldOut
 */
export function summarizeSettings(components, starts, takesNoStarts, heldOut) {
  const parts = [counted(components, "component"), !takesNoStarts && counted(starts, "start"), `${heldOut} % held out`];
  return `: ${parts.filter(Boolean).join(", ")}`;
}

const counted = (number, noun) => `${number} ${noun}${String(number) === "1" ? "" : "s"}`;
