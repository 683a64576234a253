// Project files: saved from the menu of data sets, opened from it or by dropping one on the page. What does so is
// loaded by the first click.
import { whenLoaded } from "../page/notice.mjs";

/** The end of the name of a project file. */
export const PROJECT = ".melm";

/** Whether a file is a project, by its name, to which some programs add that of the format. @param {{ name: string }} file */
export const isProject = ({ name }) => [PROJECT, `${PROJECT}.zip`].some((end) => name.toLowerCase().endsWith(end));

export function connectProjects() {
  document.addEventListener("click", async ({ target }) => {
    const item = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest?.("[data-project]"));
    if (item?.dataset.project === "save") (await load())?.saveProject(JSON.parse(item.dataset.table));
    if (item?.dataset.project === "open") choose();
  });
}

const load = () => whenLoaded(import("./project_file.mjs"));

function choose() {
  const input = Object.assign(document.createElement("input"), { type: "file", accept: `${PROJECT},.zip` });
  input.addEventListener("change", () => input.files.length && openProject(input.files[0]));
  input.click();
}

/** Opens a project: its table is shown, with its runs and its story. @param {File} file */
export const openProject = async (file) => (await load())?.openProject(file);
