// The connection to Dash: its start, functions that its callbacks call, and components that scripts read and change.
import { byId, runScript, TEXT_NODE, whenPresent } from "./dom.mjs";

const NO_SERVER = "The page could not be loaded. Check that the studio is running, and reload the page.";

/**
 * Makes functions callable as the clientside callbacks of namespace "studio".
 * @param {Record<string, Function>} functions
 */
export function provideCallbacks(functions) {
  window.dash_clientside ??= {};
  window.dash_clientside.studio ??= {};
  Object.assign(window.dash_clientside.studio, functions);
}

/** What is to change once Dash is there. @type {[string, object][] | null} */
let waiting = [];

/**
 * Changes the properties of a component, as a callback would, once Dash is there.
 * @param {string} id
 * @param {object} props
 */
export function setProps(id, props) {
  if (waiting) waiting.push([id, props]);
  else window.dash_clientside.set_props(id, props);
}

/**
 * The properties of a component as they are; null before Dash is there.
 * @param {string | object} id
 * @returns {any}
 */
export const propsOf = (id) => (waiting ? null : window.dash_component_api.getLayout(id).props);

/** What a callback returns to leave its output alone. */
export const noUpdate = () => window.dash_clientside.no_update;

/**
 * Writes the contents of elements that are plain HTML (`melm_studio/layout/elements.py`), before anything
 * looks for them: Dash visits every component of its own with every change of every other one.
 */
export function connectMarkup() {
  whenPresent("[data-markup]", write);
  new MutationObserver((changes) => changes.forEach(({ target }) => write(/** @type {HTMLElement} */ (target)))).observe(
    document.documentElement,
    { subtree: true, attributes: true, attributeFilter: ["data-markup"] },
  );
  // The page has one banner; the head of a dialog is none.
  whenPresent(".mantine-Modal-header, .mantine-Drawer-header", (head) => head.setAttribute("role", "presentation"));
}

const write = (node) => writeMarkup(node, node.dataset.markup ?? "");

/**
 * Makes HTML of the server the contents of an element; the server has escaped all texts and names in it.
 * @param {Element} node
 * @param {string} markup
 */
export function writeMarkup(node, markup) {
  node.replaceChildren(...new DOMParser().parseFromString(markup, "text/html").body.childNodes);
}

/**
 * Makes HTML of the server the contents of an element. What is the same stays as it is, with the focus, and so does
 * what scripts have filled (`data-kept`).
 * @param {Element} node
 * @param {string} markup
 */
export function update(node, markup) {
  align(node, new DOMParser().parseFromString(markup, "text/html").body);
}

/** @param {Element} node @param {Element} wanted */
function align(node, wanted) {
  const known = /** @type {any[]} */ ([...node.childNodes]);
  const found = /** @type {any[]} */ ([...wanted.childNodes]);
  for (const extra of known.slice(found.length)) extra.remove();
  for (const [i, next] of found.entries()) {
    const now = known[i];
    if (now?.isEqualNode(next)) continue; // to write it again would have it laid out again
    if (!now) node.append(next);
    else if (now.nodeName !== next.nodeName || now.dataset?.kept !== next.dataset?.kept) now.replaceWith(next);
    else if (now.nodeType === TEXT_NODE) now.data = next.data;
    else if (next.dataset.kept) now.ariaLabel = next.ariaLabel;
    else {
      for (const name of now.getAttributeNames()) if (!next.hasAttribute(name)) now.removeAttribute(name);
      for (const name of next.getAttributeNames()) now.setAttribute(name, next.getAttribute(name));
      if (next.selected !== undefined) now.selected = next.selected; // also of a list that the user has chosen in
      align(now, next);
    }
  }
}

/**
 * Runs the scripts of Dash, which the page has fetched meanwhile, and starts it. It may then call every function
 * that was provided.
 * @param {() => Promise<void>} whatComesFirst waited for before each of them
 */
export async function startDash(whatComesFirst) {
  /** @type {NodeListOf<HTMLLinkElement>} */
  const links = document.querySelectorAll("link[data-src]");
  for (const { href } of links) {
    await whatComesFirst();
    await runScript(href);
  }
  await whatComesFirst();
  whenPresent("#panels-place", takeOver);
  new window.DashRenderer();
}

// The panels move into Dash's page as they are, in the frame in which it appears.
function takeOver(place) {
  const { activeElement: focused } = document;
  place.append(byId("panels"));
  byId("first-page").remove();
  /** @type {HTMLElement} */ (focused)?.focus?.({ preventScroll: true });
  makeChanges();
}

/** Makes the changes that have waited for Dash; later ones are made at once. */
export function makeChanges() {
  const changes = waiting;
  waiting = null;
  for (const [id, props] of changes) setProps(id, props);
}

/** Says that Dash could not be loaded. @param {Error} error */
export function complain(error) {
  const caption = byId("panels").querySelector('[data-part="caption"]');
  if (caption) caption.textContent = NO_SERVER;
  console.error(error);
}
