// The data sets used before: the browser remembers them, and a menu lists them with their runs.
import { ID } from "../constants.mjs";
import { openRun } from "../front_run.mjs";
import { noUpdate, provideCallbacks, setProps } from "./dash.mjs";

const MOST_REMEMBERED = 8;

export function connectDataMenus() {
  provideCallbacks({ rememberData });
  document.addEventListener("click", ({ target }) => {
    const item = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest?.("[data-source]"));
    if (!item) return;
    const { source, runToShow } = item.dataset;
    if (runToShow) openRun(runToShow);
    setProps(ID.choice, { data: JSON.parse(source) });
  });
}

// The newest first, in place of earlier preparations of the same file.
function rememberData(data, remembered) {
  if (!data) return noUpdate();
  const { source } = data;
  const others = (remembered ?? []).filter(({ kind, key }) => kind !== source.kind || key !== source.key);
  return [source, ...others].slice(0, MOST_REMEMBERED);
}
