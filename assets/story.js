// The story: what is on screen is added to it, and its views are stepped through.
(() => {
  "use strict";

  const { view, say, recipe, whenPresent, setProps } = window.studio;

  const story = { views: [], at: -1, isAdding: false };
  let orders = 0;

  window.dash_clientside.studio.setStory = (kept) => {
    const views = kept?.views ?? [];
    if (story.isAdding && views.length > story.views.length) {
      say(`Added to the story as view ${views.length}.`, { briefly: true });
    }
    Object.assign(story, { views, isAdding: false, at: Math.min(story.at, views.length - 1) });
    tell();
    return isListed() ? window.dash_clientside.no_update : ++orders;
  };

  // Whether the list shows the story already. A field that is being written in is left alone.
  function isListed() {
    const items = [...document.querySelectorAll("#story-list li")];
    if (!items.length || items.length !== story.views.length) return false;
    return items.every((item, i) => {
      const field = item.querySelector("textarea");
      const { title, caption } = story.views[i];
      const isSame = field === document.activeElement || field.value === caption;
      return isSame && item.querySelector(".story-title").textContent === `${i + 1}. ${title}`;
    });
  }

  // Shows a view; while Present is on, in Present.
  function show(at) {
    if (at < 0 || at >= story.views.length) return;
    story.at = at;
    const wanted = story.views[at].view;
    const mode = view.mode === "present" ? "present" : wanted.mode;
    setProps("wanted", { data: { view: { ...wanted, mode }, quiet: true } });
    tell();
  }

  const step = (steps) => show(story.at < 0 ? 0 : story.at + steps);
  const tell = () => document.dispatchEvent(new CustomEvent("studio:story", { detail: story }));

  async function add() {
    const panel = window.studio.Panel.front();
    if (!panel?.plane) return say("There is no plane on screen yet.");
    const { view: made, title, words } = await recipe(panel);
    if (!made) return say(words);
    story.isAdding = true;
    return setProps("story-added", { data: { title, view: made } });
  }

  async function load(file) {
    const answer = await fetch("story", { method: "POST", body: file });
    const { story: loaded, words: refusal } = await answer.json();
    if (!loaded) return say(refusal);
    story.at = -1;
    setProps("story", { data: loaded });
    const words = `The story has ${loaded.views.length} views. In Present, the arrow keys step through it.`;
    return say(words, { briefly: true });
  }

  const failed = () => say("The server does not answer. Check that the studio is running, and try again.");

  whenPresent(".story-load", (slot) => {
    const label = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { type: "file", accept: ".json,application/json" });
    input.setAttribute("aria-label", "Load a story");
    input.addEventListener("change", () => {
      if (input.files.length) load(input.files[0]).catch(failed);
      input.value = "";
    });
    label.append(input, "Load");
    slot.append(label);
  });

  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-story]");
    if (button?.dataset.story === "open") setProps("story-view", { opened: true });
    if (button?.dataset.story === "add") add().catch(failed);
    const title = target.closest?.("[data-story-at]");
    if (title) show(Number(title.dataset.storyAt));
  });

  window.studio.story = { step, add, tell, hasViews: () => story.views.length > 0 };
})();
