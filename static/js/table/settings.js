/**
 * The player's settings for the table: from their account or, for guests without one, from this browser.
 *
 * Notifications, undo and the player's own order of the hand belong to each device and are stored here.
 */

const KEY = "armani.table";
/** @type {Record<string, string | boolean>} */
const STANDARD = {
  faces: "classic",
  four: false,
  letters: false,
  order: "suit",
  hints: false,
  sounds: true,
  notices: false,
  /** How a move is made, and whether it can be undone for a moment, in live and in turn-based matches. */
  moves_live: "confirm",
  moves_slow: "confirm",
  undo_live: false,
  undo_slow: true,
};
/**
 * Settings that accounts store: the name there by the name here.
 * @type {Record<string, string>}
 */
const KEPT = {
  faces: "faces",
  four: "four_colours",
  letters: "suit_letters",
  order: "hand_order",
  hints: "hints",
  sounds: "sounds",
  moves_live: "live_moves",
  moves_slow: "slow_moves",
};
const account = document.body.dataset.preferences;
/** @type {Promise<unknown>} */
let sending = Promise.resolve();

function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "null") ?? {};
  } catch {
    // No storage, or another program wrote it: use the defaults.
    return {};
  }
}

/** The preferences in the page: those of the account, or the site's defaults. */
function carried() {
  /** @type {typeof STANDARD} */
  const found = {};
  for (const [name, kept] of Object.entries(KEPT)) {
    const value = document.body.dataset[kept.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())];
    if (value !== undefined) found[name] = value === "true" ? true : value === "false" ? false : value;
  }
  return found;
}

/** @type {typeof STANDARD} */
export const settings = account
  ? { ...STANDARD, ...stored(), ...carried() }
  : { ...STANDARD, ...carried(), ...stored() };

/** @param {string} name */
function keep(name) {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Without storage, it lasts for this visit.
  }
  const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value;
  // Accounts can't store the player's own order.
  if (!account || !token || !(name in KEPT) || settings[name] === "own") return;
  const body = new URLSearchParams({ csrfmiddlewaretoken: token, [KEPT[name]]: String(settings[name]) });
  // One after the other, so that the last choice is the one that is stored; it may be made as the page is left.
  const headers = { Accept: "application/json" };
  const send = () => fetch(account, { method: "POST", body, headers, keepalive: true });
  // Without a connection, the choice holds on this page, and the next one is sent all the same.
  sending = sending.then(send).catch(() => undefined);
}

const apply = () => {
  document.body.classList.toggle("four-colours", Boolean(settings.four));
  document.body.classList.toggle("suit-letters", Boolean(settings.letters));
};

/**
 * Change a setting from elsewhere than its field.
 * @param {string} name
 * @param {string | boolean} value
 */
export function set(name, value) {
  settings[name] = value;
  keep(name);
  show(name, value);
}

/**
 * Show a value in the field of its setting, without storing it.
 * @param {string} name
 * @param {string | boolean} value
 */
export function show(name, value) {
  for (const field of document.querySelectorAll(`#settings [name="${name}"]`)) fill(field, value);
}

/**
 * @param {Found} field
 * @param {string | boolean} value
 */
function fill(field, value) {
  if (field.type === "checkbox") field.checked = Boolean(value);
  else field.value = String(value);
}

/**
 * @param {Found} fields - named like the settings
 * @param {(name: string) => void} changed
 */
export function applySettings(fields, changed) {
  fields.hidden = false;
  for (const field of fields.querySelectorAll("[name]")) {
    fill(field, settings[field.name]);
    field.addEventListener("change", async () => {
      settings[field.name] = field.type === "checkbox" ? field.checked : field.value;
      // Notifications need the browser's permission; without it the switch goes back.
      if (
        field.name === "notices" &&
        field.checked &&
        (!("Notification" in window) || (await Notification.requestPermission()) !== "granted")
      ) {
        settings.notices = field.checked = false;
      }
      keep(field.name);
      apply();
      changed(field.name);
    });
  }
  apply();
}
