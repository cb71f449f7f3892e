/** What every page does with JavaScript; without it all of it still works as plain links and forms. */

import { makeReader } from "./fragment.js";

/** An open menu closes on Escape and on a press elsewhere. */
const menus = document.getElementsByTagName("details"); // Also those that come later.
document.addEventListener("pointerdown", (event) => {
  for (const menu of menus)
    if ("menu" in menu.dataset && !menu.contains(/** @type {Node} */ (event.target))) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of menus) {
    if (!menu.open || !("menu" in menu.dataset)) continue;
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

/** After a form was refused: the first field to mend, whose description is its error, so it is read out, too. */
document.querySelector('main [aria-invalid="true"]')?.focus();

/** Every form of somebody with a session says where its browser is: who has no time zone yet gets that one. */
document.addEventListener(
  "submit",
  (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    const has = (/** @type {string} */ field) => form.elements.namedItem(field) !== null;
    if (form.method !== "post" || !has("csrfmiddlewaretoken") || has("browser_zone")) return;
    const zone = document.createElement("input");
    zone.type = "hidden";
    zone.name = "browser_zone";
    zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
    form.append(zone);
  },
  true,
);

/** `<div data-copy>` holds a read-only input, a button (hidden until it can work) and a live region. */
for (const box of document.querySelectorAll("[data-copy]")) {
  const [input, button, said] = ["input", "button", "[role=status]"].map((which) => box.querySelector(which));
  button.hidden = false;
  button.addEventListener("click", async () => {
    input.select();
    try {
      await navigator.clipboard.writeText(input.value);
      said.textContent = button.dataset.done ?? "";
    } catch {
      // No permission, or no secure context: the text is selected, so the keyboard or a long press copies it.
      said.textContent = button.dataset.failed ?? "";
    }
  });
}

/** What the operators tell everybody is read again when a socket says so, and when the time of something comes. */
const news = document.querySelector("[data-news]");
/** So that not all browsers ask in the same moment. */
const SPREAD = 2000;
const LONGEST_TIMER = 2 ** 31 - 1;
let later = 0;
const readAgain = makeReader();

async function readNews() {
  const { page, isOld } = await readAgain(news.dataset.news);
  if (!page || isOld) return;
  const fresh = page.querySelector("[data-news]");
  for (const name of ["newsIn", "shows"]) news.dataset[name] = fresh.dataset[name];
  if (fresh.textContent !== news.textContent) news.replaceChildren(...fresh.childNodes);
  waitForNews();
}
function waitForNews() {
  clearTimeout(later);
  const { newsIn } = news.dataset;
  if (newsIn) later = setTimeout(readNews, Math.min(Number(newsIn) * 1000 + Math.random() * SPREAD, LONGEST_TIMER));
}
if (news) {
  waitForNews();
  document.addEventListener("news", () => {
    clearTimeout(later);
    later = setTimeout(readNews, Math.random() * SPREAD);
  });
  if (document.body.dataset.line) readNews(); // The line was faster than this script.
}

// Makes the site installable and gives it an offline page; it keeps no page of anybody's.
navigator.serviceWorker?.register("/service-worker.js").catch(() => undefined);
