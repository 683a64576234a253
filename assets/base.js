// What the scripts of the page share, and the functions that Dash and Mantine call by name.
(() => {
  "use strict";

  // Calls back with every element that matches, now and whenever Dash renders one anew.
  function whenPresent(selector, callback) {
    const known = new WeakSet();
    const look = () => {
      for (const element of document.querySelectorAll(selector)) {
        if (known.has(element)) continue;
        known.add(element);
        callback(element);
      }
    };
    new MutationObserver(look).observe(document.documentElement, { childList: true, subtree: true });
    look();
  }

  // Mantine says on a wrapper around the button of a menu whether it is open; it is the button's.
  whenPresent('div[aria-haspopup="menu"]', (wrapper) => {
    const pass = () => {
      const button = wrapper.querySelector("button");
      if (!button || !wrapper.hasAttribute("aria-expanded")) return;
      button.setAttribute("aria-haspopup", "menu");
      button.setAttribute("aria-expanded", wrapper.getAttribute("aria-expanded"));
      wrapper.removeAttribute("aria-expanded");
    };
    new MutationObserver(pass).observe(wrapper, { attributeFilter: ["aria-expanded"], childList: true });
    pass();
  });

  const view = {
    mode: "explore", // explore, compare or present
    front: null, // the run that explore and present show
    linked: true,
    aligned: true,
    contours: true,
    arrows: true,
    gamma: null,
    revision: null,
    drag: "pan", // what dragging in a picture does: pan, lasso or select
    reference: null, // the run that the others are turned to lie like; else the first shown
    classes: null, // the codes of the classes that alone are shown
    rows: null, // the set of rows that are selected
    marked: null, // the row that is ringed in every panel
  };

  document.body.dataset.mode = view.mode;

  const decoded = new WeakMap();

  // The numbers of an array as the server sends it: typed, or plain with null where a line ends.
  function numbers(array) {
    if (!array?.bdata) return array ?? [];
    if (!decoded.has(array)) {
      const bytes = Uint8Array.from(atob(array.bdata), (letter) => letter.charCodeAt(0));
      decoded.set(array, new Float32Array(bytes.buffer));
    }
    return decoded.get(array);
  }

  // Functions that are given every new panel, to add what it can do.
  const extensions = [];

  const scheme = () => document.documentElement.dataset.mantineColorScheme || "light";

  // Changes what a component of Dash has, as a callback would.
  const setProps = (id, props) => window.dash_clientside.set_props(id, props);

  // Dash has no plain range input.
  function rangeInput(label, properties) {
    const input = document.createElement("input");
    Object.assign(input, { type: "range", ...properties });
    if (label) input.setAttribute("aria-label", label);
    return input;
  }

  function playButton(label, play) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "play", disabled: true });
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => play().catch(console.warn));
    return button;
  }

  window.studio = { whenPresent, view, scheme, numbers, extensions, setProps, rangeInput, playButton };

  window.dash_clientside = window.dash_clientside || {};
  window.dash_clientside.studio = {
    setView(linked, aligned, contours, arrows) {
      const isTurned = view.aligned !== aligned;
      Object.assign(view, { linked, aligned, contours, arrows });
      if (isTurned) document.dispatchEvent(new Event("studio:turned"));
      document.dispatchEvent(new Event("studio:view"));
    },
  };

  // A reload of the page stays in its mode.
  const rememberedMode = sessionStorage.getItem("mode");
  whenPresent("#mode", () => {
    if (rememberedMode) setProps("mode", { value: rememberedMode });
  });

  window.dash_clientside.studio.setMode = (mode) => {
    view.mode = document.body.dataset.mode = mode;
    sessionStorage.setItem("mode", mode);
    document.dispatchEvent(new Event("studio:mode"));
  };

  // The list of runs that the page shows.
  window.dash_clientside.studio.noteRevision = (revision) => {
    if (revision) view.revision = revision;
  };

  // The kernel width of the slider: what has ended is shown at it, whatever it ran with.
  window.dash_clientside.studio.setGamma = (logGamma) => {
    view.gamma = Number((10 ** logGamma).toPrecision(3));
    document.dispatchEvent(new Event("studio:gamma"));
  };

  window.dashMantineFunctions = window.dashMantineFunctions || {};
  window.dashMantineFunctions.powerOfTen = (value) => Number((10 ** value).toPrecision(3)).toString();
})();
