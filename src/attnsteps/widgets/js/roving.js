// Buttons that belong together: Tab reaches the group once, and the arrow keys go on from there.

/** What an arrow key does along the line of reading. @type {Record<string, number>} */
const ALONG = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 };
const CHOSEN = `[aria-pressed="true"], [aria-checked="true"], [aria-current="step"]`;
const WATCHED = ["hidden", "disabled", "aria-pressed", "aria-checked", "aria-current"];

/**
 * Give a group a single stop of the Tab key: the chosen button if there is exactly one, else the
 * one that had the focus last. The group may change at any time.
 * @template {HTMLElement} Group
 * @param {Group} group
 * @param {{inOrder?: boolean, picks?: boolean}} [options] inOrder: the arrow keys follow the text,
 *        not the picture; picks: they press the button that they come to
 * @returns {Group}
 */
export function rove(group, { inOrder = false, picks = false } = {}) {
  /** @type {HTMLButtonElement | null} */
  let last = null;
  const all = () => [...group.querySelectorAll("button")];
  const usable = () => all().filter((node) => !node.disabled && !node.closest("[hidden]"));
  function settle() {
    const nodes = usable();
    const chosen = nodes.filter((node) => node.matches(CHOSEN));
    const stop =
      nodes.find((node) => node.matches(":focus")) ??
      (chosen.length === 1 ? chosen[0] : nodes.find((node) => node === last)) ??
      nodes[0];
    for (const node of all()) node.tabIndex = node === stop ? 0 : -1;
  }
  group.addEventListener("focusin", ({ target }) => {
    last = buttonOf(target);
    settle();
  });
  group.addEventListener("keydown", (event) => {
    const here = buttonOf(event.target);
    const { key } = event;
    if (!here || !(key in ALONG || key === "Home" || key === "End")) return;
    event.preventDefault(); // at the edge, too: the page stays where it is
    const nodes = usable().filter((node) => node.getClientRects().length);
    const next = inOrder || !(key in ALONG) ? inLine(nodes, here, key) : beside(nodes, here, key);
    next?.focus();
    if (picks) next?.click();
  });
  const changes = { subtree: true, childList: true, attributeFilter: WATCHED };
  new MutationObserver(settle).observe(group, changes);
  settle();
  return group;
}

/** @param {EventTarget | null} target */
function buttonOf(target) {
  return target instanceof Element ? target.closest("button") : null;
}

/** @param {HTMLButtonElement[]} nodes @param {HTMLButtonElement} here @param {string} key */
function inLine(nodes, here, key) {
  if (!(key in ALONG)) return key === "Home" ? nodes[0] : nodes[nodes.length - 1];
  return nodes[nodes.indexOf(here) + ALONG[key]];
}

/**
 * The nearest button in the direction of an arrow. Where all are in one line, both pairs of arrow
 * keys go along it.
 * @param {HTMLButtonElement[]} nodes @param {HTMLButtonElement} here @param {string} key
 */
function beside(nodes, here, key) {
  const isVertical = key === "ArrowUp" || key === "ArrowDown";
  const boxes = nodes.map((node) => spans(node, isVertical));
  const from = spans(here, isVertical);
  const sign = ALONG[key];
  const isLine = !boxes.some((box) => gap(from.along, box.along) >= 0);
  if (isLine) return inLine(nodes, here, key);
  /** Up and down stay in the column; to the side, what is at the same height is nearest. */
  const distances = boxes.map(({ along, across }) => {
    const isAhead = sign * (middle(along) - middle(from.along)) > 0 && gap(from.along, along) >= 0;
    if (!isAhead || (isVertical && gap(from.across, across) >= 0)) return Infinity;
    const [far, aside] = [gap(from.along, along), Math.abs(middle(across) - middle(from.across))];
    return isVertical ? 100 * far + aside : far + 100 * aside;
  });
  const least = Math.min(...distances);
  return least < Infinity ? nodes[distances.indexOf(least)] : undefined;
}

/** @typedef {[number, number]} Span */

/**
 * From where to where a button extends in the direction of an arrow, and across it.
 * @param {HTMLElement} node @param {boolean} isVertical
 * @returns {{along: Span, across: Span}}
 */
function spans(node, isVertical) {
  const { left, right, top, bottom } = node.getBoundingClientRect();
  /** @type {[Span, Span]} */
  const [x, y] = [
    [left, right],
    [top, bottom],
  ];
  return isVertical ? { along: y, across: x } : { along: x, across: y };
}

/** @param {Span} span */
function middle([from, to]) {
  return (from + to) / 2;
}

/**
 * How far two spans are apart; negative where they overlap.
 * @param {Span} one @param {Span} other
 */
function gap(one, other) {
  return Math.max(other[0] - one[1], one[0] - other[1]) + 0.5; // of rounding
}
