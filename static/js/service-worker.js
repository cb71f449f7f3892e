/**
 * What the browser keeps of the site while no page is open: hashed static files and one offline page, nothing else.
 *
 * No page, no state of a match and no answer to anything a player asked is ever stored here: a shared or lost device
 * must not show a hand. The page at `/service-worker.js` names the files and brings this script in.
 */

/* global OFFLINE, OFFLINE_FILES, STATIC */
const FILES = "files-1";
const PAGES = "offline-1";
/** A file under its hash never changes, so it may be kept for ever. */
const HASHED = /\.[0-9a-f]{12}\.\w+$/;
/** More files than this are never needed at once; older ones go. */
const MOST_FILES = 300;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(PAGES)
      // Asked for without cookies, so that it is nobody's page.
      .then((cache) =>
        Promise.all(
          [OFFLINE, ...OFFLINE_FILES].map((path) =>
            fetch(new Request(path, { credentials: "omit", cache: "reload" })).then(
              (answer) => answer.ok && cache.put(path, answer),
            ),
          ),
        ),
      )
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(names.filter((name) => name !== FILES && name !== PAGES).map((name) => caches.delete(name))),
      )
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith(STATIC) && HASHED.test(url.pathname)) event.respondWith(file(request));
  else if (OFFLINE_FILES.includes(url.pathname))
    event.respondWith(fetch(request).catch(() => caches.match(url.pathname)));
  else if (request.mode === "navigate")
    event.respondWith(fetch(request).catch(() => caches.match(OFFLINE).then((page) => page ?? Response.error())));
});

async function file(request) {
  const cache = await caches.open(FILES);
  const kept = await cache.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok && answer.type === "basic") {
    await cache.put(request, answer.clone());
    const names = await cache.keys();
    if (names.length > MOST_FILES) await cache.delete(names[0]);
  }
  return answer;
}

/** News of a turn, while no page of ours need be open; a newer one about the same match takes its place. */
self.addEventListener("push", (event) => {
  let news;
  try {
    news = event.data.json();
  } catch {
    return; // Not one of ours.
  }
  const { title, body, tag, url } = news;
  event.waitUntil(
    self.registration.showNotification(title, {
      body,
      tag,
      renotify: true,
      icon: `${STATIC}icons/icon-192.png`,
      data: { url },
    }),
  );
});

/** A notice of the system leads to the match that it is about. */
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const url = new URL(event.notification.data?.url ?? "/", location.origin);
  if (url.origin !== location.origin) return;
  event.waitUntil(
    self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((windows) => {
      const open = windows.find((each) => new URL(each.url).pathname === url.pathname);
      return open ? open.focus() : self.clients.openWindow(url.href);
    }),
  );
});
