// Questions about rows, and the server's answers.
import { refusalOf } from "../page/answers.mjs";
import { NO_SERVER } from "../page/notice.mjs";

/**
 * The answer of a route.
 * @param {string} address
 * @param {object} [body] posted as JSON
 * @returns {Promise<any>}
 * @throws {Error} with the server's sentence
 */
export async function ask(address, body) {
  const answer = await fetched(address, body);
  return answer.json();
}

/**
 * Saves the answer of a route as a file, by the name that the server gives it.
 * @param {string} address
 * @param {object} [body] posted as JSON
 */
export async function save(address, body) {
  const answer = await fetched(address, body);
  const [, name = "rows.csv"] = /filename="?([^";]+)/.exec(answer.headers.get("Content-Disposition") ?? "") ?? [];
  const link = document.createElement("a");
  Object.assign(link, { href: URL.createObjectURL(await answer.blob()), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

async function fetched(address, body) {
  const options = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  const answer = await fetch(address, options).catch(() => null);
  if (answer?.ok) return answer;
  throw new Error(answer ? await refusalOf(answer) : NO_SERVER);
}

/**
 * The address of what a route says about the plane on screen.
 * @param {import("../panel/panel.mjs").Panel} panel
 * @param {string} path
 * @param {Record<string, string>} [fields] of the query, beside the view options
 */
export function addressOf(panel, path, fields = {}) {
  const query = panel.query();
  for (const [name, value] of Object.entries(fields)) query.set(name, value);
  return `runs/${panel.run}/planes/${panel.plane.sequence}/${path}?${query}`;
}

/** @param {unknown} error */
export const sentenceOf = (error) => (error instanceof Error ? error.message : String(error));
