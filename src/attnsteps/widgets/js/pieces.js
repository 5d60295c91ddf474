// A tensor of heads drawn twice: as its shape says, and as its numbers lie in memory.
import { addressOf, pieceOf } from "./maths/heads.js";
import { el, fmt } from "./ui.js";

const MOST_CELLS = 16; // as many numbers of a piece are drawn
const ROW = 22; // px from word to word
const [NARROW, WIDE] = [1.2, 3]; // gaps in percent of the width
/** Gaps between columns, in percent, and between rows, in pixels. */
const GAPS = { ti: [0, 2], thi: [NARROW, 7], hti: [WIDE, 0] };

/** @param {(word: number, head: number) => void} onpick */
export function pieces(onpick) {
  const shapeField = el("div", { class: "mh-field" });
  const headNames = el("div", { class: "mh-heads" });
  const wordNames = el("div", { class: "mh-words", lang: "zh" });
  const memoryField = el("div", { class: "mh-field mh-memory" });
  const addresses = el("div", { class: "mh-words mh-addresses" });
  /** @type {Piece[]} */
  let all = [];
  let form = ""; // what the pieces were made for
  /** @type {Rows | null} */
  let drawn = null; // the numbers that are on the page

  /** @param {PiecesState} state */
  function make({ words, numHeads }) {
    const heads = Array.from({ length: numHeads }, (_, head) => head);
    all = words.flatMap((_, word) => heads.map((head) => makePiece(word, head, onpick)));
    shapeField.replaceChildren(...all.map(({ shaped }) => shaped));
    memoryField.replaceChildren(...all.map(({ stored }) => stored));
    wordNames.replaceChildren(...words.map((word) => el("span", {}, word)));
    headNames.replaceChildren(...heads.map((head) => el("span", {}, `head ${head + 1}`)));
    addresses.replaceChildren(...heads.map(() => el("span", {})));
    shapeField.style.height = `${words.length * ROW}px`;
    memoryField.style.height = `${numHeads * ROW}px`;
    drawn = null;
  }

  return {
    shapePicture: el(
      "div",
      { class: "mh-picture" },
      el("span", {}),
      headNames,
      wordNames,
      shapeField,
    ),
    memoryPicture: el("div", { class: "mh-picture" }, addresses, memoryField),
    /** @param {PiecesState} state */
    show(state) {
      const { words, numHeads, width, step, rows, word, head } = state;
      const wanted = JSON.stringify([words, numHeads, width]);
      if (form !== wanted) make(state);
      form = wanted;
      if (drawn !== rows) paint(all, rows, width);
      drawn = rows;
      for (const piece of all) place(piece, state);
      headNames.classList.toggle("mh-uncut", step.axes === "ti");
      [...headNames.children].forEach((name, h) => name.classList.toggle("mh-chosen", h === head));
      [...wordNames.children].forEach((name, t) => name.classList.toggle("mh-chosen", t === word));
      [...addresses.children].forEach((line, n) => {
        line.textContent = String(addressOf([n, 0], [words.length * width, 1]));
      });
    },
  };
}

/**
 * @param {number} word @param {number} head @param {(word: number, head: number) => void} onpick
 * @returns {Piece}
 */
function makePiece(word, head, onpick) {
  const make = () => el("div", { class: "mh-piece", onclick: () => onpick(word, head) });
  return { word, head, shaped: make(), stored: make() };
}

/**
 * One stripe for each number: the darker, the further from zero; its hue is its sign.
 * @param {Piece[]} all @param {Rows} rows @param {number} width
 */
function paint(all, rows, width) {
  const largest = Math.max(...rows.flatMap((row) => Array.from(row, Math.abs))) || 1;
  const count = Math.min(width, MOST_CELLS);
  for (const { word, head, shaped, stored } of all) {
    const stripes = Array.from({ length: count }, (_, i) => {
      const value = rows[word][head * width + i] / largest;
      const share = Math.round(100 * Math.sqrt(Math.abs(value)));
      const hue = `var(--${value < 0 ? "minus" : "plus"})`;
      const [from, to] = [i, i + 1].map((end) => `${((100 * end) / count).toFixed(2)}%`);
      return `color-mix(in srgb, ${hue} ${share}%, var(--raised)) ${from} ${to}`;
    });
    const background = `linear-gradient(to right, ${stripes.join(", ")})`;
    shaped.style.background = background;
    stored.style.background = background;
  }
}

/**
 * Put a piece where it stands after a step, in the shape and in memory.
 * @param {Piece} piece @param {PiecesState} state
 */
function place({ word, head, shaped, stored }, state) {
  const { words, names, numHeads, width, step } = state;
  const [columnGap, rowGap] = GAPS[step.axes];
  const share = (100 - columnGap * (numHeads - 1)) / numHeads;
  const perLine = words.length; // pieces in a line of memory
  const at = pieceOf(step, word, head, width).address / width;
  Object.assign(shaped.style, {
    left: `${head * (share + columnGap)}%`,
    width: `${share}%`,
    top: `${word * ROW + rowGap / 2}px`,
    height: `${ROW - rowGap}px`,
  });
  Object.assign(stored.style, {
    left: `${(100 * (at % perLine)) / perLine}%`,
    width: `${100 / perLine}%`,
    top: `${Math.floor(at / perLine) * ROW + 2}px`,
    height: `${ROW - 4}px`,
  });
  const [from, to] = [at * width, (at + 1) * width - 1];
  for (const node of [shaped, stored]) {
    node.classList.toggle("mh-other", head !== state.head);
    node.classList.toggle("mh-here", head === state.head && word === state.word);
    node.title = `head ${head + 1} of ${names[word]}: numbers ${from} to ${to} in memory`;
  }
}

/**
 * What a piece of memory is about, in words.
 * @param {HeadStep} step @param {number} word @param {number} head @param {number} width
 * @param {string} name
 */
export function describePiece(step, word, head, width, name) {
  const { address, factors } = pieceOf(step, word, head, width);
  const sum = factors
    .slice(1, step.axes === "ti" ? 3 : -1)
    .map(([index, stride]) => `${index} · ${stride}`)
    .join(" + ");
  return `Head ${head + 1} of ${name} begins at ${sum} = ${fmt(address, 0)}.`;
}
