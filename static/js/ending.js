/** Offers to end the match or to play it live: read again from the server when somebody makes one or says no. */

const box = document.getElementById("ending");
let areAllHere = false;

/** Playing live is offered while everybody is at the table. */
function show() {
  for (const form of box.querySelectorAll("[data-all-here]")) form.hidden = !areAllHere;
}

document.addEventListener("present", ({ detail }) => {
  areAllHere = detail.all;
  show();
});

document.addEventListener("ending", async () => {
  const answer = await fetch(box.dataset.ending, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").body;
  if (fresh.textContent === box.textContent) return;
  const hadFocus = box.contains(document.activeElement);
  box.replaceChildren(...fresh.childNodes);
  show();
  if (hadFocus) box.querySelector("button")?.focus();
});
