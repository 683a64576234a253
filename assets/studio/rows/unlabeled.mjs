// Rows without a class: gray and fainter than the others. Many are drawn by the layer of all rows, with its
// other rows; a few would not be seen there, so they are drawn above these.
import { UNLABELED } from "../every_row/layer.mjs";
import { shownLayer } from "../every_row/layers.mjs";
import { addTraces } from "../panel/features.mjs";
import { state } from "../state.mjs";

const SIZE = 5;
const [OPACITY, FAINT] = [0.9, 0.1];

export function addUnlabeledRows() {
  addTraces((panel) => {
    const layer = panel.figure?.unlabeled ? shownLayer(panel, panel.plane) : null;
    return layer?.isWhole && !layer.drawn.unlabeled ? [trace(layer.unlabeled())] : [];
  });
}

// Beside classes that are shown alone, and unless they are among the selected rows, they are faint.
function trace({ rows, x, y, color }) {
  const selected = state.rows && rows.flatMap((row, i) => (state.rows.has(row) ? [i] : []));
  return {
    type: "scatter",
    meta: { kind: UNLABELED },
    mode: "markers",
    x,
    y,
    marker: { symbol: "circle", color, size: SIZE },
    opacity: state.classes ? FAINT : OPACITY,
    ...(selected && { selectedpoints: selected, unselected: { marker: { opacity: FAINT } } }),
  };
}
