// What is wider than the screen scrolls in its own box; the keyboard reaches the box as long as it
// does. Fonts arrive late, so a box is measured whenever it or what is in it changes; the browser
// says so when it has laid the page out, and all boxes are read before the first is changed.

const BOXES = "pre, .table-wrapper, .math, .cell_output > .output";

/** @param {Element} element */
const boxOf = (element) => /** @type {HTMLElement} */ (element.closest(BOXES));

const sizes = new ResizeObserver((entries) => {
  const boxes = [...new Set(entries.map((entry) => boxOf(entry.target)))];
  const wide = boxes.map((box) => box.scrollWidth > box.clientWidth);
  boxes.forEach((box, place) => {
    if (wide[place]) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
});

for (const box of document.querySelectorAll(BOXES)) {
  sizes.observe(box);
  for (const inside of box.querySelectorAll(":scope > table, math")) sizes.observe(inside);
}
