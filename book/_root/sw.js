// Keeps what was opened, so that it opens again without a network. Names that contain a checksum are
// kept for good; all else is asked for first, and taken from what is kept only if nothing answers.

const KEPT = "attnsteps-VERSION"; // another build, another cache
const NAMED_BY_CONTENT = /\/_static\/.*(\?v=|-[\da-f]{12}\.)|\/_images\//;

async function fetchAndKeep(request) {
  const answer = await fetch(request);
  if (answer.ok && answer.status === 200) {
    const copy = answer.clone();
    caches.open(KEPT).then((cache) => cache.put(request, copy));
  }
  return answer;
}

async function respond(request) {
  if (NAMED_BY_CONTENT.test(request.url)) {
    return (await caches.match(request)) ?? fetchAndKeep(request);
  }
  try {
    return await fetchAndKeep(request);
  } catch (error) {
    const kept = await caches.match(request, { ignoreSearch: request.mode === "navigate" });
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === location.origin) {
    event.respondWith(respond(request));
  }
});

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name !== KEPT) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

// What a page had loaded before the first visit brought this worker.
self.addEventListener("message", (event) => {
  const keep = async () => {
    const cache = await caches.open(KEPT);
    await Promise.all(event.data.map(async (url) => {
      if (!(await cache.match(url))) await cache.add(url).catch(() => {});
    }));
  };
  event.waitUntil(keep());
});
