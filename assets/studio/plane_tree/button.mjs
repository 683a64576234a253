// Opens the tree of planes of a run; its scripts are loaded by the first click.
import { NO_SERVER, showNotice } from "../page/notice.mjs";
import { addToPanels } from "../panel/features.mjs";

export function addTree() {
  addToPanels((panel) => {
    for (const name of ["open-tree", "curve-tree"]) {
      const button = panel.part(name); // only runs of MELM have a tree
      if (button) button.onclick = () => openTree(panel);
    }
  });
}

/** @param {import("../panel/panel.mjs").Panel | undefined} panel */
export async function openTree(panel) {
  if (!panel?.part("open-tree")) return;
  try {
    const { showTree } = await import("./tree_view.mjs");
    showTree(panel);
  } catch {
    showNotice(NO_SERVER);
  }
}
