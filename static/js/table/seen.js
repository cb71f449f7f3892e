/** What this browser has shown of a match, and when: a reload, a second tab or the back button isn't an absence. */

/** A shorter time away isn't an absence, in milliseconds. */
export const ABSENCE = 60_000;

/**
 * The last version that the player has seen, here or, according to the server, elsewhere; null if they weren't away.
 * @param {string} name - of the match
 * @param {number | null} looked - the last seen version, according to the server
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
    // No storage: the server still knows earlier visits.
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
