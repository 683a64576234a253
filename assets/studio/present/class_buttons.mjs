// The legend of a picture outside the studio: the classes, as buttons that show some of them alone.
import { element } from "../page/dom.mjs";

/**
 * Shows the buttons, which stay where they are the same.
 * @param {HTMLElement} list
 * @param {string[]} names of the classes
 * @param {{ data: Trace[] }} figure
 * @param {number[] | null} alone the classes that alone are shown
 * @param {(alone: number[] | null) => void} choose
 */
export function showClasses(list, names, { data }, alone, choose) {
  const markers = data.filter(({ meta }) => meta.kind === "train").map(({ marker }) => marker);
  const key = JSON.stringify([names, markers]);
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    list.replaceChildren(...names.map((name, code) => item(name, markers[code])));
  }
  const buttons = [...list.querySelectorAll("button")];
  for (const [code, button] of buttons.entries()) button.setAttribute("aria-pressed", String(alone?.includes(code) ?? false));
  list.onclick = ({ target }) => {
    const code = buttons.indexOf(/** @type {Element} */ (target).closest("button"));
    if (code >= 0) choose(toggled(alone ?? [], code));
  };
}

function item(name, { color, symbol }) {
  const swatch = element("span", `swatch ${symbol}`);
  const button = element("button", "", swatch, name);
  swatch.style.background = color;
  Object.assign(button, { type: "button", title: "Show this class alone" });
  return element("li", "", button);
}

// Every class is shown again once none is left.
function toggled(alone, code) {
  const chosen = alone.includes(code) ? alone.filter((known) => known !== code) : [...alone, code];
  return chosen.length ? chosen : null;
}
