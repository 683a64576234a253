// What can be asked of a run: to stop, to pause, to take one step, to go on, to run again, to go;
// and the windows that open on it.
(() => {
  "use strict";

  const { extensions, setProps } = window.studio;
  const SHOWN = {
    running: ["pause"],
    paused: ["pause", "step"],
    failed: ["again"],
    cancelled: ["again"],
    lost: ["again"],
  };

  extensions.push((panel) => {
    const order = (path) => panel.order(path).catch(console.warn);
    for (const name of ["stop", "step", "again", "remove"]) panel.part(name).onclick = () => order(name);
    panel.part("pause").onclick = () => order(panel.node.dataset.state === "paused" ? "resume" : "pause");
    for (const name of ["check", "surface"]) {
      const button = panel.part(name); // three components have no decision surface
      if (button) button.onclick = () => ask(`${name}-asked`, panel.run);
    }
    panel.node.addEventListener("panel:news", ({ detail: { state } }) => {
      for (const name of ["pause", "step", "again"]) {
        panel.part(name).style.display = SHOWN[state]?.includes(name) ? "" : "none";
      }
      panel.part("pause").textContent = state === "paused" ? "Resume" : "Pause";
    });
  });

  // The time makes it another question when the same run is asked about again.
  function ask(store, run) {
    setProps(store, { data: { run, asked: Date.now() } });
  }
})();
