// View options: all that a picture differs in from the plane as the run found it.

/** @type {Readonly<ViewOptions>} */
export const DEFAULT_VIEW = Object.freeze({
  gamma: null,
  n_top_features: null,
  morph: null,
  edits: [],
  view_angle: null,
  batch_weight: null,
  places: null,
});

/**
 * The query by which every route that takes a plane knows the options.
 * @param {ViewOptions & Record<string, any>} options and what else is asked
 * @param {string | null} toward the run that the plane is aligned with
 * @returns {URLSearchParams}
 */
export function viewQuery({ gamma, n_top_features: nTop, morph, edits, view_angle: angle, batch_weight: weight, places, ...others }, toward) {
  const fields = {
    gamma,
    n_top_features: nTop,
    morph: morph && morph.filter((part) => part !== null && part !== undefined).join(":"),
    edits: edits.map((edit) => edit.join(":")).join(","),
    view_angle: angle && angle.join(":"),
    batch_weight: weight,
    places,
    toward,
    ...others,
  };
  const given = Object.entries(fields).filter(([, value]) => (value ?? "") !== "");
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
}

/**
 * The view options in the query of a plane.
 * @param {URLSearchParams} query
 * @returns {ViewOptions}
 * @throws {RangeError} if one of them cannot be read; whether the plane has them is the server's to say
 */
export function optionsIn(query) {
  const one = (name) => numbersIn(query.get(name))?.[0] ?? null;
  const edits = query.get("edits")?.split(",").map(numbersIn) ?? [];
  const [run, ...morph] = query.get("morph")?.split(":") ?? [];
  return {
    gamma: one("gamma"),
    n_top_features: one("n_top_features"),
    morph: run ? /** @type {ViewOptions["morph"]} */ ([run, ...numbersIn(morph.join(":"))]) : null,
    edits: /** @type {ViewOptions["edits"]} */ (edits),
    view_angle: /** @type {ViewOptions["view_angle"]} */ (numbersIn(query.get("view_angle"))),
    batch_weight: one("batch_weight"),
    places: /** @type {ViewOptions["places"]} */ (query.get("places")),
  };
}

/** Numbers with colons between them; null of nothing. @param {string | null} text */
export function numbersIn(text) {
  if (text === null) return null;
  const numbers = text.split(":").map((number) => (number.trim() ? Number(number) : NaN));
  if (!numbers.every(Number.isFinite)) throw new RangeError(`${text} must be numbers.`);
  return numbers;
}

/**
 * The plane of another run, and the share of the way to it, that the address of a plane names, if any.
 * @param {string} address
 * @returns {{ other: string, share: number } | null}
 */
export function morphIn(address) {
  const query = new URLSearchParams(address.split("?")[1]);
  const [run, share, ...planes] = query.get("morph")?.split(":") ?? [];
  return run ? { other: [run, ...planes].join(":"), share: Number(share) } : null;
}

/** Whether the options leave the plane that of the run. @param {ViewOptions} options */
export function isOwnPlane({ n_top_features: nTop, morph, edits, batch_weight: weight }) {
  return nTop === null && morph === null && weight === null && !edits.length;
}

/** Whether the plane is one of the tree of its run. @param {ViewOptions} options */
export const isOfTree = ({ morph }) => morph?.[1] === 1 && (morph[2] ?? null) !== null;

/** Whether the plane is on the way between two others of its run. @param {ViewOptions} options */
export const isBetweenPlanes = ({ morph }) => (morph?.[3] ?? null) !== null;

/** Whether the plane and its kernel width are those of the run. @param {ViewOptions} options */
export const isAsFound = (options) => options.gamma === null && isOwnPlane(options);

/**
 * The options with the loading of a feature set. A feature that is set again replaces its last edit.
 * @param {ViewOptions["edits"]} edits
 * @param {ViewOptions["edits"][number]} edit
 * @returns {ViewOptions["edits"]}
 */
export function withEdit(edits, edit) {
  const earlier = edits.at(-1)?.[0] === edit[0] ? edits.slice(0, -1) : edits;
  return [...earlier, edit];
}

// Addresses of what the server knows of the rows of a plane.

/**
 * The address of what a route says about the plane on screen.
 * @param {Panel} panel
 * @param {string} path
 * @param {Record<string, any>} [change] of the view options, and what else is asked
 */
export const addressOf = (panel, path, change) => `runs/${panel.run}/planes/${panel.plane.sequence}/${path}?${panel.query(change)}`;
