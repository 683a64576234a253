// The buttons that open the dialog of a figure for print, whose scripts are loaded by the first click.
import { whenLoaded } from "../page/notice.mjs";

export function connectFigureButtons() {
  document.addEventListener("click", ({ target }) => {
    const button = /** @type {Element} */ (target).closest?.("[data-figure-of]");
    if (button) open(button).catch(console.warn);
  });
}

async function open(button) {
  (await whenLoaded(import("./figure_dialog.mjs")))?.openFigureDialog(button);
}
