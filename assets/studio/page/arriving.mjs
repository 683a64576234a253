// A table on its way to the page, which is sent, read and prepared: what is to be done with it waits.
import { onChange, signal } from "./signals.mjs";

/** Whether a table is on its way. */
export const isArriving = signal(false);

/** Notes that a table is on its way, or is no more. @param {boolean} isOnItsWay */
export const noteArriving = (isOnItsWay) => isArriving.set(isOnItsWay);

/** Resolves once no table is on its way. @returns {Promise<void>} */
export function arrived() {
  if (!isArriving.value) return Promise.resolve();
  return new Promise((resolve) => {
    const end = onChange(isArriving, () => {
      end();
      resolve();
    });
  });
}
