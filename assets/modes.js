// Which run stands in front, and the row of runs to choose it from.
(() => {
  "use strict";

  const { view, whenPresent } = window.studio;
  const STATES = {
    queued: "waiting",
    running: "running",
    paused: "paused",
    failed: "failed",
    cancelled: "stopped",
    lost: "lost",
  };

  function bringToFront(run) {
    view.front = run;
    document.dispatchEvent(new Event("studio:mode"));
  }

  // Shows the front run; where it is gone, the newest.
  function arrange() {
    const { Panel } = window.studio;
    const panels = Panel.all();
    if (!panels.some(({ run }) => run === view.front)) view.front = panels.at(-1)?.run ?? null;
    for (const panel of panels) {
      const isFront = panel.run === view.front;
      panel.node.classList.toggle("is-front", isFront);
      tab(panel.run)?.setAttribute("aria-pressed", isFront);
    }
    for (const panel of Panel.shown()) panel.restyle().catch(console.warn);
  }

  const tab = (run) => document.querySelector(`[data-tab="${run}"]`);

  document.addEventListener("click", (event) => {
    const chosen = event.target.closest?.("[data-tab]");
    if (chosen) bringToFront(chosen.dataset.tab);
  });
  document.addEventListener("studio:mode", arrange);
  document.addEventListener("studio:states", ({ detail: states }) => {
    for (const { run, node } of window.studio.Panel.all()) {
      if (states[run]) node.dataset.state = states[run];
    }
    for (const [run, state] of Object.entries(states)) {
      const node = tab(run);
      if (!node || node.dataset.state === state) continue;
      node.dataset.state = state;
      node.querySelector(".tab-state").textContent = STATES[state] ?? "";
    }
  });

  // A run that has just been started comes to the front; on load, the newest does.
  let isLoaded = false;
  let isDue = false;
  whenPresent("[data-run]", (node) => {
    if (isLoaded || view.front === null) view.front = node.dataset.run;
    if (isDue) return;
    isDue = true;
    // Once for all that were put up together.
    queueMicrotask(() => {
      isLoaded = true;
      isDue = false;
      arrange();
    });
  });

  Object.assign(window.studio, { bringToFront });
})();
