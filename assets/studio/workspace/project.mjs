// Project files: a table with its runs and the story, saved from Share, opened from the sheet of the table or by dropping
// one on the page.
import { ask, formOf, notesOf, requested, save, showFailure } from "../page/answers.mjs";
import { setProps } from "../page/dash.mjs";
import { chooseFile, onClick } from "../page/dom.mjs";
import { showNotice } from "../page/notice.mjs";
import { followRevision, shownData } from "../panel/run_list.mjs";
import { currentStory } from "./story.mjs";

/** The end of the name of a project file. */
const PROJECT = ".melm";

/** Whether a file is a project, by its name, to which some programs add that of the format. @param {{ name: string }} file */
export const isProject = ({ name }) => [PROJECT, `${PROJECT}.zip`].some((end) => name.toLowerCase().endsWith(end));

export function connectProjects() {
  onClick("[data-project]", ({ dataset: { project } }) => {
    if (project === "save" && shownData.value) saveProject(shownData.value.source).catch(showFailure);
    if (project === "open") chooseFile(openProject, `${PROJECT},.zip`);
  });
}

/** @param {object} source of the table */
async function saveProject(source) {
  showNotice("Saving the project.");
  const answer = await requested("project-file", { source, views: currentStory.value.views });
  const note = notesOf(answer);
  const name = await save(answer, `project${PROJECT}`);
  showNotice(`Saved as ${name}. ${note}`.trim(), { briefly: !note });
}

/** Opens a project: its table is shown, with its runs and its story. @param {File} file */
export const openProject = (file) => open(file).catch(showFailure);

async function open(file) {
  showNotice(`Opening ${file.name}.`);
  const { source, story, revision, words } = await ask("project", await ask("upload", formOf(file)));
  setProps("choice", { data: source });
  followRevision(revision);
  showNotice(words, { action: story.views.length ? takeStory(story) : null });
}

// A story that was here before can be had again.
function takeStory(story) {
  const { views } = currentStory.value;
  setProps("story", { data: story });
  if (!views.length) return null;
  return { label: "Keep my story instead", act: () => setProps("story", { data: { ...story, views } }) };
}
