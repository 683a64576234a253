// The buttons that open the dialog of a figure for print, whose scripts are loaded by the first click.
import { NO_SERVER, showNotice } from "../page/notice.mjs";

export function connectFigureButtons() {
  document.addEventListener("click", ({ target }) => {
    const button = /** @type {Element} */ (target).closest?.("[data-figure-of]");
    if (button) open(button).catch(() => showNotice(NO_SERVER));
  });
}

async function open(button) {
  const { openFigureDialog } = await import("./figure_dialog.mjs");
  openFigureDialog(button);
}
