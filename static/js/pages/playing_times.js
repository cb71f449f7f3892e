/** Offers the browser's time zone if the form has another one, without changing the form. */

const form = document.querySelector("[data-zone-form]");
const offer = form?.querySelector("[data-guess]");
const field = form?.elements.zone;
const guessed = Intl.DateTimeFormat().resolvedOptions().timeZone;
const known = field && [...field.options].some((option) => option.value === guessed);

if (offer && known && field.value !== guessed) {
  offer.querySelector("[data-guessed]").textContent = guessed.replaceAll("_", " ");
  offer.hidden = false;
  offer.querySelector("button").addEventListener("click", () => {
    field.value = guessed;
    offer.hidden = true;
    field.focus();
  });
}
