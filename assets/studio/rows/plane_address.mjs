// Addresses of what the server knows of the rows of a plane.

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
