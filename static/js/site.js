/** What scripts do on every page; without them, everything still works with plain links and forms. */

import { makeReader } from "./fragment.js";

/** Escape or a press elsewhere closes an open menu. */
const menus = document.getElementsByTagName("details"); // Includes menus that are added later.
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

/** After a form was refused, focus the first wrong field: its description is the error, so it is read out. */
document.querySelector('main [aria-invalid="true"]')?.focus();

/** Every form tells the browser's time zone to the server, which stores it for users who have none. */
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

/** `<div data-copy>` has a read-only input, a button (hidden without scripts) and a live region. */
for (const box of document.querySelectorAll("[data-copy]")) {
  const [input, button, said] = ["input", "button", "[role=status]"].map((which) => box.querySelector(which));
  button.hidden = false;
  button.addEventListener("click", async () => {
    input.select();
    try {
      await navigator.clipboard.writeText(input.value);
      said.textContent = button.dataset.done ?? "";
    } catch {
      // No permission, or no secure context: select the text, so that the keyboard or a long press copies it.
      said.textContent = button.dataset.failed ?? "";
    }
  });
}

/** Announcements are loaded again when a socket says so, and when one begins or ends. */
const news = document.querySelector("[data-news]");
/** A random pause, so that browsers don't all ask at once. */
const SPREAD = 2000;
const LONGEST_TIMER = 2 ** 31 - 1;
let later = 0;
const readAgain = makeReader();

async function readNews() {
  clearTimeout(later);
  later = 0;
  const { page, isOld } = await readAgain(news.dataset.news);
  if (!page || isOld) return;
  const fresh = page.querySelector("[data-news]");
  for (const name of ["newsIn", "shows"]) news.dataset[name] = fresh.dataset[name];
  if (fresh.textContent !== news.textContent) news.replaceChildren(...fresh.childNodes);
  if (!later) waitForNews(); // More was announced meanwhile: that is read soon.
}
function waitForNews() {
  const { newsIn } = news.dataset;
  if (newsIn) later = setTimeout(readNews, Math.min(Number(newsIn) * 1000 + Math.random() * SPREAD, LONGEST_TIMER));
}
if (news) {
  waitForNews();
  document.addEventListener("news", () => {
    clearTimeout(later);
    later = setTimeout(readNews, Math.random() * SPREAD);
  });
  if (document.body.dataset.told?.includes("news")) readNews(); // It came before this script ran.
}

// Makes the site installable and adds an offline page; stores no other page.
navigator.serviceWorker?.register("/service-worker.js").catch(() => undefined);
