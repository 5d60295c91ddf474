// A table wider than the screen scrolls in its own box; the keyboard reaches the box as long as it
// does. The formulas in it are set later, so it is measured whenever box or table change.

for (const box of /** @type {NodeListOf<HTMLElement>} */ (
  document.querySelectorAll(".pst-scrollable-table-container")
)) {
  const sizes = new ResizeObserver(() => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
  sizes.observe(box);
  for (const table of box.querySelectorAll("table")) sizes.observe(table);
}
