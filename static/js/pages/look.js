/** Settings, look: some cards as the form has them just now. */

import { drawFaces, makeCard } from "../table/cards.js";

const box = document.querySelector("[data-look]");
const form = box?.closest("form");

function draw() {
  const data = new FormData(form);
  document.querySelector(".face-sheet")?.remove();
  drawFaces(data.get("faces"));
  box.classList.toggle("four-colours", data.has("four_colours"));
  box.classList.toggle("suit-letters", data.has("suit_letters"));
  box.replaceChildren(...["TC", "7D", "QH", "AS"].map((code) => makeCard(code)));
  box.hidden = false;
}

if (form) {
  form.addEventListener("change", draw);
  draw();
}
