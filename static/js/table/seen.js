/** What this browser has shown of a match, and when: a reload, a second tab or the way back is no absence. */

/** Away for less than this is no absence, in milliseconds. */
export const ABSENCE = 60_000;

/**
 * The newest version that has been seen, here or, as the server says, elsewhere; null if this is no return.
 * @param {string} name - of the match
 * @param {number | null} looked - the version that the server knows to have been seen
 */
export function lastSeen(name, looked) {
  const here = read(name);
  if (here && Date.now() - here.at < ABSENCE) return null;
  return looked === null ? null : Math.max(looked, here?.v ?? 0);
}

/**
 * Remember that a version is shown now.
 * @param {string} name
 * @param {number} v
 */
export function remember(name, v) {
  if (document.hidden) return;
  try {
    localStorage.setItem(`armani.seen.${name}`, JSON.stringify({ v, at: Date.now() }));
  } catch {
    // No storage: the server still knows of earlier visits.
  }
}

/** @param {string} name */
function read(name) {
  try {
    return JSON.parse(localStorage.getItem(`armani.seen.${name}`) ?? "null");
  } catch {
    return null;
  }
}
