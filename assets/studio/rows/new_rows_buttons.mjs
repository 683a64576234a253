// The buttons that place the rows of a second file; what places them is loaded with the first.
import { chooseFile } from "../page/dom.mjs";
import { whenLoaded } from "../page/notice.mjs";
import { onChange } from "../page/signals.mjs";
import { addToPanels } from "../panel/features.mjs";
import { shownPanels } from "../panel/panels.mjs";
import { placedFile } from "./singled_out.mjs";

let isNeeded = false; // whether there were new rows

export function addNewRowsButtons() {
  addToPanels((panel) => {
    panel.node.addEventListener("panel:file", ({ detail }) => place(panel, detail));
    panel.node.addEventListener("panel:painted", () => placedFile.value && follow([panel]).catch(console.warn));
    panel.part("add-rows").onclick = () => chooseFile((file) => place(panel, file));
    panel.part("paste-rows").onclick = () => paste(panel);
    panel.part("pasted-rows").onpaste = (event) => {
      event.preventDefault();
      placeText(panel, event.clipboardData.getData("text"));
    };
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

// Where the clipboard may not be read, as on phones and without https, there is a field to paste into.
async function paste(panel) {
  const text = await navigator.clipboard?.readText().catch(() => "");
  if (text?.trim()) return placeText(panel, text);
  const field = panel.part("pasted-rows");
  field.hidden = false;
  return field.focus();
}

function placeText(panel, text) {
  panel.part("pasted-rows").hidden = true;
  return place(panel, new File([text], "pasted rows.csv"));
}
