// Plane editing: planes that a user makes of the one that was found.
import { addToPanels } from "../panel/features.mjs";
import { Pointer } from "./pointer.mjs";
import { Tools } from "./tools.mjs";

export function addPlaneEditing() {
  addToPanels((panel) => new Pointer(panel, new Tools(panel)));
}
