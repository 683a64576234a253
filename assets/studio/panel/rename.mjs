// The title of a run, renamed in its place: a click or Enter begins, Enter keeps the new one, Escape the
// old one; an empty one gives back that of the settings.
import { addToPanels } from "./features.mjs";
import { sendCommand } from "./run_commands.mjs";

const LONGEST = 80; // characters, as the server takes them

export function addRename() {
  addToPanels((panel) => {
    const title = panel.part("title");
    title.onclick = () => begin(panel, title);
    const follow = () => (title.textContent = panel.node.dataset.title);
    new MutationObserver(follow).observe(panel.node, { attributes: true, attributeFilter: ["data-title"] });
  });
}

function begin(panel, title) {
  const field = document.createElement("input");
  Object.assign(field, { className: "title-field", maxLength: LONGEST, value: panel.node.dataset.title });
  field.setAttribute("aria-label", "Name of the run");
  let hasEnded = false;
  const end = (isKept) => {
    if (hasEnded) return; // the field loses the focus as it goes
    hasEnded = true;
    const name = field.value.trim();
    field.replaceWith(title);
    if (!isKept || name === panel.node.dataset.title) return;
    if (name) title.textContent = name;
    sendCommand(panel, "rename", name);
  };
  field.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the page has keys of its own
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    end(event.key === "Enter");
    title.focus();
  });
  field.addEventListener("blur", () => end(true));
  title.replaceWith(field);
  field.select();
}
