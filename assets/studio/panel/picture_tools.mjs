// The tools over a picture: everything in sight again, and the popover of its layers.
import { connectPopover } from "../page/menu.mjs";
import { addToPanels } from "./features.mjs";

export function addPictureTools() {
  addToPanels((panel) => {
    connectPopover(panel.part("layers"), panel.part("tools"));
    panel.part("fit").onclick = () => panel.painting.setZoom(null);
  });
}
