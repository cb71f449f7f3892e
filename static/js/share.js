/** Buttons for the device's own share dialog; hidden where it has none. */

/** @param {ParentNode} part - whose buttons with `data-share`, a link, share it under `data-title` */
export function offerToShare(part) {
  for (const button of part.querySelectorAll("[data-share]")) {
    const link = { title: button.dataset.title, url: new URL(button.dataset.share ?? "", location.href).href };
    button.hidden = !navigator.canShare?.(link);
    // The player closed the dialog, which isn't an error.
    button.addEventListener("click", () => navigator.share(link).catch(() => undefined));
  }
}
