// What can be asked of a run: to pause, to take one step, to go on, to run again.
(() => {
  "use strict";

  const { extensions } = window.studio;
  const SHOWN = {
    running: ["pause"],
    paused: ["pause", "step"],
    failed: ["again"],
    cancelled: ["again"],
    lost: ["again"],
  };

  extensions.push((panel) => {
    const order = (path) => panel.order(path).catch(console.warn);
    panel.part("pause").onclick = () => order(panel.node.dataset.state === "paused" ? "resume" : "pause");
    panel.part("step").onclick = () => order("step");
    panel.part("again").onclick = () => order("again");
    panel.node.addEventListener("panel:news", ({ detail: { state } }) => {
      for (const name of ["pause", "step", "again"]) {
        panel.part(name).style.display = SHOWN[state]?.includes(name) ? "" : "none";
      }
      panel.part("pause").textContent = state === "paused" ? "Resume" : "Pause";
    });
  });
})();
