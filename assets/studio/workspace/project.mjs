// Project files: saved from the menu of data sets, opened from it or by dropping one on the page. What does so is
// loaded by the first click.
import { showFailure } from "../page/answers.mjs";
import { chooseFile, onClick } from "../page/dom.mjs";
import { whenLoaded } from "../page/notice.mjs";

/** The end of the name of a project file. */
export const PROJECT = ".melm";

/** Whether a file is a project, by its name, to which some programs add that of the format. @param {{ name: string }} file */
export const isProject = ({ name }) => [PROJECT, `${PROJECT}.zip`].some((end) => name.toLowerCase().endsWith(end));

export function connectProjects() {
  onClick("[data-project]", ({ dataset: { project, table } }) => {
    if (project === "save") withFiles(({ saveProject }) => saveProject(JSON.parse(table)));
    if (project === "open") chooseFile(`${PROJECT},.zip`, openProject);
  });
}

/** Opens a project: its table is shown, with its runs and its story. @param {File} file */
export const openProject = (file) => withFiles((files) => files.openProject(file));

async function withFiles(act) {
  const files = await whenLoaded(import("./project_file.mjs"));
  if (files) await act(files).catch(showFailure);
}
