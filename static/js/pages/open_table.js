/** The form of a new table: only as many seats as players are shown. */

const form = document.querySelector("[data-open-table]");
const count = form.elements.seats;

function showSeats() {
  for (const seat of form.querySelectorAll("[data-seat]")) {
    const used = Number(seat.dataset.seat) < Number(count.value);
    seat.hidden = !used;
    for (const control of seat.querySelectorAll("select")) control.disabled = !used;
  }
}

count.addEventListener("change", showSeats);
showSeats();
