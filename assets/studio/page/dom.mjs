// Elements of the page: found as Dash renders them, or made here.

/** @typedef {{ selector: string, known: WeakSet<Element>, callback: (element: HTMLElement) => void }} Watch */

/** @type {Watch[]} */
const watches = [];

export const TEXT_NODE = 3;

/**
 * Calls back with every element that matches, now and whenever Dash renders a new one.
 * @param {string} selector
 * @param {(element: HTMLElement) => void} callback
 */
export function whenPresent(selector, callback) {
  const watch = { selector, known: new WeakSet(), callback };
  if (!watches.length) new MutationObserver(lookAtNew).observe(document.documentElement, { childList: true, subtree: true });
  watches.push(watch);
  lookIn(document.documentElement, watch);
}

// In new elements alone: a picture adds thousands of marks, and texts change with every plane.
function lookAtNew(changes) {
  const nodes = changes.flatMap(({ addedNodes }) => [...addedNodes]);
  for (const node of nodes) {
    if (!(node instanceof HTMLElement) || !node.isConnected) continue;
    for (const watch of watches) lookIn(node, watch);
  }
}

/** @param {HTMLElement} node @param {Watch} watch */
function lookIn(node, { selector, known, callback }) {
  const found = node.matches(selector) ? [node] : [];
  for (const match of [...found, ...node.querySelectorAll(selector)]) {
    if (known.has(match)) continue;
    known.add(match);
    callback(/** @type {HTMLElement} */ (match));
  }
}

/**
 * Calls back with an element that matches when it is clicked, whoever has rendered it.
 * @param {string} selector
 * @param {(element: HTMLElement, event: MouseEvent) => void} callback
 */
export function onClick(selector, callback) {
  document.addEventListener("click", (event) => {
    const found = /** @type {Element} */ (event.target).closest?.(selector);
    if (found) callback(/** @type {HTMLElement} */ (found), event);
  });
}

const dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

/** The color scheme of the page, light or dark: the one that was chosen, or else that of the system. */
export function colorScheme() {
  const { mantineColorScheme, scheme } = document.documentElement.dataset;
  return mantineColorScheme || scheme || (dark?.matches ? "dark" : "light");
}

/** Calls back when the color scheme has changed. @param {() => void} callback */
export function onColorScheme(callback) {
  let last = colorScheme();
  const look = () => {
    if (colorScheme() === last) return; // as the page sets the one that it found
    last = colorScheme();
    callback();
  };
  dark?.addEventListener("change", look);
  const attributeFilter = ["data-mantine-color-scheme", "data-scheme"];
  new MutationObserver(look).observe(document.documentElement, { attributeFilter });
}

/** Whether the page is as narrow as a phone, for which the styles have rules of their own. */
export const isNarrow = () => globalThis.matchMedia?.("(width < 768px)").matches ?? false;

/** Whether the user has asked for less motion; `matches` follows the setting. */
export const lessMotion = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)") ?? { matches: false };

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/** @type {WeakMap<HTMLInputElement, HTMLInputElement>} */
const fields = new WeakMap(); // by their sliders

/** Connects a range input with a field that shows its number and takes typed ones. @param {HTMLInputElement[]} both */
export function connectNumber([slider, field]) {
  fields.set(slider, field);
  field.addEventListener("change", () => {
    slider.value = field.value || slider.value; // within its bounds
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  slider.addEventListener("input", () => (field.value = numberOf(slider)));
}

/**
 * Shows a value on a range input, in words for a screen reader, and in its field.
 * @param {HTMLInputElement} slider
 * @param {number | string} value
 * @param {string} words
 */
export function setSlider(slider, value, words) {
  slider.value = String(value);
  slider.setAttribute("aria-valuetext", words);
  const field = fields.get(slider);
  if (field && field !== document.activeElement) field.value = numberOf(slider);
}

// At the end of its range it may stand for another number.
const numberOf = ({ value, max, dataset }) => (value === max && dataset.end) || value;

/**
 * Hands over every file that is chosen in an input.
 * @param {HTMLElement} input
 * @param {(file: File) => void} onChoice
 */
export function takeFiles(input, onChoice) {
  const field = /** @type {HTMLInputElement} */ (input);
  field.addEventListener("change", () => {
    if (field.files.length) onChoice(field.files[0]);
    field.value = ""; // the same file may be chosen again
  });
}

/** Lets the user choose a file. @param {(file: File) => void} onChoice @param {string} [accept] the kinds to choose from */
export function chooseFile(onChoice, accept = "") {
  const input = Object.assign(document.createElement("input"), { type: "file", accept });
  takeFiles(input, onChoice);
  input.click();
}

/** Runs a script, and resolves once it has. @param {string} src */
export const runScript = (src) =>
  new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src, onload: resolve });
    script.onerror = () => reject(new Error(`${src} could not be loaded.`));
    document.head.append(script);
  });

/** Copies a text, and resolves to whether the browser allows that. @param {string} text */
export const copied = async (text) => navigator.clipboard?.writeText(text).then(() => true, () => false) ?? false;

const KEPT_MS = 60_000; // a file, for the browser to save it

/** Saves a file. @param {Blob} file @param {string} name */
export function saveFile(file, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/**
 * A small button.
 * @param {string} className
 * @param {Node | string} label
 * @param {() => unknown} onclick
 */
export function button(className, label, onclick) {
  const node = /** @type {HTMLButtonElement} */ (element("button", className, label));
  return Object.assign(node, { type: "button", onclick });
}

/**
 * @param {string} name
 * @param {string} className
 * @param {(Node | string)[]} children
 */
export function element(name, className, ...children) {
  const node = document.createElement(name);
  node.className = className;
  node.append(...children);
  return node;
}

/**
 * Writes a text into an element that holds nothing else, if it is another text. A new text node, even with the
 * same text, would have styles looked up anew up to the body: rules with `:has()` depend on what is inside.
 * @param {Node} node
 * @param {string} text
 */
export function write(node, text) {
  const { firstChild: first } = node;
  if (node.textContent === text) return;
  if (first?.nodeType === TEXT_NODE && first === node.lastChild && text) first.nodeValue = text;
  else node.textContent = text;
}

/** Hides or shows an element, if it is not so already: the same again costs as much. @param {HTMLElement} node @param {boolean} isHidden */
export function hide(node, isHidden) {
  if (node.hidden !== isHidden) node.hidden = isHidden;
}

/** @param {string} text @param {string} [className] */
export const span = (text, className = "") => Object.assign(document.createElement("span"), { textContent: text, className });

const LONGEST_FONT_WAIT_MS = 600;

/** Resolves once the font is there, or does not come: what a canvas has drawn keeps its font. */
export const fontReady = () =>
  Promise.race([document.fonts?.load("1rem Inter"), wait(LONGEST_FONT_WAIT_MS)]).catch(console.warn);

/** @param {number} milliseconds */
export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const UNHURRIED_MS = 300;
/** @type {(() => void)[]} */
const unhurried = [];

/** Changes, soon, what nobody waits for: every frame takes time of the page, so such changes share one. @param {() => void} change */
export function changeSoon(change) {
  if (!unhurried.length) setTimeout(() => unhurried.splice(0).forEach((one) => one()), UNHURRIED_MS);
  unhurried.push(change);
}
