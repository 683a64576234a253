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

  const view = { linked: true, aligned: true, contours: true, arrows: true, gamma: null };

  const scheme = () => document.documentElement.dataset.mantineColorScheme || "light";

  window.studio = { whenPresent, view, scheme };

  window.dash_clientside = window.dash_clientside || {};
  window.dash_clientside.studio = {
    setView(linked, aligned, contours, arrows) {
      const isTurned = view.aligned !== aligned;
      Object.assign(view, { linked, aligned, contours, arrows });
      if (isTurned) document.dispatchEvent(new Event("studio:turned"));
      document.dispatchEvent(new Event("studio:view"));
      return window.dash_clientside.no_update;
    },
  };

  // The kernel width of the slider: what has ended is shown at it, whatever it ran with.
  window.dash_clientside.studio.setGamma = (logGamma) => {
    view.gamma = Number((10 ** logGamma).toPrecision(3));
    document.dispatchEvent(new Event("studio:gamma"));
    return window.dash_clientside.no_update;
  };

  window.dashMantineFunctions = window.dashMantineFunctions || {};
  window.dashMantineFunctions.powerOfTen = (value) => Number((10 ** value).toPrecision(3)).toString();
})();
