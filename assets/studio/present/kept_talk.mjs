// That a talk of this browser goes on, which is known before what a talk needs is loaded.

const KEY = "melm-talk"; // in the browser's storage

/** When the talk expires, in seconds since 1970; null where there is none. */
export const keptTalk = () => localStorage.getItem(KEY);

/** Keeps that a talk goes on, or that there is none any more. @param {{ expires_s: number } | null} talk */
export const keepTalk = (talk) => (talk ? localStorage.setItem(KEY, String(talk.expires_s)) : localStorage.removeItem(KEY));
