// The view of a picture as the address of a tab has it: the plane, its view options, its axes, and the switches.
import { sentenceOf } from "../page/answers.mjs";
import { showNotice } from "../page/notice.mjs";
import { hiddenSwitches, showOnly, shownLayers, switches } from "../page/switches.mjs";
import { numbersIn, optionsIn, viewQuery } from "./view_options.mjs";

const UNREADABLE = "The view in this address cannot be read, so the picture is shown as it was found.";
const DIGITS = 5; // of the ends of axes

/** @typedef {{ plane: number | null, options: ViewOptions, axes: Axes | null, hidden: string[], layers: string[] }} TabView */

/** The view of a panel; empty where nothing was changed. @param {Panel} panel */
export function viewText(panel) {
  const axes = panel.painting.chosenAxes();
  const query = viewQuery(
    {
      ...panel.options,
      plane: panel.isLive ? null : panel.plane?.sequence,
      axes: axes && axes.flat().map((end) => Number(end.toPrecision(DIGITS))).join(":"),
      hidden: hiddenSwitches().join(),
      layers: shownLayers().join(),
    },
    null,
  );
  return String(query).replaceAll("%3A", ":").replaceAll("%2C", ",");
}

/**
 * @param {string} text
 * @returns {TabView}
 * @throws {RangeError} if it is not one that `viewText` writes
 */
export function viewIn(text) {
  const query = new URLSearchParams(text);
  const names = (name) => query.get(name)?.split(",") ?? [];
  const [plane = null] = numbersIn(query.get("plane")) ?? [];
  const [left, right, low, high] = numbersIn(query.get("axes")) ?? [];
  const [hidden, layers] = [names("hidden"), names("layers")];
  const isView = [...hidden, ...layers].every((name) => Object.hasOwn(switches, name));
  if (!isView || (plane !== null && !(Number.isInteger(plane) && plane >= 0))) throw new RangeError(`${text} is no view.`);
  const axes = query.has("axes") ? /** @type {Axes} */ ([[left, right], [low, high]]) : null;
  if (axes?.some(([from, to]) => !(from < to))) throw new RangeError(`${text} has no axes.`);
  return { plane, options: optionsIn(query), axes, hidden, layers };
}

/** The text of the view that an address asked for last. @type {string | null} */
let wanted = null;

/** Shows the view of an address in a panel; one that cannot be shown says so. @param {Panel} panel @param {string} text */
export async function showView(panel, text) {
  wanted = text;
  const { requests } = panel;
  if (text === viewText(panel) && requests.sequence === null) return;
  try {
    const { plane, options, axes, hidden, layers } = viewIn(text);
    showOnly(hidden, layers);
    panel.painting.look(axes);
    if (!panel.plane) await new Promise((resolve) => panel.node.addEventListener("panel:painted", resolve, { once: true }));
    if (wanted !== text) return; // by another address, while the first picture was on its way
    const sequence = Math.min(plane ?? panel.sequence, panel.sequence);
    const address = `${sequence}?${viewQuery(options, panel.peers.reference())}`;
    // The plane on screen stays, with its options, unless the server can draw what is asked for.
    if (requests.sequence !== null || address !== panel.addressWith({})) await requests.request(address, options);
  } catch (error) {
    showNotice(error instanceof RangeError ? UNREADABLE : sentenceOf(error));
  }
}
