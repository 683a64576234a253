// What every panel shows of rows at once: those that are selected, classes that are shown alone, a row with a
// ring around it, and the rows of a second file.
import { computed, signal } from "../page/signals.mjs";

/** The rows that are selected, by number; null for none. */
export const selectedRows = signal(/** @type {Set<number> | null} */ (null));

/** The classes that alone are shown, by code; null for all. */
export const shownClasses = signal(/** @type {number[] | null} */ (null));

/** The rows and classes that stand out. */
export const chosen = computed([selectedRows, shownClasses], (rows, classes) => ({ rows, classes }));

/** The row that is ringed, by number; null for none. */
export const markedRow = signal(/** @type {number | null} */ (null));

/** The uploaded file whose rows are placed in every plane; null for none. */
export const placedFile = signal(/** @type {PlacedFile | null} */ (null));

/** Selects rows of the table; none clears the selection. @param {number[]} rows by number */
export const selectRows = (rows) => selectedRows.set(rows.length ? new Set(rows) : null);

/** Shows some classes alone; none shows all. @param {number[] | null} codes */
export const isolate = (codes) => shownClasses.set(codes?.length ? codes : null);

/** Rings a row of the table, or none. @param {number | null} row */
export const mark = (row) => markedRow.set(row);

/** Places the rows of an uploaded file in every plane; null for none. @param {PlacedFile | null} file */
export const placeFile = (file) => placedFile.set(file);
