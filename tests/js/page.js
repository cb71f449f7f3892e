/** A page without a browser: what the pure modules of the table read when they are loaded. */

import { readFileSync } from "node:fs";
import { parseHTML } from "linkedom";

/** What the server says of every game: words, moves with their labels, and a match dealt from its seed. */
export const data = JSON.parse(readFileSync(process.env.SCRIPT_DATA ?? "", "utf8"));

/**
 * Make the page of a game: its words, and an empty table.
 * @param {string} slug
 */
export function makePage(slug) {
  const { window, document } = parseHTML(`<html lang="en"><body>
    <script id="words" type="application/json"></script>
    <main id="table"><div id="felt"></div><p id="said"></p><div id="controls"></div><div id="hand"></div></main></body></html>`);
  document.getElementById("words").textContent = JSON.stringify(data[slug].words);
  const { Event, CustomEvent, Node, HTMLInputElement } = window;
  HTMLInputElement.prototype.select ??= () => undefined;
  Object.assign(globalThis, { document, Event, CustomEvent, Node });
  globalThis.CSS = { escape: (text) => text };
  globalThis.addEventListener ??= () => undefined;
  globalThis.matchMedia ??= () => ({ matches: false, addEventListener: () => undefined });
  return document;
}
