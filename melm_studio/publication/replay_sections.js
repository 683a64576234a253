// The sections of a replay: each shows the planes that its JSON holds, chosen or played.
"use strict";

(() => {
  const lessMotion = matchMedia("(prefers-reduced-motion: reduce)");
  const STILL = { staticPlot: true, responsive: true };
  const LIVE = { displayModeBar: false, responsive: true };

  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  // The traces of a plane: their styles with its arrays.
  const tracesAt = ({ figure, planes }, at) => figure.data.map((style, i) =>
    withMarker({ ...style, ...planes[at][i] }, { ...style.marker, ...planes[at][i].marker }));

  // Plotly takes no marker that is undefined.
  const withMarker = (trace, marker) => (trace.marker ? { ...trace, marker } : trace);

  // Plotly writes into the layout that it is given.
  function layoutAt({ figure, axes }, at) {
    const layout = structuredClone(figure.layout);
    const [x, y] = axes[at] ?? axes[0];
    layout.xaxis.range = [...x];
    layout.yaxis.range = [...y];
    layout.uirevision = at;
    return layout;
  }

  const show = (node, data, at) => Plotly.react(node, tracesAt(data, at), layoutAt(data, at), LIVE);

  // Round and round by the clock, so that a slow machine shows fewer planes and not a slower motion.
  async function playLoop({ loop, ms }, isWanted, paint) {
    const began = performance.now();
    while (isWanted()) {
      const step = Math.floor((performance.now() - began) / ms);
      await paint(step % loop);
      await wait(began + (step + 1) * ms - performance.now());
    }
  }

  async function playBranch(planes, ms, isWanted, paint) {
    for (const at of planes) {
      if (!isWanted()) return;
      await paint(at);
      await wait(ms);
    }
  }

  function connectResamples(part, data) {
    const start = data.stills.length ? data.stills[0][0] : 0;
    let playing = 0; // which play is on; 0 for none
    const paint = (at) => show(part("picture"), data, at);
    const showPlaying = (number) => {
      playing = number;
      part("play").textContent = number ? "Stop moving" : "Watch it move";
    };
    part("play").onclick = async () => {
      if (playing) return showPlaying(0);
      const number = performance.now();
      showPlaying(number);
      return playLoop(data, () => playing === number, paint);
    };
    part("stills").ontoggle = () => part("stills").open && drawStills(part("multiples"), data);
    const follow = () => {
      part("play").hidden = lessMotion.matches || data.loop < 2;
      if (!lessMotion.matches) return;
      showPlaying(0);
      part("stills").open = true;
    };
    lessMotion.addEventListener("change", follow);
    follow();
    return paint(start);
  }

  function drawStills(grid, data) {
    if (grid.children.length) return;
    const margin = { l: 2, r: 2, t: 2, b: 2 };
    for (const [at, words] of data.stills) {
      const figure = document.createElement("figure");
      const picture = document.createElement("div");
      const caption = document.createElement("figcaption");
      caption.textContent = words;
      figure.append(picture, caption);
      grid.append(figure);
      const traces = tracesAt(data, at).filter(({ mode }) => !mode.includes("text"));
      const small = traces.map((trace) => withMarker(trace, { ...trace.marker, size: 3 }));
      Plotly.newPlot(picture, small, { ...layoutAt(data, at), margin }, STILL);
    }
  }

  function connectTree(part, data, buttons) {
    let playing = 0;
    const choice = part("choice");
    Object.assign(choice, { min: 0, max: data.marks.length - 1, step: 1 });
    const ring = ({ x, y }) => ({
      x: [x], y: [y], mode: "markers", hoverinfo: "skip",
      marker: { symbol: "circle-open", size: 20, line: { width: 3 }, color: data.tree.layout.font.color },
    });
    const choose = async (at) => {
      const mark = data.marks[at];
      choice.value = String(at);
      choice.setAttribute("aria-valuetext", mark.words);
      part("words").textContent = mark.words;
      await Plotly.react(part("tree"), [...data.tree.data, ring(mark)], structuredClone(data.tree.layout), LIVE);
      await show(part("picture"), data, at);
    };
    const showPlaying = (number, button) => {
      playing = number;
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
    };
    const chooseOnly = (at) => {
      showPlaying(0, null);
      return choose(at);
    };
    for (const button of buttons) {
      button.onclick = async () => {
        if (button.getAttribute("aria-pressed") === "true") return showPlaying(0, null);
        const number = performance.now();
        showPlaying(number, button);
        await playBranch(data.branches[button.dataset.branch], data.ms, () => playing === number, choose);
        if (playing === number) showPlaying(0, null);
        return null;
      };
    }
    choice.oninput = () => chooseOnly(Number(choice.value));
    return choose(0).then(() => {
      part("tree").on("plotly_click", ({ points }) => {
        const at = data.order.indexOf(points[0].customdata);
        if (at >= 0) chooseOnly(at);
      });
    });
  }

  for (const section of document.querySelectorAll("[data-section]")) {
    const part = (name) => section.querySelector(`[data-part="${name}"]`);
    const data = JSON.parse(section.querySelector('script[type="application/json"]').textContent);
    if (section.dataset.section === "tree") connectTree(part, data, section.querySelectorAll("[data-branch]"));
    else connectResamples(part, data);
  }
})();
