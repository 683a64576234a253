// The requests that save a project as a file, and open one.
import { refusalOf, requested, save, sentenceOf } from "../page/answers.mjs";
import { setProps } from "../page/dash.mjs";
import { NO_SERVER, showNotice } from "../page/notice.mjs";
import { followRevision } from "../panel/run_list.mjs";
import { PROJECT } from "./project.mjs";
import { currentStory } from "./story.mjs";

/** Saves a table with its runs and the story. @param {object} source of the table */
export async function saveProject(source) {
  showNotice("Saving the project.");
  try {
    const answer = await requested("project-file", { source, views: currentStory.value.views });
    const note = decodeURIComponent(answer.headers.get("X-Notes") ?? "");
    const name = await save(answer, `project${PROJECT}`);
    showNotice(`Saved as ${name}. ${note}`.trim(), { briefly: !note });
  } catch (error) {
    showNotice(sentenceOf(error));
  }
}

/** Opens a project: its table is shown, with its runs and its story. @param {File} file */
export async function openProject(file) {
  showNotice(`Opening ${file.name}.`);
  const form = new FormData();
  form.append("file", file);
  const answer = await fetch("project", { method: "POST", body: form }).catch(() => null);
  if (!answer?.ok) return showNotice(answer ? await refusalOf(answer) : NO_SERVER);
  const { source, story, revision, words } = await answer.json();
  setProps("choice", { data: source });
  followRevision(revision);
  return showNotice(words, { action: story.views.length ? takeStory(story) : null });
}

// A story that was here before can be had again.
function takeStory(story) {
  const { views } = currentStory.value;
  setProps("story", { data: story });
  if (!views.length) return null;
  return { label: "Keep my story instead", act: () => setProps("story", { data: { ...story, views } }) };
}
