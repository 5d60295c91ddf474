// A page once opened opens again without a network: sw.js keeps it and all that it has loaded. What
// only comes near the screen later, pictures and the weights of widgets, is kept as soon as the
// reader does anything, unless the connection should be spared.

const WEIGHTS = /widgets\/weights-[\da-f]+\.bin/g;

/** @param {string[]} urls */
async function keep(urls) {
  await navigator.serviceWorker.register(new URL("../sw.js", import.meta.url));
  const { active } = await navigator.serviceWorker.ready;
  active?.postMessage(urls.filter((url) => url.startsWith(location.origin)));
}

const page = location.href.replace(/[?#].*/, "");

function keepPage() {
  const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
  const pages = /\.html$/; // the next chapter, which Firefox has fetched ahead
  return keep([page, ...loaded.filter((name) => !pages.test(name))]);
}

function keepRest() {
  const states = document.querySelector('script[type$="widget-state+json"]')?.textContent ?? "";
  const weights = [...new Set(states.match(WEIGHTS))].map(
    (name) => new URL(name, import.meta.url).href,
  );
  return keep([...[...document.images].map((picture) => picture.src), ...weights]);
}

/**
 * Wait for the reader's first move. A scroll is none: the theme scrolls its sidebar by itself.
 * @returns {Promise<unknown>}
 */
function move() {
  const kinds = ["wheel", "touchmove", "pointerdown", "keydown"];
  return new Promise((go) => {
    for (const kind of kinds) addEventListener(kind, go, { once: true, capture: true });
  });
}

const load = () =>
  new Promise((go) => {
    if (document.readyState === "complete") go(null);
    else addEventListener("load", go);
  });

if ("serviceWorker" in navigator) {
  // What a widget has fetched at the reader's wish, and found whole: with its page, because what no
  // kept page names is dropped.
  addEventListener("attnsteps:keep", (event) => {
    keep([page, /** @type {CustomEvent} */ (event).detail]).catch(() => {});
  });
  const moved = move();
  await load();
  await new Promise((go) => setTimeout(go, 2000)); // after what a reader waits for
  await keepPage().catch(() => {});
  await moved;
  const { saveData } = /** @type {any} */ (navigator).connection ?? {};
  if (!saveData) await keepRest().catch(() => {});
}
