// Views as links: made of what is on screen, and brought up again.
(() => {
  "use strict";

  const { view, setProps } = window.studio;
  const MODES = ["explore", "compare", "present"];
  const SWITCHES = ["linked", "aligned", "contours", "arrows"];
  const FINAL = ["done", "failed", "cancelled", "lost"];
  const LOOKED_EVERY_MS = 50;
  const BRIEFLY_MS = 8000;

  let states = {};
  let newest = 0;

  // What is said stays until it is closed, or for a moment.
  function say(words, { briefly = false } = {}) {
    setProps("notice", { children: words });
    const note = document.getElementById("notice");
    if (briefly) setTimeout(() => note.textContent === words && say(null), BRIEFLY_MS);
  }

  const asked = new URLSearchParams(location.search).get("mode");
  const modeOfLink = MODES.includes(asked) ? asked : null;

  // The controls of a link that presents are hidden before anything else is there.
  if (modeOfLink) document.body.dataset.mode = modeOfLink;

  window.dash_clientside.studio.readAddress = () => [
    location.search,
    modeOfLink ?? window.dash_clientside.no_update,
  ];

  // What is on screen, as a recipe and as the query of an address.
  async function recipe(panel) {
    const query = panel.query({ toward: null });
    query.set("mode", view.mode);
    query.set("hidden", SWITCHES.filter((name) => !view[name]).join());
    const answer = await fetch(`runs/${panel.run}/planes/${panel.plane.sequence}/recipe?${query}`);
    return answer.json();
  }

  async function copyLink(panel) {
    if (!panel?.plane) return say("There is no plane on screen yet.");
    const { query, words } = await recipe(panel);
    if (!query) return say(words);
    history.replaceState(history.state, "", `?${query}`);
    try {
      await navigator.clipboard.writeText(location.href);
      return say("Link copied; it also stands in the address bar.", { briefly: true });
    } catch {
      return say("The link stands in the address bar, to be copied from there.");
    }
  }

  // Shows a run as a recipe says, as soon as it has ended; then tells whether it came out the same.
  async function bringUp(brought) {
    const order = ++newest;
    const isCurrent = () => order === newest;
    setProps("mode", { value: brought.mode });
    for (const name of SWITCHES) setProps(name, { checked: !brought.hidden.includes(name) });
    const others = brought.look.morph ? [brought.look.morph[0]] : [];
    await until(() => !isCurrent() || panelOf(brought.run));
    if (!isCurrent()) return null;
    window.studio.bringToFront(brought.run);
    const hasEnded = () => panelOf(brought.run)?.isFinal && others.every((run) => FINAL.includes(states[run]));
    await until(() => !isCurrent() || hasEnded());
    const panel = panelOf(brought.run);
    if (!isCurrent() || panel.sequence < 0) return null;
    await panel.showAs(Math.min(brought.plane ?? panel.sequence, panel.sequence), brought.look);
    await judge(panel, brought);
    return null;
  }

  async function judge(panel, { divergence, plane, caution, quiet }) {
    if (panel.node.dataset.state !== "done") return say(panel.part("words").textContent);
    if (divergence === null) return caution && say(caution);
    const query = panel.query({ toward: null });
    query.set("divergence", divergence);
    const sequence = Math.min(plane ?? panel.sequence, panel.sequence);
    const answer = await fetch(`runs/${panel.run}/planes/${sequence}/verdict?${query}`);
    const { is_same: isSame, words } = await answer.json();
    const told = [words, caution].filter(Boolean).join(" ");
    if (!isSame || !quiet) say(told, { briefly: isSame && !caution });
    return null;
  }

  const panelOf = (run) => window.studio.Panel.all().find((panel) => panel.run === run);

  async function until(condition) {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, LOOKED_EVERY_MS));
  }

  // What the server could find of a view: the data to choose first, or the run that shows it.
  window.dash_clientside.studio.bringUp = (brought) => {
    if (brought?.choice) setTimeout(() => setProps("choice", { data: brought.choice }));
    else if (brought) bringUp(brought).catch(console.warn);
  };

  document.addEventListener("studio:states", ({ detail }) => {
    states = detail;
  });
  document.addEventListener("click", ({ target }) => {
    if (target.closest?.(".notice-close")) say(null);
  });

  Object.assign(window.studio, { say, recipe, copyLink });
})();
