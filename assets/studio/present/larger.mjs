// The size of a mode: traces of Present are read from the back of the room, and several panels have
// little room for the names of the classes.
import { PLANE_TRACE } from "../constants.mjs";
import { state } from "../state.mjs";

const LARGER = { text: 1.6, marker: 1.35, line: 1.4 };
const CLASS_NAMES_OF_SEVERAL = 0.8;

/** How much larger the text of a trace is in this mode than in the figure. @param {string} kind */
export function textScale(kind) {
  if (state.mode === "present") return LARGER.text;
  return state.mode === "compare" && kind === PLANE_TRACE.classNames ? CLASS_NAMES_OF_SEVERAL : 1;
}

/** Sizes a trace for the mode. @param {import("../types").Trace} trace */
export function enlarge(trace) {
  const { textfont, marker, line } = trace;
  if (textfont) trace.textfont = { ...textfont, size: textScale(trace.meta.kind) * textfont.size };
  if (state.mode !== "present") return;
  if (marker) trace.marker = { ...marker, size: LARGER.marker * marker.size };
  if (line?.width) trace.line = { ...line, width: LARGER.line * line.width };
}
