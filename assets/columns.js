// The window of the columns: a choice puts its rows up anew, and the focus stays where it was;
// what is refused while the window is open is said there.
(() => {
  "use strict";

  let held = null;

  function hold(event) {
    held = event.target.closest("#columns-table") ? event.target.id : null;
  }

  function restore() {
    if (held && document.activeElement === document.body) document.getElementById(held)?.focus();
  }

  window.dash_clientside.studio.complainOfColumns = (error, opened) => {
    const { callback_context: context, no_update: unchanged } = window.dash_clientside;
    const isOpening = context.triggered.some(({ prop_id: id }) => id === "columns.opened");
    if (isOpening) return null;
    return opened ? error : unchanged;
  };

  document.addEventListener("focusin", hold);
  window.studio.whenPresent("#columns-table > table", restore);
})();
