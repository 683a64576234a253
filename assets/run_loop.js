// The loop: asks for the newest frame of every panel, draws it, and asks again.
// The next request leaves when the last frame is painted, so a slow page skips frames
// instead of queueing them.
(() => {
  "use strict";

  const { Panel, view, whenPresent, setProps } = window.studio;
  const IDLE_MS = 1000;
  // Faster than the eye follows, and the run itself may need the same processor.
  const LEAST_FRAME_MS = 60;
  // Who waits for a first plane looks at nothing else.
  const FIRST_FRAME_MS = 20;
  const LONGEST_WAIT_MS = 5000;

  let failures = 0;
  let isWoken = false; // there is news to ask for that the last request did not ask for
  let endRest = () => {};

  async function run() {
    for (;;) {
      const began = performance.now();
      const panels = Panel.shown();
      await step(panels);
      await painted();
      if (failures) await rest(Math.min(LONGEST_WAIT_MS, 250 * 2 ** failures));
      else await rest(began + interval(panels) - performance.now());
    }
  }

  // How long after one request the next one leaves, in ms.
  function interval(panels) {
    const active = panels.filter((panel) => !panel.isFinal);
    if (!active.length) return IDLE_MS;
    return active.some((panel) => panel.node.dataset.state === "running" && !panel.plane) ? FIRST_FRAME_MS : LEAST_FRAME_MS;
  }

  // One request and its drawing.
  async function step(panels) {
    try {
      const news = await ask(panels);
      failures = 0;
      follow(news.revision);
      document.dispatchEvent(new CustomEvent("studio:states", { detail: news.states }));
      for (const panel of panels) await show(panel, news.runs[panel.run]);
      await Panel.paintStale();
    } catch (error) {
      failures += 1;
      if (!(error instanceof TypeError)) console.warn(error); // TypeError: the fetch itself failed
    }
    sayConnection(failures > 1);
  }

  // What one panel cannot draw does not keep the others waiting.
  async function show(panel, news) {
    if (!news || !panel.node.isConnected) return;
    try {
      await panel.take(news);
    } catch (error) {
      console.warn(error);
    }
  }

  async function ask(panels) {
    const query = new URLSearchParams(panels.map((panel) => ["run", `${panel.run}:${panel.sequence}`]));
    if (Panel.reference()) query.set("toward", Panel.reference());
    const answer = await fetch(`frames?${query}`);
    if (!answer.ok) throw new Error(`frames: ${answer.status}`);
    return answer.json();
  }

  // Another tab may have started or removed a run: the page then lists them anew.
  function follow(newest) {
    if (view.revision !== null && view.revision !== newest) {
      setProps("revision", { data: newest });
    }
    view.revision = newest;
  }

  function sayConnection(isLost) {
    const line = document.getElementById("connection");
    if (!line || line.hidden === !isLost) return;
    line.hidden = !isLost;
    line.textContent = isLost ? "The server does not answer; trying again. Runs go on without this page." : "";
  }

  const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

  async function rest(milliseconds) {
    if (!isWoken) {
      await new Promise((resolve) => {
        endRest = resolve;
        setTimeout(resolve, milliseconds);
      });
    }
    isWoken = false;
  }

  function wake() {
    isWoken = true;
    endRest();
  }

  // What has ended is shown at the kernel width of the slider, whatever it ran with.
  function widen(panel) {
    const gamma = view.gamma === panel.gamma ? null : view.gamma;
    if (panel.isFinal && gamma !== panel.look.gamma) panel.lookAt({ gamma });
  }

  whenPresent("[data-run]", () => wake());
  document.addEventListener("studio:view", () => Panel.shown().forEach((panel) => panel.paint(true)));
  document.addEventListener("studio:turned", () => Panel.shown().forEach((panel) => panel.lookAgain()));
  document.addEventListener("studio:gamma", () => Panel.shown().forEach(widen));
  document.addEventListener("studio:mode", () => {
    Panel.shown().forEach((panel) => panel.lookAgain()); // another mode aligns otherwise
    wake();
  });
  new MutationObserver(() => Panel.all().forEach((panel) => panel.restyle().catch(console.warn))).observe(
    document.documentElement,
    { attributes: true, attributeFilter: ["data-mantine-color-scheme"] },
  );
  whenPresent("#panels", run);
})();
