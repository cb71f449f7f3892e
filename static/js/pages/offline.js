/** The page without a connection: shows which rules the browser has stored. */

const list = document.querySelector("[data-rules]");
for (const item of list.querySelectorAll("li")) {
  caches.match(item.querySelector("a").href, { ignoreVary: true }).then((page) => {
    if (!page) return;
    item.hidden = false;
    list.hidden = false;
  });
}
