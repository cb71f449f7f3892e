/** Short functions for elements. */

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
 * Set an element's children. Unchanged ones stay in place, because inserting them again would cost a layout.
 * @param {Element} parent
 * @param {Node[]} children
 */
export function setChildren(parent, children) {
  for (const child of [...parent.childNodes]) if (!children.includes(child)) child.remove();
  for (const [at, child] of children.entries())
    if (parent.childNodes[at] !== child) parent.insertBefore(child, parent.childNodes[at] ?? null);
}

/**
 * Put a newly made part in the place of the last one. One that is alike stays, because styling and laying out a new one
 * costs most.
 * @param {Element} parent
 * @param {string} selector - of the part
 * @param {Element | null} made - null if there is none now
 */
export function renew(parent, selector, made) {
  const old = parent.querySelector(selector);
  if (made && old?.isEqualNode(made)) return;
  if (made && old) old.replaceWith(made);
  else if (made) parent.append(made);
  else old?.remove();
}

/**
 * The element that an event happened on.
 * @param {Event} event
 */
export const targetOf = (event) => /** @type {Found} */ (event.target);

/** The focused element. */
export const focused = () => /** @type {Found | null} */ (document.activeElement);

/**
 * The element with that id.
 * @param {string} id
 */
export const byId = (id) => document.getElementById(id);
