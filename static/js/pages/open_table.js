/** The form of a new table: shows as many seats as there are players, and adapts options to the clock. */

import { targetOf } from "../table/el.js";

const form = document.querySelector("[data-open-table]");
const proposed = form.querySelector("[data-proposed]");

function showSeats() {
  for (const seat of form.querySelectorAll("[data-seat]")) {
    const used = Number(seat.dataset.seat) < Number(form.elements.seats.value);
    seat.hidden = !used;
    for (const control of seat.querySelectorAll("select")) control.disabled = !used;
  }
}

const isByMail = () => form.querySelector("[data-by-hours]:checked") !== null;
/** @param {Found} option */
const proposal = (option) => JSON.parse((isByMail() ? option.dataset.byMail : option.dataset.live) ?? "null");

/**
 * The value of an option, in the form of its defaults.
 * @param {Found} option
 * @returns {unknown}
 */
function chosenOf(option) {
  const controls = [...option.querySelectorAll("input")];
  const [first] = controls;
  if (first.type === "radio") return controls.find((control) => control.checked)?.value ?? null;
  if (first.type === "number") return Number(first.value);
  if (!option.querySelector("fieldset")) return first.checked;
  return controls.filter((control) => control.checked).map((control) => control.value);
}

/**
 * @param {Found} option
 * @param {unknown} value
 */
function setTo(option, value) {
  for (const control of option.querySelectorAll("input")) {
    if (control.type === "number") control.value = String(value);
    else if (control.type === "radio") control.checked = control.value === String(value);
    else control.checked = Array.isArray(value) ? value.includes(control.value) : Boolean(value);
  }
}

/**
 * Options that still have the old clock's default get the new clock's default; others stay.
 * @type {[Found, unknown][]}
 */
let before = [];
function followClock() {
  let changed = false;
  for (const [option, old] of before) {
    const now = proposal(option);
    if (JSON.stringify(now) === JSON.stringify(old) || JSON.stringify(chosenOf(option)) !== JSON.stringify(old))
      continue;
    setTo(option, now);
    changed = true;
  }
  before = [...form.querySelectorAll("[data-by-mail]")].map((option) => [option, proposal(option)]);
  if (proposed) proposed.hidden = !changed;
}

/** Options without effect at this table are hidden. */
function showRelevantFields() {
  const isSlow = isByMail();
  for (const part of form.querySelectorAll("[data-for-slow-teams]"))
    part.hidden = !isSlow || Number(form.elements.seats.value) < 4;
  for (const part of form.querySelectorAll("[data-for-slow]")) part.hidden = !isSlow;
  for (const part of form.querySelectorAll("[data-for-live]")) part.hidden = form.elements.clock.value !== "table";
}

/** The house rules in one line: the standard ones, or the differing ones. */
const line = form.querySelector("[data-house-line]");
const state = form.querySelector("[data-house-state]");
const standard = line.textContent;
/** @param {Found} field */
function isChanged(field) {
  const option = field.closest("[data-by-mail]");
  if (option) return JSON.stringify(chosenOf(option)) !== JSON.stringify(proposal(option));
  return [...field.querySelectorAll("input")].some((control) => control.checked !== control.defaultChecked);
}
/** @param {Found} field */
function ruleText(field) {
  const said = field.querySelector("legend, label").textContent.trim();
  const number = field.querySelector("[type=number]");
  if (number) return `${said}: ${number.value}`;
  const chosen = [...field.querySelectorAll("fieldset label:has(:checked)")].map((label) => label.textContent.trim());
  if (chosen.length) return `${said}: ${chosen.join(", ")}`;
  return field.querySelector(":checked") ? `✓ ${said}` : `✗ ${said}`;
}
function sayHouseRules() {
  const fields = [...form.querySelectorAll(".house-grid .field")].filter((field) => !field.closest("[hidden]"));
  // The clock of the main choice disables the others; that isn't a house rule.
  const changed = fields.filter(
    (field) => isChanged(field) && (!field.querySelector("[name=clock]") || field.querySelector(":checked")),
  );
  line.textContent = changed.length ? changed.map(ruleText).join(" · ") : standard;
  state.textContent = (changed.length ? state.dataset.changed : state.dataset.standard) ?? "";
}

form.addEventListener("change", (event) => {
  if (targetOf(event).name === "seats") showSeats();
  if (targetOf(event).name === "clock") followClock();
  showRelevantFields();
  sayHouseRules();
});
showSeats();
followClock();
showRelevantFields();
sayHouseRules();
