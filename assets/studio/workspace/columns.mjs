// The window of the columns: Dash renders its rows again after every choice, and the focus returns
// to where it was; errors that occur while the window is open are shown in it.
import { ID } from "../constants.mjs";
import { noUpdate, provideCallbacks } from "../page/dash.mjs";
import { byId, whenPresent } from "../page/dom.mjs";

let focused = null; // the id of the control that had the focus

export function connectColumns() {
  provideCallbacks({ complainOfColumns: columnsError, dataOfDialog });
  document.addEventListener("focusin", remember);
  whenPresent(`#${ID.columnsTable} > table`, restore);
}

function remember({ target }) {
  focused = target.closest(`#${ID.columnsTable}`) ? target.id : null;
}

function restore() {
  if (focused && document.activeElement === document.body) byId(focused)?.focus();
}

const dataOfDialog = (opened, data) => (opened && data ? data : noUpdate());

function columnsError(error, opened) {
  const { triggered } = window.dash_clientside.callback_context;
  const isOpening = triggered.some(({ prop_id: id }) => id === `${ID.columns}.opened`);
  if (isOpening) return null;
  return opened ? error : noUpdate();
}
