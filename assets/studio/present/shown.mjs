// What Present shows of a run, as the audience of a talk is to see it.
import { ID, MORE_LAYERS, SWITCHES } from "../constants.mjs";
import { byId } from "../page/dom.mjs";
import { state } from "../state.mjs";
import { positionLabel } from "../views/story_order.mjs";

/** @typedef {import("../panel/panel.mjs").Panel} Panel */

/** @param {Panel} panel */
export function shownNow(panel) {
  const { painting, plane, run } = panel;
  const { story } = state;
  return {
    query: panel.query({ toward: null }).toString(),
    body: {
      run,
      plane: plane.sequence,
      caption: byId(ID.caption)?.textContent || (byId(ID.title)?.textContent ?? ""),
      position: story.at >= 0 ? positionLabel(story) : "",
      rows: selectedRows(panel),
      classes: state.classes,
      hidden: SWITCHES.filter((name) => !state[name]),
      layers: MORE_LAYERS.filter((name) => state[name]),
      axes: painting.isZoomed() ? painting.axes() : null,
      isBlank: document.body.hasAttribute("data-blank"),
    },
  };
}

/** @type {WeakMap<object, { figure: object, rows: number[] }>} */
const drawn = new WeakMap();

// Of the selected rows, those that are drawn: viewers see no others.
function selectedRows({ figure }) {
  const { rows } = state;
  if (!rows || !figure) return null;
  const known = drawn.get(rows);
  if (known?.figure === figure) return known.rows;
  const found = figure.rows.flat().filter((row) => rows.has(row));
  drawn.set(rows, { figure, rows: found });
  return found;
}
