// A page once opened opens again without a network: sw.js keeps it, with all that it has loaded.

async function keep() {
  await navigator.serviceWorker.register(new URL("../sw.js", import.meta.url));
  const { active } = await navigator.serviceWorker.ready;
  const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
  loaded.push(...[...document.images].map((picture) => picture.src)); // those further down, too
  const here = location.href.replace(/[?#].*/, "");
  active.postMessage([here, ...loaded.filter((url) => url.startsWith(location.origin))]);
}

if ("serviceWorker" in navigator) {
  const later = () => setTimeout(() => keep().catch(() => {}), 2000); // after what a reader waits for
  if (document.readyState === "complete") later();
  else addEventListener("load", later);
}
