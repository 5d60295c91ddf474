// Choose a mask, an input and a loss: which model is it, or what goes wrong?
import { setText } from "./drawing.js";
import { arrange } from "./maths/family.js";
import { scrollBox, tableHead, tableRow } from "./tables.js";
import { followTraits, setTraits } from "./traits.js";
import { choice, el, frame } from "./ui.js";

const TRAITS = ["mask", "given", "loss"];
const SIZE = 6;
/** Trait, label, its values and their names. @type {[string, string, string[], string[]][]} */
const KNOBS = [
  [
    "mask",
    "Mask",
    ["causal", "prefix", "full", "two stacks"],
    ["causal", "prefix", "full", "prefix, in two stacks"],
  ],
  ["given", "Input", ["all words", "some hidden"], ["all words", "two words hidden"]],
  [
    "loss",
    "The loss counts",
    ["every next word", "after the prefix", "hidden words"],
    ["every next word", "what follows the prefix", "“street” and “wide”"],
  ],
];
/** What each model is for. @type {Record<string, string>} */
const USES = {
  GPT: "It learns from every word, and writes on from any text.",
  "GPT, trained on answers":
    "It reads what is given from left to right, and learns only from what follows.",
  "prefix model": "What is given is read in both directions, and what follows is written.",
  BERT: "Each gap is filled with the words on both sides.",
  "encoder–decoder":
    "One stack reads the source in both directions, another with weights of its own writes.",
};

class FamilyLab {
  /** @param {Host} host */
  constructor({ model, el: host }) {
    this.model = model;
    this.knobs = KNOBS.map(([trait, label, values, options]) => {
      const onchange = /** @param {number} i */ (i) => setTraits(model, { [trait]: values[i] });
      const { node, set } = choice({ label, options, selected: 0, onchange });
      return { node, show: () => set(values.indexOf(model.get(trait))) };
    });
    const places = Array.from({ length: SIZE }, (_, i) => i);
    this.heads = places.map(() => el("span"));
    this.cells = places.map(() => places.map(() => el("span", { class: "aw-cell" })));
    this.guesses = places.map(() => el("span", { class: "aw-cell fl-guess" }));
    const caption = "Query ↓, key →; ✓ may attend. On the right: what each row has to guess.";
    const table = el(
      "table",
      { class: "aw-matrix" },
      el("caption", {}, caption),
      tableHead([...places.map((i) => String(i)), "guess"]),
      el(
        "tbody",
        {},
        ...places.map((i) => tableRow(this.heads[i], [...this.cells[i], this.guesses[i]])),
      ),
    );
    this.verdict = el("p", {});
    this.why = el("p", {});
    const root = frame(host, "Which model is it?");
    root.classList.add("fl");
    root.append(
      ...this.knobs.map(({ node }) => node),
      scrollBox("Mask and guesses", table),
      el(
        "div",
        { class: "fl-found", role: "status", "aria-live": "polite" },
        this.verdict,
        this.why,
      ),
    );
  }

  refresh() {
    const [mask, given, loss] = TRAITS.map((trait) => this.model.get(trait));
    for (const knob of this.knobs) knob.show();
    const found = arrange(mask, given, loss);
    const isEncoder = /** @param {number} i */ (i) => mask === "two stacks" && i < 3;
    found.read.forEach((token, i) => {
      setText(this.heads[i], `${i} ${token}`);
      this.cells[i].forEach((cell, j) => {
        const isOpen = found.open[i][j];
        setText(cell, isOpen ? (isEncoder(i) ? "✓ e" : "✓") : "–");
        cell.style.setProperty("--amount", isOpen ? "0.5" : "0");
        cell.classList.toggle("fl-encoder", isOpen && isEncoder(i));
      });
      const isSeen = found.visible.includes(i);
      const wanted = found.wanted[i] && `${found.wanted[i]}${isSeen ? " ✗" : ""}`;
      setText(this.guesses[i], wanted || "–");
      this.guesses[i].classList.toggle("fl-counts", found.wanted[i] !== "");
      this.guesses[i].classList.toggle("fl-seen", isSeen);
    });
    const { text, why, isGood } = says(found, mask, given, loss);
    setText(this.verdict, text);
    setText(this.why, why);
    this.verdict.className = isGood ? "aw-good" : "aw-bad";
  }
}

/**
 * The verdict and its reason.
 * @param {ReturnType<typeof arrange>} found @param {string} mask @param {string} given
 * @param {string} loss
 */
function says({ kind, name, read, wanted, visible }, mask, given, loss) {
  if (kind === "works") return { text: `✓ ${name}`, why: USES[name], isGood: true };
  if (kind === "leaks") {
    const number = wanted.filter(Boolean).length;
    const first = visible[0];
    const row = `row ${first}, “${read[first]}”,`;
    const reason =
      loss === "hidden words"
        ? `${row} has to guess the very word that is its input.`
        : `${row} can see “${wanted[first]}”, its answer.`;
    return {
      text: `✗ No model: ${visible.length} of ${number} guesses that count can see their answer.`,
      why: `For instance ${reason} The loss falls, because copying is enough.`,
      isGood: false,
    };
  }
  const reason =
    given === "some hidden" && loss !== "hidden words"
      ? "The loss doesn’t ask for the hidden words: they only make the guesses harder."
      : mask === "two stacks"
        ? "The encoder guesses nothing, so nobody asks for the gap in the source."
        : "BERT fills a gap with the words on both sides, but this mask closes those on the right.";
  return {
    text: "✗ No answer is visible, but this is no model of the family.",
    why: reason,
    isGood: false,
  };
}

/** @param {Host} host */
function render(host) {
  const lab = new FamilyLab(host);
  return followTraits(host.model, TRAITS, () => lab.refresh());
}

export default { render };
