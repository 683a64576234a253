// The download menu of a panel: its picture, the files of its plane, a link to it.
import { copyLink } from "../views/share_link.mjs";
import { connectMenu } from "../page/menu.mjs";
import { download } from "../drawing/plotly.mjs";
import { addToPanels } from "./features.mjs";

const SIZE = { width: 1000, height: 800 };

export function addDownloads() {
  addToPanels((panel) => {
    const menu = panel.part("exports");
    connectMenu(panel.part("export"), menu);
    panel.part("figure").onclick = () => savePicture(panel, "png").catch(console.warn);
    menu.addEventListener("click", ({ target }) => {
      const { dataset } = target;
      if (dataset.file) addressPlane(target, panel);
      if (dataset.picture) savePicture(panel, dataset.picture).catch(console.warn);
      if (dataset.link) copyLink(panel).catch(console.warn);
    });
  });
}

// A file describes the plane on screen.
function addressPlane(link, panel) {
  if (!panel.plane) return;
  const query = panel.query({ gamma: null, toward: null, from: null });
  link.search = `?plane=${panel.plane.sequence}&${query}`;
}

// The picture on screen under its title, on the color of the card.
function savePicture(panel, format) {
  const { data, layout } = panel.part("plot");
  const titled = {
    ...layout,
    title: { text: panel.node.dataset.title, x: 0.02, xanchor: "left", font: { size: 16 } },
    margin: { ...layout.margin, t: 44 },
    paper_bgcolor: getComputedStyle(panel.node).backgroundColor,
  };
  const filename = panel.node.getAttribute("aria-label").replace(/[^\p{L}\p{N}.]+/gu, "-");
  const scale = format === "png" ? 2 : 1;
  return download({ data, layout: titled }, { format, filename, ...SIZE, scale });
}
