/** Appearance settings: shows some cards with the options in the form. */

import { drawFaces, makeCard } from "../table/cards.js";

const box = document.querySelector("[data-look]");
const form = /** @type {HTMLFormElement | null} */ (/** @type {HTMLElement | null} */ (box?.closest("form")));

function draw() {
  const data = new FormData(form ?? undefined);
  document.querySelector(".face-sheet")?.remove();
  drawFaces(String(data.get("faces")));
  box.classList.toggle("four-colours", data.has("four_colours"));
  box.classList.toggle("suit-letters", data.has("suit_letters"));
  box.replaceChildren(...["TC", "7D", "QH", "AS"].map((code) => makeCard(code)));
  box.hidden = false;
}

if (form) {
  form.addEventListener("change", draw);
  draw();
}
