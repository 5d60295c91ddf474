// How a tensor is cut into heads, attended and merged, step after step, with the memory beneath it.
import { setText } from "./drawing.js";
import { headSteps, pieceOf, runsOf } from "./maths/heads.js";
import { describePiece, pieces } from "./pieces.js";
import { matrixTable } from "./tables.js";
import { choice, el, status } from "./ui.js";

export const NUM_STEPS = 7;

const NOTES = [
  "A row of q holds the queries of all heads, side by side.",
  "Each row is split into heads; no number has moved.",
  "The heads come first now, and each is a table of its own. Still no number has moved: only the " +
    "strides have been swapped.",
  "The product has written a new tensor, head by head: each head’s numbers are contiguous.",
  "The words come first again, but the memory is still in the order of the heads. PyTorch " +
    "refuses a view that joins the heads here.",
  "Now the numbers move: this is the only copy. Each word’s pieces are contiguous.",
  "Two axes become one: the heads’ contexts are side by side, ready for W_o.",
];
/** Where there is a single word, or a single head. @type {Record<number, string>} */
const ALONE = {
  4:
    "The words come first again. With a single word or a single head, the memory is already in " +
    "order, so a view can join the heads.",
  5: "Nothing has to move here: the memory is already in order.",
};
const MEMORY = { new: "new memory", same: "the same memory", copied: "copied into new memory" };
const FORMS = {
  ti: "a row for each word",
  thi: "for each word, a piece for each head",
  hti: "for each head, a table with a row for each word",
};

/**
 * @param {{onstep: (step: number) => void, onpick: (place: number, head: number) => void}} options
 */
export function memoryPanel({ onstep, onpick }) {
  const steps = choice({
    label: "Step by step:",
    options: Array(NUM_STEPS).fill(""),
    selected: 0,
    onchange: onstep,
  });
  steps.node.classList.add("aw-stack", "mh-steps");
  const labels = [...steps.node.querySelectorAll("label")];
  const drawing = pieces(onpick);
  const facts = el("p", { class: "mh-facts" });
  const explanation = status();
  const addresses = addressTable();
  const shapeCaption = el("p", { class: "mh-caption" });
  const memoryCaption = el(
    "p",
    { class: "mh-caption" },
    "In memory, number after number. Left of each line: the offset of its first number.",
  );
  const pictures = [shapeCaption, drawing.shapePicture, memoryCaption, drawing.memoryPicture];
  const right = el("div", {}, facts, ...pictures, addresses.node);
  return {
    node: el("div", { class: "mh-layout" }, el("div", {}, steps.node, explanation.node), right),
    /** @param {PiecesState & {stepNumber: number}} state */
    show(state) {
      const { words, names, numHeads, width, step, stepNumber, word, head } = state;
      steps.set(stepNumber);
      const all = headSteps(words.length, numHeads, width);
      labels.forEach((label, n) => setText(label, all[n].code));
      drawing.show(state);
      facts.replaceChildren(
        el("code", {}, step.holds),
        ` shape (${step.shape.join(", ")}), strides (${step.strides.join(", ")})`,
        el("br"),
        el("strong", {}, MEMORY[step.memory]),
      );
      shapeCaption.textContent = `By its shape: ${FORMS[step.axes]}`;
      const isAlone = all[5].memory === "same";
      const note = (isAlone && ALONE[stepNumber]) || NOTES[stepNumber];
      const piece = describePiece(step, word, head, width, names[word]);
      explanation.say(`${note} ${piece} ${describeRuns(state)}`);
      addresses.show(state);
    },
  };
}

/** @param {PiecesState} state */
function describeRuns({ step, words, head, numHeads, width }) {
  const runs = runsOf(step, words.length, head, width);
  const pieces = `in ${runs} pieces, one every ${numHeads * width} numbers`;
  return `The head’s ${words.length * width} numbers are ${runs === 1 ? "contiguous" : pieces}.`;
}

function addressTable() {
  const holder = el("div", {});
  const summary = el("summary", {}, "Where each piece begins, as a table");
  let form = ""; // the labels that the table was made for
  /** @type {MatrixTable | null} */
  let table = null;
  return {
    node: el("details", {}, summary, holder),
    /** @param {PiecesState} state */
    show({ words, numHeads, width, step, word, head }) {
      const wanted = JSON.stringify([words, numHeads]);
      if (table === null || form !== wanted) {
        table = matrixTable({
          caption: "Offset in memory",
          rows: words,
          columns: Array.from({ length: numHeads }, (_, h) => `head ${h + 1}`),
          digits: 0,
        });
        form = wanted;
        holder.replaceChildren(table.node);
      }
      table.update(
        words.map((_, t) =>
          Array.from({ length: numHeads }, (__, h) => pieceOf(step, t, h, width).address),
        ),
      );
      table.mark(word, head);
    },
  };
}
