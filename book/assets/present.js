// For a lecture: one picture or widget at a time, as large as the screen; its keys are its own.

const SHOWN = ".ad, .cell_output img, .attnsteps-widget";
const QUESTION = "[data-widget=predict], [data-widget=exercise]";
/** @type {Record<string, number>} */
const TURNS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1, Home: -1e9, End: 1e9 };
const WIDTH = 0.94; // of the screen
const HEIGHT = 0.84; // the bar has the rest
const LARGEST = 3; // times the size on the page

/** @type {HTMLElement[]} */
let pages = [];
let at = 0;

const starter = /** @type {HTMLButtonElement | null} */ (document.getElementById("present"));
const bar = document.createElement("div");
const title = document.createElement("p");
const next = press("Next", () => turn(1));

/** @param {string} label @param {() => void} act */
function press(label, act) {
  const control = document.createElement("button");
  control.type = "button";
  control.textContent = label;
  control.addEventListener("click", act);
  return control;
}

/** What of the page is shown; a picture in a fold only if that is open. @returns {HTMLElement[]} */
function find() {
  const shown = /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll(`article :is(${SHOWN})`)
  );
  return [...shown]
    .filter((each) => each.checkVisibility() && !each.matches(QUESTION) && !each.closest(".aw"))
    .map((each) => (each.matches("img") ? /** @type {HTMLElement} */ (each.parentElement) : each));
}

/** The heading of the section that a slide is in. @param {HTMLElement} slide */
function heading(slide) {
  const found = slide.closest("section")?.querySelector("h1, h2, h3");
  return found?.firstChild?.textContent ?? document.title;
}

/** Let a slide fill the screen; a widget that is higher scrolls. @param {HTMLElement} slide */
function fill(slide) {
  const widget = /** @type {HTMLElement | null} */ (slide.querySelector(".aw"));
  const pictures = /** @type {NodeListOf<HTMLElement>} */ (
    slide.querySelectorAll(":scope > :is(svg, img)")
  );
  const sized = widget ?? [...pictures].find((picture) => picture.checkVisibility());
  if (!sized) return;
  restore(sized);
  const { clientWidth: width, clientHeight: height } = sized;
  const wide = (WIDTH * innerWidth) / width;
  const high = (HEIGHT * innerHeight) / height;
  const times = Math.min(LARGEST, wide, widget ? Math.max(high, 1) : high);
  if (widget) widget.style.zoom = String(times);
  else {
    const size = { width: `${times * width}px`, height: `${times * height}px` };
    Object.assign(sized.style, { maxWidth: "none", zoom: "1", ...size });
  }
}

/** @param {HTMLElement} sized */
function restore(sized) {
  for (const name of ["zoom", "width", "height", "max-width"]) sized.style.removeProperty(name);
}

/** @param {HTMLElement} slide */
function putBack(slide) {
  slide.classList.remove("slide");
  slide.popover = null;
  slide.removeAttribute("tabindex");
  for (const sized of slide.querySelectorAll(".aw, :scope > :is(svg, img)")) {
    restore(/** @type {HTMLElement} */ (sized));
  }
}

/** Go so many pages on, but not beyond the ends. @param {number} by */
function turn(by) {
  putBack(pages[at]);
  at = Math.max(0, Math.min(pages.length - 1, at + by));
  const slide = pages[at];
  slide.classList.add("slide");
  slide.popover = "manual";
  slide.tabIndex = 0; // keys scroll what is too high
  slide.showPopover();
  bar.hidePopover();
  bar.showPopover(); // above the slide
  fill(slide);
  title.textContent = `${at + 1} of ${pages.length}: ${heading(slide)}`;
  next.focus();
}

function open() {
  pages = find();
  at = 0;
  document.documentElement.requestFullscreen?.().catch(() => {});
  document.documentElement.dataset.presenting = "";
  turn(0);
}

function close() {
  if (!pages.length) return;
  const slide = pages[at];
  putBack(slide);
  bar.hidePopover();
  pages = [];
  delete document.documentElement.dataset.presenting;
  if (document.fullscreenElement) document.exitFullscreen();
  slide.scrollIntoView({ block: "center" });
  starter?.focus({ preventScroll: true });
}

if (
  starter &&
  "popover" in HTMLElement.prototype &&
  document.querySelector(`article :is(${SHOWN})`)
) {
  bar.className = "slides-bar";
  bar.role = "toolbar";
  bar.ariaLabel = "Slides";
  bar.popover = "manual";
  title.ariaLive = "polite";
  bar.append(
    title,
    press("Previous", () => turn(-1)),
    next,
    press("Close", close),
  );
  document.body.append(bar);
  starter.addEventListener("click", open);
  addEventListener("keydown", (event) => {
    if (!pages.length) return;
    const within = pages[at].contains(/** @type {Node} */ (event.target));
    if (event.key === "Escape") close();
    else if (!within && event.key in TURNS) turn(TURNS[event.key]);
    else return;
    event.preventDefault();
  });
  addEventListener("focusin", ({ target }) => {
    const inside = [bar, pages[at]].some((part) => part?.contains(/** @type {Node} */ (target)));
    if (pages.length && !inside) next.focus();
  });
  addEventListener("fullscreenchange", () => void (document.fullscreenElement ?? close()));
  addEventListener("resize", () => void (pages.length && fill(pages[at])));
}
