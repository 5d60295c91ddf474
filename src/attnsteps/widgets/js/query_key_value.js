// Self-attention of one word in six steps: the sentence, the step's working, all results so far.
import { setText } from "./drawing.js";
import { sixSteps } from "./maths/six_steps.js";
import { rove } from "./roving.js";
import { matrixTable, scrollBox } from "./tables.js";
import { followTraits, setTraits } from "./traits.js";
import { button, choice, el, fmt, frame, scientific, status, uid } from "./ui.js";

const TRAITS = ["words", "embeddings", "w_q", "w_k", "w_v", "selected", "step"];
const STEPS = ["Vectors", "Scores", "Divide", "Softmax", "Weigh", "Sum"];
/** Of an edited entry: beyond it, e to the power of a score has too many digits to read. */
const LIMIT = 3;
const DIGITS = 3; // of a weight

/** @typedef {ReturnType<typeof sixSteps>} Results */
/** @typedef {{zh: string, gloss: string}} Word */
/** @typedef {{ending: string, words: Word[], embeddings: number[][]}} ToySentence */
/**
 * A column of the table: it is shown in its steps, in some of them on a wide screen only.
 * @typedef {{head: string, role?: string, steps: number[], wideOnly?: number[], isTinted?: boolean,
 *            text: (results: Results, j: number) => string,
 *            sum?: (results: Results, step: number) => string}} Column
 */

/** Two decimals, as long as that can be read. @param {number} value */
function full(value) {
  return Math.abs(value) < 1e6 ? fmt(value) : scientific(value);
}

/** At most two decimals, and none that are zero. @param {number} value */
function short(value) {
  return Math.abs(value) < 1e6 ? fmt(value).replace(/\.?0+$/, "") : scientific(value);
}

/** @param {Vector} entries */
function vector(entries) {
  return `(${Array.from(entries, short).join(", ")})`;
}

/**
 * x times a matrix as a sum of the matrix's rows, those that count.
 * @param {number[]} x @param {number[][]} matrix
 */
function rowSum(x, matrix) {
  const parts = x.flatMap((entry, r) => (entry ? [`${short(entry)} · ${vector(matrix[r])}`] : []));
  return parts.join(" + ") || "0 times every row";
}

/** @param {number[][]} rows */
function copyOf(rows) {
  return rows.map((row) => [...row]);
}

/** @param {string[]} valueAxes @returns {Column[]} */
function columnsOf(valueAxes) {
  return [
    { head: "key k", role: "key", steps: [1, 2], wideOnly: [2], text: ({ k }, j) => vector(k[j]) },
    { head: "value v", role: "value", steps: [1], text: ({ v }, j) => vector(v[j]) },
    {
      head: "q · k",
      steps: [2],
      text: ({ q, k }, j) =>
        Array.from(k[j], (entry, c) => `${short(q[c])}·${short(entry)}`).join(" + "),
    },
    {
      head: "score",
      steps: [2, 3, 4, 5, 6],
      wideOnly: [4, 5, 6],
      text: ({ scores }, j) => short(scores[j]),
    },
    {
      head: "score ÷ √dₖ",
      steps: [3],
      text: ({ scores, divisor }, j) => `${short(scores[j])} ÷ ${short(divisor)}`,
    },
    {
      head: "scaled",
      steps: [3, 4, 5, 6],
      wideOnly: [5],
      text: ({ scaled }, j) => short(scaled[j]),
    },
    {
      head: "eˣ ÷ sum",
      steps: [4],
      text: ({ exponentials, total }, j) => `${full(exponentials[j])} ÷ ${full(total)}`,
    },
    {
      head: "weight",
      steps: [4, 5, 6],
      isTinted: true,
      text: ({ weights }, j) => fmt(weights[j], DIGITS),
      sum: () => fmt(1, DIGITS),
    },
    { head: "× value v", role: "value", steps: [5], text: ({ v }, j) => vector(v[j]) },
    ...valueAxes.map(
      /** @returns {Column} */ (head, c) => ({
        head,
        role: "context",
        steps: [5, 6],
        text: ({ weighted }, j) => fmt(weighted[j][c]),
        sum: ({ context }, step) => (step === 6 ? fmt(context[c]) : ""),
      }),
    ),
  ];
}

/**
 * One row for each word, with all results so far.
 * @param {number} numWords @param {string[]} valueAxes
 */
function stepTable(numWords, valueAxes) {
  const columns = columnsOf(valueAxes).map((column) => {
    const holders = Array.from({ length: numWords }, () =>
      el("span", { class: column.isTinted ? "aw-cell" : "six-cell", "data-role": column.role }),
    );
    const sum = el("span", { class: "six-cell", "data-role": column.role });
    const head = el("th", { scope: "col", "data-role": column.role }, column.head);
    const cells = [...holders, sum].map((holder) => el("td", {}, holder));
    return { ...column, holders, sumHolder: sum, nodes: [head, ...cells] };
  });
  const heads = Array.from({ length: numWords }, () => el("th", { scope: "row" }));
  const caption = el("caption");
  const rows = [el("td"), ...heads, el("th", { scope: "row" }, "sum")].map((head, r) =>
    el("tr", {}, head, ...columns.map(({ nodes }) => nodes[r])),
  );
  const foot = rows[numWords + 1];
  const table = el(
    "table",
    { class: "aw-matrix six-table" },
    caption,
    el("thead", {}, rows[0]),
    el("tbody", {}, ...rows.slice(1, -1)),
    el("tfoot", {}, foot),
  );
  return {
    node: scrollBox("The step in numbers", table),
    /** @type {(text: string, step: number, results: Results, words: string[]) => void} */
    update(text, step, results, words) {
      setText(caption, text);
      words.forEach((word, j) => setText(heads[j], word));
      for (const { steps, wideOnly, nodes, holders, sumHolder, ...column } of columns) {
        const isHidden = !steps.includes(step);
        for (const node of nodes) {
          node.hidden = isHidden;
          node.classList.toggle("six-wide-only", Boolean(wideOnly?.includes(step)));
        }
        if (isHidden) continue;
        holders.forEach((holder, j) => {
          setText(holder, column.text(results, j));
          if (column.isTinted) holder.style.setProperty("--amount", String(results.weights[j]));
        });
        setText(sumHolder, column.sum?.(results, step) ?? "");
      }
      foot.hidden = step < 4;
    },
  };
}

/** One word's vector, open to change. */
class Editor {
  place = 0; // the word whose vector it is

  /** @param {WidgetModel} model @param {() => void} onreset */
  constructor(model, onreset) {
    this.model = model;
    const wordId = uid();
    this.picker = el(
      "select",
      {
        id: wordId,
        onchange: () => {
          this.place = this.picker.selectedIndex;
          this.fill();
        },
      },
      ...model.get("words").map(() => el("option")),
    );
    /** @type {string[]} */
    const axes = model.get("axes");
    this.inputs = axes.map((_, c) => this.makeInput(c));
    this.node = el(
      "fieldset",
      { class: "six-editor" },
      el("legend", {}, `Change a vector (entries −${LIMIT} to ${LIMIT})`),
      el(
        "span",
        { class: "six-entry six-word-picker" },
        el("label", { for: wordId }, "word"),
        this.picker,
      ),
      ...this.inputs.map((input, c) => {
        const label = el("label", { for: input.id }, axes[c]);
        return el("span", { class: "six-entry" }, label, input);
      }),
      button("Reset vectors", onreset),
    );
  }

  /** @param {number} column */
  makeInput(column) {
    const input = el("input", {
      type: "number",
      id: uid(),
      min: -LIMIT,
      max: LIMIT,
      step: 0.5,
      oninput: () => {
        const isValid = input.value !== "" && Math.abs(Number(input.value)) <= LIMIT;
        input.setAttribute("aria-invalid", String(!isValid));
        if (!isValid) return;
        const embeddings = copyOf(this.model.get("embeddings"));
        embeddings[this.place][column] = Number(input.value);
        setTraits(this.model, { embeddings });
      },
      onblur: () => this.fill(), // what is not valid gives way to what counts
    });
    return input;
  }

  fill() {
    /** @type {Word[]} */
    const words = this.model.get("words");
    words.forEach(({ gloss }, j) => setText(this.picker.options[j], gloss));
    this.inputs.forEach((input, c) => {
      const value = this.model.get("embeddings")[this.place][c];
      if (input.value === "" || Number(input.value) !== value) input.value = String(value);
      input.removeAttribute("aria-invalid");
    });
  }
}

class SixSteps {
  /** @param {Host} host */
  constructor({ model, el: host }) {
    this.model = model;
    /** @type {ToySentence[]} */
    this.sentences = model.get("sentences");
    this.twin = choice({
      label: "The sentence ends in",
      options: this.sentences.map(({ ending }) => ending),
      selected: 0,
      onchange: (index) => this.swap(this.sentences[index]),
    });
    this.twin.node.hidden = this.sentences.length < 2;
    this.chips = this.words.map((_, selected) => {
      const parts = ["six-zh", "six-gloss", "six-number"].map((name) =>
        el("span", { class: name, lang: name === "six-zh" && "zh" }),
      );
      const children = parts.flatMap((part, n) => (n ? [" ", part] : [part]));
      const onclick = () => setTraits(model, { selected });
      const props = { type: "button", class: "six-word", role: "radio", onclick };
      return { parts, node: el("button", props, ...children) };
    });
    this.stepButtons = STEPS.map((name, index) =>
      button(`${index + 1} ${name}`, () => setTraits(model, { step: index + 1 })),
    );
    this.previous = button("Previous", () => this.walk(-1, this.previous));
    this.next = button("Next", () => this.walk(1, this.next));
    this.heading = el("strong");
    this.formula = el("p", { class: "six-formula" });
    this.query = el("p", { class: "six-made" });
    this.table = stepTable(this.words.length, model.get("value_axes"));
    this.summary = status();
    this.editor = new Editor(model, () => {
      const { embeddings } = this.sentences[Math.max(0, this.present())];
      setTraits(model, { embeddings: copyOf(embeddings) });
    });
    this.matrices = ["w_q", "w_k", "w_v"].map((name) => ({ name, ...this.makeMatrix(name) }));
    this.lay(frame(host, "Six steps of attention"));
  }

  /** @param {string} name */
  makeMatrix(name) {
    /** @type {number[][]} */
    const matrix = this.model.get(name);
    return matrixTable({
      caption: name,
      rows: this.model.get("axes"),
      columns: matrix[0].map((_, c) => String(c + 1)),
      digits: matrix.flat().every(Number.isInteger) ? 0 : 2,
    });
  }

  /** @param {HTMLElement} root */
  lay(root) {
    const words = { class: "six-sentence", role: "radiogroup", "aria-label": "Query word" };
    const steps = { class: "six-steps", role: "group", "aria-label": "Steps" };
    const matrices = this.matrices.map(({ node }) => node);
    root.append(
      this.twin.node,
      el("p", { class: "aw-note" }, "Pick the query word:"),
      rove(el("div", words, ...this.chips.map(({ node }) => node)), { picks: true }),
      rove(el("div", steps, ...this.stepButtons), { picks: true }),
      el("div", { class: "six-walk" }, this.previous, this.heading, this.next),
      this.formula,
      this.query,
      this.table.node,
      this.summary.node,
      this.editor.node,
      el(
        "details",
        {},
        el("summary", {}, "The three matrices"),
        el("div", { class: "aw-row six-matrices" }, ...matrices),
      ),
    );
  }

  // ── What there is ────────────────────────────────────────────────────────────────────────────

  /** @returns {Word[]} */
  get words() {
    return this.model.get("words");
  }

  /** The word whose query is used. */
  get queryWord() {
    return this.words[this.model.get("selected")].gloss;
  }

  /** The place of the sentence that is shown. */
  present() {
    return this.sentences.findIndex(({ words }) =>
      words.every(({ gloss }, j) => gloss === this.words[j].gloss),
    );
  }

  // ── What the reader does ─────────────────────────────────────────────────────────────────────

  /**
   * Show another sentence; the vectors of the words that both have stay as they are.
   * @param {ToySentence} sentence
   */
  swap({ words, embeddings: vectors }) {
    const embeddings = copyOf(this.model.get("embeddings"));
    words.forEach(({ gloss }, j) => {
      if (gloss !== this.words[j].gloss) embeddings[j] = [...vectors[j]];
    });
    setTraits(this.model, { words, embeddings });
  }

  /** @param {number} by @param {HTMLButtonElement} pressed */
  walk(by, pressed) {
    const step = this.model.get("step") + by;
    setTraits(this.model, { step });
    if (pressed.disabled) this.stepButtons[step - 1].focus();
  }

  // ── Showing ──────────────────────────────────────────────────────────────────────────────────

  refresh() {
    const { model } = this;
    const [step, selected, x] = ["step", "selected", "embeddings"].map((name) => model.get(name));
    const [wQ, wK, wV] = this.matrices.map(({ name }) => model.get(name));
    const results = sixSteps(x, wQ, wK, wV, selected);
    for (const { name, update } of this.matrices) update(model.get(name));
    this.showWords(results, step);
    this.chips.forEach(({ node }, j) => node.setAttribute("aria-checked", String(j === selected)));
    this.stepButtons.forEach((node, n) => {
      if (n === step - 1) node.setAttribute("aria-current", "step");
      else node.removeAttribute("aria-current");
    });
    this.previous.disabled = step === 1;
    this.next.disabled = step === STEPS.length;
    this.twin.set(this.present());
    setText(this.heading, `Step ${step} of ${STEPS.length}: ${STEPS[step - 1].toLowerCase()}`);
    setText(this.formula, this.explain(results)[step - 1]);
    setText(this.query, step === 1 ? this.projections(results) : this.queryLine(results));
    const glosses = this.words.map(({ gloss }) => gloss);
    const caption =
      step === 1
        ? "The keys and values of all words"
        : `How ${this.queryWord} attends to each word`;
    this.table.update(caption, step, results, glosses);
    this.summary.say(this.outcome(results, step));
    this.editor.fill();
  }

  /** @param {Results} results @param {number} step */
  showWords({ scores, scaled, weights }, step) {
    const shown = [new Float64Array(), scores, scaled][step - 1] ?? weights;
    const peak = step > 3 ? 1 : Math.max(1e-9, ...shown.map(Math.abs));
    this.chips.forEach(({ node, parts }, j) => {
      const amount = (shown[j] ?? 0) / peak;
      setText(parts[0], this.words[j].zh);
      setText(parts[1], this.words[j].gloss);
      setText(parts[2], step === 1 ? "" : step > 3 ? fmt(shown[j], DIGITS) : short(shown[j]));
      node.style.setProperty("--amount", String(Math.abs(amount)));
      node.classList.toggle("aw-negative", amount < 0);
    });
  }

  /** @param {Results} results */
  projections({ q, k, v }) {
    const selected = this.model.get("selected");
    const x = this.model.get("embeddings")[selected];
    /** @type {[string, Vector][]} */
    const made = [
      ["q", q],
      ["k", k[selected]],
      ["v", v[selected]],
    ];
    const lines = made.map(
      ([name, result]) => `${name} = ${rowSum(x, this.model.get(`w_${name}`))} = ${vector(result)}`,
    );
    return [`x of ${this.queryWord} = ${vector(x)}`, ...lines].join("\n");
  }

  /** @param {Results} results */
  queryLine({ q }) {
    return `q of ${this.queryWord} = ${vector(q)}`;
  }

  /** A sentence for each step. @param {Results} results */
  explain({ q, divisor, total }) {
    return [
      "The vector x of each word, times three matrices: its query q (what it looks for), key k " +
        "(what it can be found by) and value v (what it passes on).",
      `The query of ${this.queryWord} times the key of each word: multiply entry by entry, then ` +
        "add up the products.",
      "Each score, divided by the square root of the keys’ width: " +
        `√dₖ = √${q.length} = ${short(divisor)}.`,
      `e to the power of each scaled score, divided by their sum, ${full(total)}: positive ` +
        "weights that add up to 1.",
      "The value of each word, times its weight.",
      `The weighted values, added up column by column: the new vector of ${this.queryWord}.`,
    ];
  }

  /** @param {Results} results @param {number} step */
  outcome({ scores, weights, context }, step) {
    if (step === 1) return "Each word gets three vectors of its own, from the same three matrices.";
    if (step === 6) {
      /** @type {string[]} */
      const names = this.model.get("value_axes");
      const entries = names.map((name, c) => `${name} ${fmt(context[c])}`);
      return `New vector of ${this.queryWord}: ${entries.join(", ")}.`;
    }
    const [values, kind] = step < 4 ? [scores, "score"] : [weights, "weight"];
    const most = Math.max(...values);
    const best = this.words.flatMap(({ gloss }, j) => (values[j] === most ? [gloss] : []));
    if (best.length === this.words.length) {
      return `All words get the same ${kind} from ${this.queryWord}.`;
    }
    const peak =
      step < 4 ? `Highest score: ${short(most)}` : `Largest weight: ${fmt(most, DIGITS)}`;
    return `${peak} (${best.join(", ")}).`;
  }
}

/** @param {Host} host */
function render(host) {
  const widget = new SixSteps(host);
  return followTraits(host.model, TRAITS, () => widget.refresh());
}

export default { render };
