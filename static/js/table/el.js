/** Elements, briefly. */

/**
 * `el("p.note", {hidden: true}, child, "text")`
 * @type {El}
 */
export function el(what, properties = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const made = /** @type {Found} */ (document.createElement(tag));
  if (classes.length) made.className = classes.join(" ");
  for (const [name, value] of Object.entries(properties)) {
    if (name === "dataset") Object.assign(made.dataset, value);
    else if (name.includes("-") || name === "role") made.setAttribute(name, String(value));
    else Object.assign(made, { [name]: value });
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/**
 * Give an element these children; those that it has already are not touched, for to put them back costs a layout.
 * @param {Element} parent
 * @param {Node[]} children
 */
export function setChildren(parent, children) {
  for (const child of [...parent.childNodes]) if (!children.includes(child)) child.remove();
  for (const [at, child] of children.entries())
    if (parent.childNodes[at] !== child) parent.insertBefore(child, parent.childNodes[at] ?? null);
}

/**
 * What an event happened to, as an element.
 * @param {Event} event
 */
export const targetOf = (event) => /** @type {Found} */ (event.target);

/** The element in focus. */
export const focused = () => /** @type {Found | null} */ (document.activeElement);

/**
 * The element of that id.
 * @param {string} id
 */
export const byId = (id) => document.getElementById(id);
