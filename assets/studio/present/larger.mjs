// Traces of Present are read from the back of the room.
import { state } from "../state.mjs";

const LARGER = { text: 1.6, marker: 1.35, line: 1.4 };

/** How much larger text is in this mode than in the figure. */
export const textScale = () => (state.mode === "present" ? LARGER.text : 1);

/** Enlarges a trace in Present. @param {import("../types").Trace} trace */
export function enlarge(trace) {
  if (state.mode !== "present") return;
  const { textfont, marker, line } = trace;
  if (textfont) trace.textfont = { ...textfont, size: LARGER.text * textfont.size };
  if (marker) trace.marker = { ...marker, size: LARGER.marker * marker.size };
  if (line?.width) trace.line = { ...line, width: LARGER.line * line.width };
}
