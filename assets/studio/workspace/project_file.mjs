// The requests that save a project as a file, and open one.
import { ask, formOf, notesOf, requested, save } from "../page/answers.mjs";
import { setProps } from "../page/dash.mjs";
import { showNotice } from "../page/notice.mjs";
import { followRevision } from "../panel/run_list.mjs";
import { PROJECT } from "./project.mjs";
import { currentStory } from "./story.mjs";

/** Saves a table with its runs and the story. @param {object} source of the table */
export async function saveProject(source) {
  showNotice("Saving the project.");
  const answer = await requested("project-file", { source, views: currentStory.value.views });
  const note = notesOf(answer);
  const name = await save(answer, `project${PROJECT}`);
  showNotice(`Saved as ${name}. ${note}`.trim(), { briefly: !note });
}

/** Opens a project: its table is shown, with its runs and its story. @param {File} file */
export async function openProject(file) {
  showNotice(`Opening ${file.name}.`);
  const { source, story, revision, words } = await ask("project", formOf(file));
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
