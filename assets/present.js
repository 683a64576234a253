// Telling what was found: replay and morph below the picture, and the page without its rail.
(() => {
  "use strict";

  const { view, extensions, copyLink, whenPresent, setProps, rangeInput, playButton } = window.studio;
  const MORPH_STEPS = 72;
  const MORPH_STEP_MS = 50;
  const LARGER = 1.6;

  const bar = {}; // the parts of the bar by name
  let speed = 1;
  let morphing = 0; // which play of the morph is on; 0 for none

  const front = () => window.studio.Panel.front();
  const story = () => window.studio.story; // a script that comes later

  // ---- The bar

  function build() {
    for (const part of document.querySelectorAll("[data-bar]")) bar[part.dataset.bar] = part;
    buildMorph();
    bar.speed.value = String(speed);
    bar.speed.addEventListener("change", () => {
      speed = Number(bar.speed.value);
      for (const panel of window.studio.Panel.all()) panel.history.speed = speed;
      bar.speed.blur();
    });
    bar.link.onclick = () => copyLink(front()).catch(console.warn);
    bar.add.onclick = () => story().add().catch(console.warn);
    bar.previous.onclick = () => story().step(-1);
    bar.next.onclick = () => story().step(1);
    bar.full.onclick = toggleFull;
    bar.keys.onclick = toggleKeys;
    bar.leave.onclick = leave;
    follow();
    story().tell();
  }

  function buildMorph() {
    const range = { min: 0, max: 1, step: 0.005, value: 0, disabled: true };
    const slider = rangeInput("Share of the way to the other run", range);
    slider.addEventListener("input", () => {
      morphing = 0;
      morphTo(Number(slider.value));
    });
    const play = playButton("Play the morph", playMorph);
    const percent = document.createElement("span");
    percent.className = "bar-percent";
    bar["morph-slot"].replaceChildren(play, slider, percent);
    Object.assign(bar, { share: slider, "play-morph": play, percent });
    bar["morph-to"].addEventListener("change", () => {
      const other = bar["morph-to"].value;
      stopMorph();
      if (front()?.look.morph) front().lookAt({ morph: null });
      followMorph();
      bar["morph-to"].blur();
      if (other) playMorph().catch(console.warn);
    });
  }

  // ---- Morph: the plane on screen along the shortest way to that of another run

  const wayPoint = (share) => (share > 0 ? [bar["morph-to"].value, Number(share.toFixed(4))] : null);

  const morphTo = (share) => front()?.lookAt({ morph: wayPoint(share) });

  // To the other end, in even steps: what skips does not seem to turn.
  async function playMorph() {
    if (morphing) return stopMorph();
    const panel = front();
    if (!panel?.plane || !bar["morph-to"].value) return null;
    panel.history.pause();
    const order = (morphing = performance.now());
    showPlaying();
    const from = panel.look.morph?.[1] ?? 0;
    const to = from < 1 ? 1 : 0;
    const last = Math.ceil((Math.abs(to - from) * MORPH_STEPS) / speed);
    const share = (step) => from + (to - from) * eased(step / last);
    for (let step = 1; step <= last && morphing === order && panel === front(); step++) {
      const began = performance.now();
      const shown = morphTo(share(step));
      if (step < last) panel.lookAhead(panel.plane.sequence, { morph: wayPoint(share(step + 1)) });
      await shown;
      await new Promise((resolve) => setTimeout(resolve, began + MORPH_STEP_MS - performance.now()));
    }
    return morphing === order ? stopMorph() : null;
  }

  function stopMorph() {
    morphing = 0;
    showPlaying();
  }

  function showPlaying() {
    bar["play-morph"].classList.toggle("is-playing", morphing > 0);
    bar["play-morph"].setAttribute("aria-label", morphing ? "Pause the morph" : "Play the morph");
  }

  const eased = (share) => share * share * (3 - 2 * share);

  // ---- What the bar shows

  function follow() {
    if (!bar.morph) return;
    followRuns();
    followMorph();
  }

  // Between planes of one table and of as many components there is a shortest way.
  function followRuns() {
    const panel = front();
    const space = panel?.node.dataset.space;
    const others = window.studio.Panel.all().filter(
      ({ run, node }) => space && run !== panel.run && node.dataset.space === space,
    );
    const runs = others.map(({ run }) => run).join();
    if (bar.morph.dataset.runs === `${panel?.run}:${runs}`) return;
    bar.morph.dataset.runs = `${panel?.run}:${runs}`;
    stopMorph();
    const name = ({ node }) => node.dataset.title;
    const nobody = new Option(others.length ? "Choose a run" : "No other run yet", "");
    bar["morph-to"].replaceChildren(nobody, ...others.map((other) => new Option(name(other), other.run)));
    bar["morph-to"].disabled = !others.length;
    bar["morph-to"].value = panel?.look.morph?.[0] ?? "";
  }

  function followMorph() {
    const morph = front()?.look.morph;
    if (morph) bar["morph-to"].value = morph[0];
    const isChosen = bar["morph-to"].value !== "";
    bar.share.disabled = bar["play-morph"].disabled = !isChosen;
    if (document.activeElement !== bar.share || morphing) bar.share.value = morph?.[1] ?? 0;
    const percent = Math.round(100 * (morph?.[1] ?? 0));
    bar.share.setAttribute("aria-valuetext", `${percent} percent of the way`);
    bar.percent.textContent = isChosen ? `${percent} %` : "";
  }

  function followStory({ detail: { views, at } }) {
    const caption = document.getElementById("caption");
    if (!caption || !bar.steps) return;
    bar.steps.hidden = !views.length;
    bar.count.textContent = at < 0 ? `${views.length} views` : `${at + 1} of ${views.length}`;
    caption.textContent = views[at]?.caption ?? "";
  }

  // The classes stand in the rail, which is hidden here.
  function followLegend() {
    const legend = document.querySelector("#data-summary .legend");
    const copy = document.getElementById("present-legend");
    if (!legend || !copy) return;
    const shown = legend.cloneNode(true);
    for (const node of shown.querySelectorAll("[id]")) node.removeAttribute("id");
    copy.replaceChildren(shown);
  }

  // ---- Keys and modes

  const toggleKeys = () => document.getElementById("keys").toggleAttribute("hidden");
  const leave = () => setProps("mode", { value: "explore" });

  function toggleFull() {
    if (document.fullscreenElement) return document.exitFullscreen();
    return document.documentElement.requestFullscreen().catch(console.warn);
  }

  function stepPlane(steps) {
    const panel = front();
    if (!panel?.plane) return;
    panel.history.pause();
    const to = Math.min(Math.max(panel.plane.sequence + steps, 0), panel.sequence);
    panel.history.slider.value = to;
    panel.scrubTo(to);
  }

  const step = (steps) => (story().hasViews() ? story().step(steps) : stepPlane(steps));

  const KEYS = {
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    " ": () => front()?.history.play().catch(console.warn),
    m: () => playMorph().catch(console.warn),
    f: toggleFull,
    "?": toggleKeys,
    Escape: leave,
  };

  function keyed(event) {
    if (view.mode !== "present" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTaken(event)) return;
    const act = KEYS[event.key] ?? (/^[1-9]$/.test(event.key) ? () => bringUp(Number(event.key)) : null);
    if (!act) return;
    event.preventDefault();
    act();
  }

  // Whoever types, moves a slider or stands in a window means that.
  function isTaken({ target, key }) {
    if (target.closest?.("input, textarea, select, [contenteditable], [role=dialog]")) return true;
    return (key === " " || key === "Enter") && Boolean(target.closest?.("button, a"));
  }

  function bringUp(number) {
    const panel = window.studio.Panel.all()[number - 1];
    if (panel) window.studio.bringToFront(panel.run);
  }

  // ---- Connections

  // Read from the back of the room.
  window.studio.Panel.dressers.push((trace) => {
    if (view.mode !== "present") return;
    if (trace.textfont) trace.textfont = { ...trace.textfont, size: LARGER * trace.textfont.size };
    if (trace.marker) trace.marker = { ...trace.marker, size: 1.35 * trace.marker.size };
    if (trace.line?.width) trace.line = { ...trace.line, width: 1.4 * trace.line.width };
  });

  extensions.push((panel) => {
    panel.history.speed = speed;
    panel.node.addEventListener("panel:look", () => bar.morph && panel === front() && followMorph());
    queueMicrotask(follow);
  });
  document.addEventListener("studio:mode", follow);
  document.addEventListener("studio:mode", followLegend);
  document.addEventListener("studio:story", followStory);
  document.addEventListener("keydown", keyed);
  whenPresent(".play-bar", build);
  whenPresent("#data-summary", (summary) => {
    new MutationObserver(followLegend).observe(summary, { childList: true, subtree: true });
    followLegend();
  });
})();
