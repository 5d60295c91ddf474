// How a tensor is cut into heads, attended and merged, step after step, with the memory beneath it.
import { setText } from "./drawing.js";
import { headSteps, pieceOf, runsOf } from "./maths/heads.js";
import { describePiece, pieces } from "./pieces.js";
import { choice, el, matrixTable, status } from "./ui.js";

export const NUM_STEPS = 7;

const NOTES = [
  "A row of q holds the queries of all heads, side by side.",
  "Each row is cut; not one number has moved.",
  "The heads stand in front now, and each is a table of its own. Still, not one number " +
    "has moved: " +
    "the strides alone have changed places.",
  "The products have written a new tensor, head by head: each head’s numbers lie together.",
  "The words are in front again, and the memory is still in the order of the heads. A view that " +
    "joins the heads is refused here.",
  "Now the numbers move: this is the one copy. Each word’s pieces lie together.",
  "Two axes have become one: the heads’ contexts side by side, ready for W_o.",
];
/**
 * Where there is a single word, or a single head.
 * @type {Record<number, string>}
 */
const ALONE = {
  4:
    "The words are in front again. With a single word, or a single head, the memory is in order " +
    "already, and a view may join the heads.",
  5: "Nothing has to move here: the memory is in order already.",
};
const MEMORY = {
  new: "new memory",
  same: "the same memory",
  copied: "copied into new memory",
};
const FORMS = {
  ti: "a row for each word",
  thi: "for each word a piece for each head",
  hti: "for each head a table, with a row for each word",
};

/**
 * @param {{onstep: (step: number) => void, onpick: (place: number, head: number) => void}} options
 */
export function memoryPanel({ onstep, onpick }) {
  const steps = choice({
    label: "One step after the other:",
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
    "As the numbers lie in memory, one after another. At the left of each line: how many " +
      "come before it.",
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
      shapeCaption.textContent = `As the shape says: ${FORMS[step.axes]}`;
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
  const pieces = `${runs} pieces, ${numHeads * width} numbers from start to start`;
  return `The head’s ${words.length * width} numbers lie in ${runs === 1 ? "one piece" : pieces}.`;
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
          caption: "Place in memory, counted from 0",
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
