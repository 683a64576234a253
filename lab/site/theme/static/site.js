// Draws diagrams, with a script that only pages with diagrams load, gives replays the theme, and names the two columns
// beside a page for those who hear it.

(() => {
  const folder = document.currentScript.src.replace(/[^/]*$/, "");

  const isDark = () => {
    const { theme } = document.body.dataset;
    return theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  };

  const drawDiagrams = () => {
    if (!document.querySelector("pre.mermaid")) return;
    const script = document.createElement("script");
    script.src = `${folder}mermaid.tiny.js`;
    script.addEventListener("load", () => {
      window.mermaid.initialize({ startOnLoad: false, theme: "neutral" });
      window.mermaid.run({ querySelector: "pre.mermaid" });
    });
    document.head.append(script);
  };

  const themeReplays = () => {
    for (const frame of document.querySelectorAll("iframe.replay")) {
      frame.dataset.light ??= frame.getAttribute("src");
      const wanted = isDark() ? frame.dataset.dark : frame.dataset.light;
      if (frame.getAttribute("src") !== wanted) frame.setAttribute("src", wanted);
    }
  };

  const COLUMNS = { "sidebar-drawer": "All pages", "toc-drawer": "On this page" };

  document.addEventListener("DOMContentLoaded", () => {
    for (const [name, label] of Object.entries(COLUMNS)) document.querySelector(`.${name}`)?.setAttribute("aria-label", label);
    drawDiagrams();
    themeReplays();
    new MutationObserver(themeReplays).observe(document.body, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themeReplays);
  });
})();
