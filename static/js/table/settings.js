/** How this browser likes its table; kept here, not on the server. */

const KEY = "armani.table";
const stored = () => {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    // No storage here, or something else wrote it: the standard it is.
    return {};
  }
};

export const settings = { four: false, letters: false, direct: false, order: "suit", ...stored() };

/** @param {HTMLFieldSetElement} fields - named like the settings */
export function applySettings(fields, changed) {
  const apply = () => {
    document.body.classList.toggle("four-colours", settings.four);
    document.body.classList.toggle("suit-letters", settings.letters);
  };
  fields.hidden = false;
  for (const field of fields.querySelectorAll("[name]")) {
    const part = field.type === "checkbox" ? "checked" : "value";
    field[part] = settings[field.name];
    field.addEventListener("change", () => {
      settings[field.name] = field[part];
      try {
        localStorage.setItem(KEY, JSON.stringify(settings));
      } catch {
        // It holds for this visit.
      }
      apply();
      changed();
    });
  }
  apply();
}
