/** Offers to end the match or to play it live: loaded again when a player makes or declines one. */

import { makeReader } from "./fragment.js";

const box = document.getElementById("ending");
const readAgain = makeReader();

/** Live play is offered while everyone is at the table. */
function show() {
  for (const form of box.querySelectorAll("[data-all-here]")) form.hidden = document.body.dataset.present !== "all";
}

document.addEventListener("present", show);
show();

async function read() {
  const { page, isOld } = await readAgain(box.dataset.ending);
  if (!page || isOld) return;
  const fresh = page.body;
  const [shown, now] = [box, fresh].map((part) => part.querySelector("[data-mark]"));
  if (shown && now) shown.dataset.shows = now.dataset.shows;
  if (fresh.textContent === box.textContent) return;
  const hadFocus = box.contains(document.activeElement);
  box.replaceChildren(...fresh.childNodes);
  show();
  if (hadFocus) box.querySelector("button")?.focus();
}

document.addEventListener("ending", read);
if (document.body.dataset.told?.includes("ending")) read(); // It came before this script ran.
