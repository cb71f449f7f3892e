/**
 * What the browser stores of the site: hashed static files, one offline page, and the rules that were read.
 *
 * It never stores other pages, states of matches, or answers to a player's requests: a shared or lost device must not
 * show a hand. The page at `/service-worker.js` lists the files and imports this script.
 */

/* global OFFLINE, OFFLINE_FILES, RULES, STATIC */
const FILES = "files-1";
const PAGES = "offline-1";
const RULES_READ = "rules-1";
/** Rules that were read again after this time are stored again. */
const DAY = 24 * 3600_000;
/** A file with a hash in its name never changes, so it may be kept for good. */
const HASHED = /\.[0-9a-f]{12}\.\w+$/;
/** More files than this are never needed at once; older ones are deleted. */
const MOST_FILES = 300;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(PAGES)
      // Fetched without cookies, so that the page belongs to no user.
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
        Promise.all(
          names.filter((name) => ![FILES, PAGES, RULES_READ].includes(name)).map((name) => caches.delete(name)),
        ),
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
  else if (request.mode === "navigate") {
    const answer = fetch(request);
    event.respondWith(answer.catch(() => stored(url.pathname)));
    if (url.pathname.startsWith(RULES)) event.waitUntil(answer.then(() => store(url.pathname)).catch(() => undefined));
  }
});

/**
 * The page to show without a connection.
 * @param {string} path
 */
async function stored(path) {
  const rules = path.startsWith(RULES) ? await caches.match(path, { cacheName: RULES_READ, ignoreVary: true }) : null;
  return rules ?? (await caches.match(OFFLINE)) ?? Response.error();
}

/**
 * Store rules for reading without a connection; fetched without cookies, so that the page shows no user.
 * @param {string} path
 */
async function store(path) {
  const cache = await caches.open(RULES_READ);
  const kept = await cache.match(path, { ignoreVary: true });
  if (kept && Date.now() - Date.parse(kept.headers.get("date") ?? "") < DAY) return;
  const answer = await fetch(new Request(path, { credentials: "omit" }));
  if (answer.ok) await cache.put(path, answer);
}

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

/** A push about a turn, even if no page of ours is open; a newer one about the same match replaces it. */
self.addEventListener("push", (event) => {
  let news;
  try {
    news = event.data.json();
  } catch {
    return; // Not one of our pushes.
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

/** A click on the notification opens its match. */
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
