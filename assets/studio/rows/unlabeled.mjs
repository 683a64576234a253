// Rows without a label, drawn gray in the plane on screen.
import { ask } from "../page/answers.mjs";
import { addToPanels, addTraces } from "../panel/features.mjs";
import { addressOf } from "./plane_address.mjs";

/** @typedef {import("../panel/panel.mjs").Panel} Panel */

const SETTLED_MS = 150;
const SIZE = 5;

/** @type {WeakMap<Panel, { address: string, x: number[], y: number[], rows: number[], sample: string | null }>} */
const known = new WeakMap();

export function addUnlabeledRows() {
  addTraces((panel) => (known.get(panel)?.address === addressIn(panel) ? [trace(panel)] : []));
  addToPanels((panel) => {
    let timer = 0;
    panel.node.addEventListener("panel:painted", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => load(panel).catch(console.warn), SETTLED_MS);
    });
  });
}

// Null while the plane still moves, and where every row has a label.
function addressIn(panel) {
  const isMoving = panel.isLive && !panel.isFinal;
  return panel.figure?.unlabeled && panel.plane && !isMoving ? addressOf(panel, "unlabeled") : null;
}

async function load(panel) {
  const address = addressIn(panel);
  if (panel.isDisposed || address === null || known.get(panel)?.address === address) return;
  const points = await ask(address);
  if (address !== addressIn(panel)) return;
  known.set(panel, { address, ...points });
  await panel.paint(true);
}

function trace(panel) {
  const { x, y, rows, sample } = known.get(panel);
  const { color } = panel.figure.plane.layout.font;
  return {
    type: "scatter",
    meta: { kind: "unlabeled" },
    mode: "markers",
    x,
    y,
    customdata: rows,
    marker: { symbol: "circle", color, size: SIZE },
    opacity: 0.45,
    hovertemplate: `no label, row %{customdata}${sample ? `<br>${sample}` : ""}<extra></extra>`,
    showlegend: false,
  };
}
