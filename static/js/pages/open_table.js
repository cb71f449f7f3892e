/** The form of a new table: only as many seats as players are shown, and options follow the clock. */

const form = document.querySelector("[data-open-table]");
const proposed = form.querySelector("[data-proposed]");

function showSeats() {
  for (const seat of form.querySelectorAll("[data-seat]")) {
    const used = Number(seat.dataset.seat) < Number(form.elements.seats.value);
    seat.hidden = !used;
    for (const control of seat.querySelectorAll("select")) control.disabled = !used;
  }
}

const isByMail = () => ["lunch", "daily", "relaxed"].includes(form.elements.clock.value);
const proposal = (option) => JSON.parse(isByMail() ? option.dataset.byMail : option.dataset.live);

/** What an option is set to, in the shape of its proposals. */
function valueOf(option) {
  const controls = [...option.querySelectorAll("input")];
  const [first] = controls;
  if (first.type === "radio") return controls.find((control) => control.checked)?.value ?? null;
  if (first.type === "number") return Number(first.value);
  if (!option.querySelector("fieldset")) return first.checked;
  return controls.filter((control) => control.checked).map((control) => control.value);
}

function setTo(option, value) {
  for (const control of option.querySelectorAll("input")) {
    if (control.type === "number") control.value = value;
    else if (control.type === "radio") control.checked = control.value === String(value);
    else control.checked = Array.isArray(value) ? value.includes(control.value) : value;
  }
}

/** Options still as proposed for the clock before become what is proposed for this one; others stay. */
let before = null;
function followClock() {
  let changed = false;
  for (const [option, old] of before ?? []) {
    const now = proposal(option);
    if (JSON.stringify(now) === JSON.stringify(old) || JSON.stringify(valueOf(option)) !== JSON.stringify(old)) continue;
    setTo(option, now);
    changed = true;
  }
  before = [...form.querySelectorAll("[data-by-mail]")].map((option) => [option, proposal(option)]);
  if (proposed) proposed.hidden = !changed;
}

form.addEventListener("change", (event) => {
  if (event.target.name === "seats") showSeats();
  if (event.target.name === "clock") followClock();
});
showSeats();
followClock();
