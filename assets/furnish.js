// Fills the place of a panel with a copy of the model of all panels, and makes it its run's own.
(() => {
  "use strict";

  const { whenPresent, rangeInput } = window.studio;

  let model = null;

  // Dash puts up what is in a template beside the content of the template, where it would be found
  // among what is shown.
  whenPresent("#panel-model", (template) => {
    template.content.append(...template.childNodes);
    model = template.content;
  });

  function furnish(place) {
    const { run, title, has } = place.dataset;
    const parts = model.cloneNode(true);
    dropNeedless(parts, new Set(has.split(" ")));
    for (const slot of parts.querySelectorAll("[data-slider]")) slot.replaceChildren(slider(slot.dataset));
    parts.querySelector('[data-part="title"]').textContent = title;
    for (const link of parts.querySelectorAll("[data-file]")) link.href = `runs/${run}/${link.dataset.file}`;
    // Dash may give the place of a run that is gone to another one.
    delete place.dataset.sequence;
    delete place.dataset.state;
    place.replaceChildren(parts);
  }

  // What is for runs of another kind.
  function dropNeedless(parts, has) {
    for (const part of parts.querySelectorAll("[data-needs]")) {
      if (!part.dataset.needs.split(" ").every((need) => has.has(need))) part.remove();
    }
  }

  function slider({ slider: name, label, low, high, value }) {
    const input = rangeInput(null, { min: low, max: high, value });
    input.dataset.part = name;
    const words = document.createElement("span");
    words.textContent = label;
    const node = document.createElement("label");
    node.append(words, input);
    return node;
  }

  Object.assign(window.studio, { furnish });
})();
