// The buttons that place the rows of a second file; what places them is loaded with the first.
import { chooseFile } from "../page/dom.mjs";
import { showNotice, whenLoaded } from "../page/notice.mjs";
import { onChange } from "../page/signals.mjs";
import { addToPanels } from "../panel/features.mjs";
import { shownPanels } from "../panel/panels.mjs";
import { placedFile } from "./singled_out.mjs";

const NOTHING_TO_PASTE = "The clipboard holds no text. Copy rows with their header, then paste them here.";

let isNeeded = false; // whether there were new rows

export function addNewRowsButtons() {
  addToPanels((panel) => {
    panel.node.addEventListener("panel:file", ({ detail }) => place(panel, detail));
    panel.node.addEventListener("panel:painted", () => placedFile.value && follow([panel]).catch(console.warn));
    panel.part("add-rows").onclick = () => chooseFile((file) => place(panel, file));
    panel.part("paste-rows").onclick = () => paste(panel);
  });
  onChange(placedFile, () => follow(shownPanels()).catch(console.warn));
}

// Panels that are new, or drawn again, have the new rows too; each waits until it alone is at rest.
async function follow(panels) {
  isNeeded ||= placedFile.value !== null;
  if (isNeeded) (await load())?.refresh(panels);
}

const load = () => whenLoaded(import("./new_rows.mjs"));

/** @param {Panel} panel @param {File} file */
const place = async (panel, file) => (await load())?.place(panel, file);

async function paste(panel) {
  const text = await navigator.clipboard.readText().catch(() => "");
  if (text.trim()) await place(panel, new File([text], "pasted rows.csv"));
  else showNotice(NOTHING_TO_PASTE, { briefly: true });
}
