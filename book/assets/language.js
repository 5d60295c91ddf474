// Remembers which edition a reader chose, and takes them to the same place in it.

for (const link of document.querySelectorAll("a[data-edition]")) {
  if (!(link instanceof HTMLAnchorElement)) continue;
  link.addEventListener("click", () => {
    link.hash = location.hash;
    try {
      localStorage.setItem("edition", String(link.dataset.edition));
    } catch {} // a browser that keeps nothing asks again
  });
}
