// A tensor of heads drawn twice: as its shape says, and as its numbers lie in memory.
import { addressOf, pieceOf } from "./maths/heads.js";
import { el, fmt } from "./ui.js";

const MOST_CELLS = 16; // as many numbers of a piece are drawn
const ROW = 22; // px from word to word
const [NARROW, WIDE] = [1.2, 3]; // gaps in percent of the width

/**
 * @param {(word: number, head: number) => void} onpick
 */
export function pieces(onpick) {
  const shapeField = el("div", { class: "mh-field" });
  const headNames = el("div", { class: "mh-heads" });
  const wordNames = el("div", { class: "mh-words", lang: "zh" });
  const memoryField = el("div", { class: "mh-field mh-memory" });
  const shapePicture = el("div", { class: "mh-picture" }, el("span", {}), headNames, wordNames, shapeField);
  const addresses = el("div", { class: "mh-words mh-addresses" });
  const memoryPicture = el("div", { class: "mh-picture" }, addresses, memoryField);
  let blocks = []; // {word, head, shaped, stored}
  let form = "";
  let drawn = null; // the numbers that are on the page

  function make(words, numHeads) {
    const block = (word, head) => el("div", { class: "mh-piece", onclick: () => onpick(word, head) });
    blocks = words.flatMap((_, word) => Array.from({ length: numHeads }, (__, head) => ({ word, head, shaped: block(word, head), stored: block(word, head) })));
    shapeField.replaceChildren(...blocks.map(({ shaped }) => shaped));
    memoryField.replaceChildren(...blocks.map(({ stored }) => stored));
    wordNames.replaceChildren(...words.map((word) => el("span", {}, word)));
    headNames.replaceChildren(...Array.from({ length: numHeads }, (_, head) => el("span", {}, `head ${head + 1}`)));
    addresses.replaceChildren(...Array.from({ length: numHeads }, () => el("span", {})));
    shapeField.style.height = `${words.length * ROW}px`;
    memoryField.style.height = `${numHeads * ROW}px`;
    drawn = null;
  }

  /** One stripe for each number: the darker, the further from zero; its hue is its sign. */
  function paint(rows, width) {
    const largest = Math.max(...rows.flatMap((row) => Array.from(row, Math.abs))) || 1;
    const count = Math.min(width, MOST_CELLS);
    for (const { word, head, shaped, stored } of blocks) {
      const stripes = Array.from({ length: count }, (_, i) => {
        const value = rows[word][head * width + i] / largest;
        const share = Math.round(100 * Math.sqrt(Math.abs(value)));
        const colour = `color-mix(in srgb, var(--${value < 0 ? "minus" : "plus"}) ${share}%, var(--raised))`;
        return `${colour} ${((100 * i) / count).toFixed(2)}% ${((100 * (i + 1)) / count).toFixed(2)}%`;
      });
      const background = `linear-gradient(to right, ${stripes.join(", ")})`;
      shaped.style.background = background;
      stored.style.background = background;
    }
  }

  return {
    shapePicture, memoryPicture,
    /**
     * @param {{words: string[], names: string[], numHeads: number, width: number, step: object, rows: Float32Array[],
     *          word: number, head: number}} state rows: the numbers, (T, D), a head's beside each other
     */
    show({ words, names, numHeads, width, step, rows, word: chosenWord, head: chosenHead }) {
      const wanted = JSON.stringify([words, numHeads, width]);
      if (form !== wanted) make(words, numHeads);
      form = wanted;
      if (drawn !== rows) paint(rows, width);
      drawn = rows;
      const isCut = step.axes !== "ti";
      const [columnGap, rowGap] = { ti: [0, 2], thi: [NARROW, 7], hti: [WIDE, 0] }[step.axes];
      const share = (100 - columnGap * (numHeads - 1)) / numHeads;
      const perLine = words.length; // pieces in a line of memory
      for (const { word, head, shaped, stored } of blocks) {
        Object.assign(shaped.style, {
          left: `${head * (share + columnGap)}%`, width: `${share}%`, top: `${word * ROW + rowGap / 2}px`, height: `${ROW - rowGap}px`,
        });
        const at = pieceOf(step, word, head, width).address / width;
        Object.assign(stored.style, { left: `${(100 * (at % perLine)) / perLine}%`, width: `${100 / perLine}%`, top: `${Math.floor(at / perLine) * ROW + 2}px`, height: `${ROW - 4}px` });
        for (const node of [shaped, stored]) {
          node.classList.toggle("mh-other", head !== chosenHead);
          node.classList.toggle("mh-here", head === chosenHead && word === chosenWord);
          node.title = `head ${head + 1} of ${names[word]}: numbers ${at * width} to ${(at + 1) * width - 1} in memory`;
        }
      }
      headNames.classList.toggle("mh-uncut", !isCut);
      [...headNames.children].forEach((name, head) => name.classList.toggle("mh-chosen", head === chosenHead));
      [...wordNames.children].forEach((name, word) => name.classList.toggle("mh-chosen", word === chosenWord));
      [...addresses.children].forEach((line, n) => { line.textContent = String(addressOf([n, 0], [perLine * width, 1])); });
    },
  };
}

/** What a piece of memory is about, in words. */
export function describePiece(step, word, head, width, name) {
  const { address, factors } = pieceOf(step, word, head, width);
  const sum = factors.slice(1, step.axes === "ti" ? 3 : -1).map(([index, stride]) => `${index} · ${stride}`).join(" + ");
  return `Head ${head + 1} of ${name} begins at ${sum} = ${fmt(address, 0)}.`;
}
