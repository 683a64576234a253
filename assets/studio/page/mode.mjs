// The mode, which Dash renders and the scripts follow.
import { provideCallbacks } from "./dash.mjs";
import { byId } from "./dom.mjs";
import { signal } from "./signals.mjs";

/** What the page shows, one of MODES. */
export const mode = signal("explore");

export function connectMode() {
  provideCallbacks({ setMode });
  document.body.dataset.mode = mode.value;
  document.addEventListener("keydown", runByKey);
}

// Ctrl+Enter is the button of the method line; until that is there, the one that begins.
function runByKey(event) {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || mode.value === "present") return;
  event.preventDefault();
  const run = mode.value === "compare" ? byId("run-several") : byId("run");
  (run ?? document.querySelector('[data-part="begin"]'))?.click();
}

function setMode(name) {
  document.body.dataset.mode = name;
  mode.set(name);
}
