// Requests of the page, and the answers of the server.
import { saveFile } from "./dom.mjs";
import { NO_SERVER, showNotice } from "./notice.mjs";

/**
 * The sentence of an answer that is not OK, which every route of the studio sends.
 * @param {Response} answer
 * @returns {Promise<string>}
 */
export async function refusalOf(answer) {
  const body = await answer.json().catch(() => null);
  return body?.words ?? `The server answered with status ${answer.status}. Reload the page.`;
}

/** @param {File} file @returns {FormData} which routes take that read a file with its name */
export function formOf(file) {
  const form = new FormData();
  form.append("file", file);
  return form;
}

/**
 * An answer that is OK.
 * @param {string} address
 * @param {object | string | null} [body] what is posted: nothing where it is null, a plain object as JSON
 * @param {AbortSignal} [signal] that ends the request
 * @returns {Promise<Response>}
 * @throws {Error} with a sentence for the user
 */
export async function requested(address, body, signal) {
  const json = { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const sent = body?.constructor === Object ? json : { body: /** @type {BodyInit} */ (body) };
  const options = body !== undefined && { method: "POST", ...sent };
  const answer = await fetch(address, { ...options, signal }).catch(() => null);
  if (answer?.ok) return answer;
  throw new Error(answer ? await refusalOf(answer) : NO_SERVER);
}

/**
 * What a route answers as JSON.
 * @param {string} address
 * @param {object} [body] posted
 * @returns {Promise<any>}
 * @throws {Error} with a sentence for the user
 */
export async function ask(address, body) {
  return (await requested(address, body)).json();
}

/**
 * A function that keeps the last answers, so that each address is asked once; one that failed is asked again.
 * @template T
 * @param {number} most
 * @param {(address: string) => Promise<T>} load
 */
export function remembering(most, load) {
  /** @type {Map<string, Promise<T>>} */
  const known = new Map();
  return (/** @type {string} */ address) => {
    if (!known.has(address)) {
      if (known.size >= most) known.delete(known.keys().next().value);
      known.set(address, load(address));
      known.get(address).catch(() => known.delete(address));
    }
    return known.get(address);
  };
}

/**
 * Saves an answer as a file, by the name that the server gives it, which is returned.
 * @param {Response} answer
 * @param {string} otherwise the name of a file without one
 */
export async function save(answer, otherwise) {
  const name = fileName(answer.headers.get("Content-Disposition") ?? "") ?? otherwise;
  saveFile(await answer.blob(), name);
  return name;
}

/** What the server notes about a file that it answers. @param {Response} answer */
export const notesOf = (answer) => decodeURIComponent(answer.headers.get("X-Notes") ?? "");

/**
 * The name of a file in the header that describes an answer; null where there is none.
 * @param {string} disposition
 */
export function fileName(disposition) {
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(disposition);
  if (encoded) return decodeURIComponent(encoded[1]);
  return /filename="?([^";]+)/.exec(disposition)?.[1] ?? null;
}

/** @param {unknown} error */
export const sentenceOf = (error) => (error instanceof Error ? error.message : String(error));

/** Says on the page what has failed. @param {unknown} error */
export const showFailure = (error) => showNotice(sentenceOf(error));
