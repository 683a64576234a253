// Answers of the server that report an error.

/**
 * The sentence of an answer that is not OK, which every route of the studio sends.
 * @param {Response} answer
 * @returns {Promise<string>}
 */
export async function refusalOf(answer) {
  const body = await answer.json().catch(() => null);
  return body?.words ?? `The server answered with status ${answer.status}. Reload the page.`;
}
