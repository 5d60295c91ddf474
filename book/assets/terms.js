// A term's sentence as a card, near where a chapter uses it: under the pointer, at the keyboard's
// focus, or at a touch. Without this script it's the link's title.
const LATE = 150; // ms: time to move the pointer from the term onto the card

const card = document.createElement("div");
card.className = "term-card";
card.id = "term-card";
card.setAttribute("role", "tooltip");
card.hidden = true;

/** @type {HTMLAnchorElement | null} */
let shown = null;
let closing = 0;

/** @param {HTMLAnchorElement} link */
function show(link) {
  clearTimeout(closing);
  if (shown === link) return;
  hide();
  shown = link;
  card.textContent = link.dataset.says ?? "";
  card.hidden = false;
  link.setAttribute("aria-describedby", card.id);
  const place = link.getClientRects()[0];
  const widest = document.documentElement.clientWidth - card.offsetWidth - 8;
  const below = place.bottom + card.offsetHeight + 8 < window.innerHeight;
  const top = below ? place.bottom + 4 : place.top - card.offsetHeight - 4;
  card.style.left = `${Math.max(8, Math.min(place.left, widest)) + window.scrollX}px`;
  card.style.top = `${top + window.scrollY}px`;
}

function hide() {
  clearTimeout(closing);
  shown?.removeAttribute("aria-describedby");
  shown = null;
  card.hidden = true;
}

function hideSoon() {
  clearTimeout(closing);
  closing = window.setTimeout(hide, LATE);
}

/** @param {HTMLAnchorElement} link */
function prepare(link) {
  link.dataset.says = link.title;
  link.removeAttribute("title");
  let touched = false;
  link.addEventListener("pointerdown", (event) => {
    touched = event.pointerType === "touch" && shown !== link;
  });
  link.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && show(link));
  link.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hideSoon());
  link.addEventListener("focus", () => show(link));
  link.addEventListener("blur", hideSoon);
  link.addEventListener("click", (event) => {
    if (!touched) return; // the first touch shows the card, the second follows the link
    event.preventDefault();
    touched = false;
    show(link);
  });
}

const links = document.querySelectorAll("a.term");
if (links.length) {
  for (const link of links) prepare(/** @type {HTMLAnchorElement} */ (link));
  document.body.append(card);
  card.addEventListener("pointerenter", () => clearTimeout(closing));
  card.addEventListener("pointerleave", hideSoon);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("pointerdown", (event) => {
    const inside = /** @type {Element} */ (event.target).closest("a.term, .term-card");
    if (!inside) hide();
  });
}
