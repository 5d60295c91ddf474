// Keeps what was opened, so that it opens again without a network, whatever has been published
// since. Names that contain a checksum are kept for good, unless a page has found what is kept to be
// damaged and asks anew; all else is asked for first, and taken from what is kept only if nothing
// answers.

const KEPT = "attnsteps";
const NAMED_BY_CONTENT = /\/_static\/.*(\?v=[\da-f]{8}$|-[\da-f]{12}\.)|\/_images\/[\da-f]{64}\./;

async function fetchAndKeep(request) {
  const answer = await fetch(request);
  if (answer.ok && answer.status === 200) {
    const copy = answer.clone();
    caches.open(KEPT).then((cache) => cache.put(request, copy)).catch(() => {}); // full: not kept
  }
  return answer;
}

async function respond(request) {
  const cache = await caches.open(KEPT);
  if (NAMED_BY_CONTENT.test(request.url) && request.cache !== "reload") {
    return (await cache.match(request)) ?? fetchAndKeep(request);
  }
  try {
    return await fetchAndKeep(request);
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: request.mode === "navigate" });
    if (kept) return kept;
    throw error;
  }
}

// What a page had loaded before the first visit brought this worker.
async function keep(urls) {
  const cache = await caches.open(KEPT);
  await Promise.all(urls.map(async (url) => {
    if (!(await cache.match(url))) await cache.add(url).catch(() => {});
  }));
}

// A chapter that was published anew names other files than before: drop those that no kept page,
// script or style sheet names any more.
async function dropUnnamed() {
  const cache = await caches.open(KEPT);
  const requests = await cache.keys();
  const isText = ({ url }) => !/\.(bin|png|webp|svg|woff2)(\?|$)/.test(url);
  const texts = await Promise.all(
    requests.filter(isText).map(async (request) => (await cache.match(request)).text()),
  );
  const isNamed = ({ url }) => {
    const name = url.slice(url.lastIndexOf("/") + 1);
    return texts.some((text) => text.includes(name));
  };
  const old = requests.filter((request) => NAMED_BY_CONTENT.test(request.url) && !isNamed(request));
  await Promise.all(old.map((request) => cache.delete(request)));
}

// Firefox fetches the next chapter ahead, but not what it needs: kept is what somebody has opened.
function isAhead({ mode, url }) {
  return mode !== "navigate" && new URL(url).pathname.endsWith(".html");
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const isOwn = new URL(request.url).origin === location.origin;
  if (request.method === "GET" && isOwn && !isAhead(request)) {
    event.respondWith(respond(request));
  }
});

self.addEventListener("install", () => self.skipWaiting());

// Other projects may publish from the same origin: theirs is not ours to delete.
self.addEventListener("activate", (event) => {
  const clean = async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith(`${KEPT}-`));
    await Promise.all(names.map((name) => caches.delete(name))); // of builds up to November 2026
    await self.clients.claim();
    await dropUnnamed(); // which the worker before this one may have been stopped at
  };
  event.waitUntil(clean());
});

// A page that was asked for before this worker was active, and came after its claim, is claimed here.
self.addEventListener("message", (event) => {
  event.waitUntil(Promise.all([self.clients.claim(), keep(event.data).then(dropUnnamed)]));
});
