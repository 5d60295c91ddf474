// A table or formula wider than the screen scrolls in its own box; the keyboard reaches the box as
// long as it does. Fonts arrive late, so it is measured whenever the box or what is in it changes.

for (const box of /** @type {NodeListOf<HTMLElement>} */ (
  document.querySelectorAll(".pst-scrollable-table-container, div.math")
)) {
  const sizes = new ResizeObserver(() => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
  sizes.observe(box);
  for (const inside of box.querySelectorAll("table, math")) sizes.observe(inside);
}
