// On a narrow screen the theme keeps the contents beside it until a box is checked. Then the
// keyboard goes there; Escape leads back, and a link within the page shows where it leads.

const DRAWERS = { __navigation: ".sidebar-drawer", __toc: ".toc-drawer" };

for (const [name, selector] of Object.entries(DRAWERS)) {
  const box = /** @type {HTMLInputElement} */ (document.getElementById(name));
  const drawer = /** @type {HTMLElement} */ (document.querySelector(selector));
  box.addEventListener("change", () => {
    const links = [...drawer.querySelectorAll("a")];
    if (box.checked) links.find((link) => link.checkVisibility())?.focus();
  });
  drawer.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !box.checked) return;
    box.checked = false;
    box.focus();
  });
  drawer.addEventListener("click", ({ target }) => {
    if (/** @type {Element} */ (target).closest('a[href^="#"]')) box.checked = false;
  });
}
