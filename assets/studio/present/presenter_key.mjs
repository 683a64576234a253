// The key of a tab by which its presenter's window knows it. The tab's storage has it only while the page is
// loaded again: a browser copies that storage into a duplicate of the tab, which must get a key of its own.
const KEPT = "presenter";

/** The key that this tab had before its page was loaded again; null where it had none. */
export function takeKey() {
  const key = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  return key;
}

export const newKey = () => crypto.getRandomValues(new Uint32Array(2)).join("-");

/** Keeps a key for when the page is loaded again. @param {string} key */
export function keepKey(key) {
  window.addEventListener("pagehide", () => sessionStorage.setItem(KEPT, key));
  window.addEventListener("pageshow", takeKey); // the same page, which the browser had put aside
}
