// Values that modules share. Each is a signal of one module, which alone sets it; the others import it
// to read it, or to be told when it has changed. After the Atom of tldraw and the signals of preact, but
// the sources of a computed value are named, and its reader finds it again where they have changed.

/** @template T @typedef {{ readonly value: T, watchers: Set<() => void>[] }} Source */

let depth = 0; // of batches
/** @type {Set<() => void>} */
const due = new Set();

/**
 * Changes several signals; who watches them is told once, when all have changed.
 * @param {() => void} change
 */
export function batch(change) {
  depth += 1;
  try {
    change();
  } finally {
    if (depth === 1) for (const tell of due) tell(); // also of what these change
    depth -= 1;
  }
}

/**
 * A value that changes.
 * @template T
 * @param {T} first
 * @returns {Source<T> & { set: (value: T) => void }}
 */
export function signal(first) {
  let value = first;
  /** @type {Set<() => void>} */
  const watchers = new Set();
  return {
    watchers: [watchers],
    get value() {
      return value;
    },
    set(next) {
      if (Object.is(value, next)) return;
      value = next;
      batch(() => watchers.forEach((tell) => due.add(tell)));
    },
  };
}

/**
 * A value that follows from others; it is computed when it is read and one of them has changed.
 * @template T
 * @param {Source<any>[]} sources
 * @param {(...values: any[]) => T} compute
 * @returns {Source<T>}
 */
export function computed(sources, compute) {
  /** @type {unknown[] | null} */
  let known = null;
  /** @type {T} */
  let value;
  return {
    watchers: sources.flatMap(({ watchers }) => watchers),
    get value() {
      const values = sources.map((source) => source.value);
      if (known?.every((before, i) => Object.is(before, values[i]))) return value;
      value = compute(...values);
      known = values;
      return value;
    },
  };
}

/**
 * Calls back with every new value of a signal, or after every change of several. A callback that fails does not keep
 * the others from being told.
 * @template T
 * @param {Source<T> | Source<any>[]} source
 * @param {(value: T) => void} callback
 * @returns {() => void} what ends that
 */
export function onChange(source, callback) {
  const watched = Array.isArray(source) ? computed(source, (...values) => /** @type {any} */ (values)) : source;
  let told = watched.value;
  const tell = () => {
    due.delete(tell);
    try {
      const { value } = watched;
      if (Object.is(value, told)) return; // it was changed back, or the same was computed
      told = value;
      callback(value);
    } catch (error) {
      console.error(error);
    }
  };
  watched.watchers.forEach((watchers) => watchers.add(tell));
  return () => [due, ...watched.watchers].forEach((watchers) => watchers.delete(tell));
}

/**
 * Resolves once sources have values of which something holds.
 * @param {Source<any>[]} sources
 * @param {(...values: any[]) => boolean} holds
 * @returns {Promise<void>}
 */
export async function once(sources, holds) {
  const state = computed(sources, holds);
  if (state.value) return;
  let end;
  await new Promise((resolve) => (end = onChange(state, resolve)));
  end();
}
