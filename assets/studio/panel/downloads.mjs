// The menu of a panel: the files of its plane, a link to it.
import { copyLink } from "../views/share_link.mjs";
import { connectMenu } from "../page/menu.mjs";
import { addToPanels } from "./features.mjs";

export function addDownloads() {
  addToPanels((panel) => {
    const menu = panel.part("exports");
    connectMenu(panel.part("export"), menu);
    menu.addEventListener("click", ({ target }) => {
      const { dataset } = target;
      if (dataset.file) addressPlane(target, panel);
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
