// Comparing runs: which one the others are turned to lie like, and the order of the table.
(() => {
  "use strict";

  const { view, extensions, whenPresent, setProps } = window.studio;

  // Says which panel the others follow.
  function markReference() {
    const { Panel } = window.studio;
    const reference = Panel.reference();
    for (const panel of Panel.all()) {
      const isReference = panel.run === reference;
      panel.node.classList.toggle("is-reference", isReference);
      panel.part("anchor").setAttribute("aria-pressed", isReference);
    }
  }

  extensions.push((panel) => {
    panel.part("anchor").onclick = () => {
      view.reference = panel.run;
      document.dispatchEvent(new Event("studio:turned"));
    };
  });
  for (const change of ["studio:turned", "studio:view", "studio:mode"]) {
    document.addEventListener(change, markReference);
  }
  whenPresent("[data-run]", () => queueMicrotask(markReference));

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-sort]");
    if (!button) return;
    const data = { column: button.dataset.sort, descending: button.dataset.descending === "true" };
    setProps("sort", { data });
  });
})();
