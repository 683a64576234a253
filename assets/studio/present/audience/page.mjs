// The words around the picture of a viewer.

/** @param {string} name @returns {any} */
export const byPart = (name) => document.querySelector(`[data-part="${name}"]`);

/** The title, how well the classes are told apart, and what is shown. @param {any} picture */
export function showWords({ caption, position, run, gamma, lead, follow, scene }) {
  setText("caption", caption || run);
  const width = run.includes(`γ ${gamma}`) ? "" : `γ ${gamma}`;
  setText("position", [position, caption && run, width].filter(Boolean).join(" · "));
  setText("lead", lead);
  setText("follow", follow);
  byPart("plot").setAttribute("aria-label", `${run}: ${scene.names.join(", ")}. ${lead}; ${follow}`);
}

export const BLANK = "The presenter has blanked the screen";

/**
 * Whether a viewer follows, and what the presenter does meanwhile.
 * @param {boolean} isFollowing
 * @param {{ isBlank: boolean }} newest what the presenter shows
 * @param {{ isBlank: boolean }} shown what is on screen
 */
export function modeInWords(isFollowing, newest, shown) {
  if (isFollowing) return "Following the presenter";
  if (newest.isBlank) return BLANK;
  return newest === shown ? "Looking around" : "The presenter has moved on";
}

/** @param {any} picture */
export function showNumbers({ numbers, scene }) {
  const rows = scene.drawn < scene.of ? [["Rows drawn", `${scene.drawn} of ${scene.of}`]] : [];
  const cells = [["Data", scene.data], ...numbers, ...rows].flatMap(([name, value]) => [cell("dt", name), cell("dd", value)]);
  byPart("numbers").replaceChildren(...cells);
}

/**
 * The classes, as buttons that show some of them alone.
 * @param {any} scene
 * @param {string} scheme
 * @param {number[] | null} alone
 * @param {(code: number) => void} choose
 */
export function showClasses({ names, figures }, scheme, alone, choose) {
  const list = byPart("classes");
  const key = JSON.stringify([names, scheme]);
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    list.replaceChildren(...names.map((name, code) => item(name, colorOf(figures[scheme], code), () => choose(code))));
  }
  for (const [code, { firstChild: button }] of [...list.children].entries()) {
    button.setAttribute("aria-pressed", String(alone?.includes(code) ?? false));
  }
}

const colorOf = ({ data }, code) => data.find(({ meta, marker }) => meta.class === code && marker).marker.color;

function item(name, color, choose) {
  const node = document.createElement("li");
  const button = cell("button", name);
  const swatch = document.createElement("span");
  swatch.className = "swatch";
  swatch.style.background = color;
  button.type = "button";
  button.title = "Show this class alone";
  button.prepend(swatch);
  button.addEventListener("click", choose);
  node.append(button);
  return node;
}

/** @returns {any} */
function cell(name, text) {
  const node = document.createElement(name);
  node.textContent = text;
  return node;
}

// An unchanged title is not announced again.
function setText(name, text) {
  const node = byPart(name);
  if (node.textContent !== text) node.textContent = text;
}
