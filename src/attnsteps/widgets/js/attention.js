// Type words, see who attends to whom, and how each number came about.
import { setText } from "./drawing.js";
import { attention } from "./maths/attention.js";
import { spellingVector } from "./maths/spelling.js";
import { workedContext, workedWeight } from "./maths/worked.js";
import { rove } from "./roving.js";
import { matrixTable } from "./tables.js";
import { followTraits, setTraits } from "./traits.js";
import { button, checkbox, choice, el, fmt, frame, scientific, status, uid } from "./ui.js";

const [LEAST, MOST, D_K] = [2, 12, 4];
const ENTRIES = 8; // columns of a wide context that are shown
const TERMS = 4; // terms of a sum that are shown where there are more than MOST
const VIEWS = /** @type {const} */ (["scores", "weights", "context"]);
const TRAITS = ["words", "mask", "scale", "selected", "q", "k", "v", "given_mask"];
const PRESETS = {
  Chinese: "动物 没有 过 马路 因为 太 累 了",
  English: "the animal did not cross the street because it was too tired",
};
/** @type {Record<string, string>} */
const MASKS = { given: "the model’s own", none: "none", causal: "causal" };
const PIN_NOTE = "Press a cell to pin it, and press it again to let it go.";
const GIVEN_NOTE = "These are the tensors you passed in. Numbers are rounded for display.";
const SPELLING_NOTE =
  "The vectors are made from spelling, not learned: every letter has four fixed random numbers, " +
  "and a word’s vector is the sum of its letters’, scaled to length 2. Equal words have equal " +
  "vectors, and words that share letters have similar ones. A word’s query, key and value are " +
  "all this one vector.";

/** @param {string} text */
function split(text) {
  return text.split(/\s+/u).filter(Boolean);
}

/**
 * A factor or a term: negative ones in brackets, huge ones with a power of ten.
 * @param {number} value
 */
function term(value) {
  const text = Math.abs(value) < 1e5 ? fmt(value) : scientific(value);
  return text.startsWith("−") ? `(${text})` : text;
}

/** @param {string[]} terms */
function sum(terms) {
  if (terms.length <= MOST) return terms.join(" + ");
  return `${terms.slice(0, TERMS).join(" + ")} + … (${terms.length - TERMS} more)`;
}

class Explorer {
  /**
   * The cell of the context that is worked out, [word, entry]; null while it is one of the weights.
   * @type {[number, number] | null}
   */
  contextCell = null;
  /** The cell that stays, wherever the pointer goes. @type {string | null} */
  pinned = null;
  largestScore = 1;
  /** The words that the reader's line was last compared with. @type {string[] | null} */
  shownWords = null;

  /** @param {Host} host */
  constructor({ model, el: host }) {
    this.model = model;
    this.isGiven = model.get("q") !== null;
    this.masks = [...(model.get("given_mask") ? ["given"] : []), "none", "causal"];
    this.input = el("input", {
      type: "text",
      id: uid(),
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.readWords(),
    });
    this.wordCount = status();
    this.maskChoice = choice({
      label: "Mask:",
      selected: 0,
      options: this.masks.map((mask) => MASKS[mask]),
      onchange: (index) => setTraits(model, { mask: this.masks[index] }),
    });
    this.scale = checkbox({
      label: el("span", {}, "divide by √d", el("sub", {}, "k")),
      checked: true,
      onchange: (scale) => setTraits(model, { scale }),
    });
    this.view = choice({
      label: "Show:",
      selected: 1,
      options: [...VIEWS],
      onchange: (index) => {
        this.grid.dataset.show = VIEWS[index];
      },
    });
    this.view.node.classList.add("ax-show");
    this.tables = this.makeTables();
    this.lines = Array.from({ length: 5 }, () => el("p"));
    this.grid = el(
      "div",
      { class: "ax-grid", "data-show": "weights" },
      ...VIEWS.map((view) => this.tables[view].node),
      el("div", { class: "ax-worked", role: "status", "aria-live": "polite" }, ...this.lines),
    );
    const root = frame(host, "Attention explorer");
    root.classList.add("ax");
    root.append(
      ...(this.isGiven ? [] : this.wordControls()),
      el("div", { class: "aw-row" }, this.maskChoice.node, this.scale.node),
      this.view.node,
      this.grid,
      el("p", { class: "aw-note" }, `${PIN_NOTE} ${this.isGiven ? GIVEN_NOTE : SPELLING_NOTE}`),
    );
  }

  wordControls() {
    const label = `Your words, ${LEAST} to ${MOST}, with spaces between them`;
    const presets = Object.entries(PRESETS).map(([name, text]) =>
      button(name, () => {
        this.input.value = text;
        this.readWords();
      }),
    );
    return [
      el("div", { class: "aw-control" }, el("label", { for: this.input.id }, label), this.input),
      el("div", { class: "aw-row" }, ...presets, this.wordCount.node),
    ];
  }

  /** Every cell is made once; those of words that are not there are hidden. */
  makeTables() {
    const { model, isGiven } = this;
    const places = Array(isGiven ? model.get("words").length : MOST).fill("");
    const numEntries = isGiven ? Math.min(ENTRIES, model.get("v")[0].length) : D_K;
    const columns = Array.from({ length: numEntries }, (_, d) => `${d + 1}`);
    /** @param {number} score */
    const scoreTint = (score) => (score === -Infinity ? 0 : score / this.largestScore);
    const square = {
      caption: "",
      rows: places,
      columns: places,
    };
    /** @param {typeof VIEWS[number]} view @returns {PickCell} */
    const onpick = (view) => (row, column, how) => this.pick(view, row, column, how);
    const tables = {
      scores: matrixTable({ ...square, tint: scoreTint, onpick: onpick("scores") }),
      weights: matrixTable({
        ...square,
        tint: (weight) => weight,
        onpick: onpick("weights"),
      }),
      context: matrixTable({
        caption: "",
        rows: places,
        columns,
        tint: (entry) => entry / 2,
        onpick: onpick("context"),
      }),
    };
    for (const view of VIEWS) {
      tables[view].node.classList.add(`ax-${view}`);
      rove(tables[view].table);
    }
    return tables;
  }

  // ── What the reader does ─────────────────────────────────────────────────────────────────────

  readWords() {
    const words = split(this.input.value);
    if (words.length >= LEAST && words.length <= MOST) {
      this.wordCount.say(`${words.length} words`);
      setTraits(this.model, { words });
      return;
    }
    const wish =
      words.length < LEAST
        ? `At least ${LEAST} words, please, with a space between them.`
        : `That makes ${words.length} words; at most ${MOST} fit.`;
    this.wordCount.say(`${wish} You still see the ${this.model.get("words").length} from before.`);
  }

  /**
   * A press pins a cell: until it is pressed again, the pointer alone picks no other one.
   * @param {typeof VIEWS[number]} view @param {number} row @param {number} column
   * @param {Parameters<PickCell>[2]} how
   */
  pick(view, row, column, how) {
    if (how === "point" && this.pinned) return;
    const cell = [view, row, column].join();
    this.pinned = how === "press" && this.pinned !== cell ? cell : null;
    this.contextCell = view === "context" ? [row, column] : null;
    const isOther = `${this.model.get("selected")}` !== `${[row, column]}`;
    if (view !== "context" && isOther) setTraits(this.model, { selected: [row, column] });
    else this.explain();
  }

  // ── Showing ──────────────────────────────────────────────────────────────────────────────────

  /** Everything that follows from the traits. */
  compute() {
    const { model } = this;
    /** @type {string[]} */
    const words = model.get("words");
    const spelling = this.isGiven ? null : words.map((word) => spellingVector(word, D_K));
    const [q, k, v] = ["q", "k", "v"].map(
      (name) => /** @type {Matrix} */ (spelling ?? model.get(name)),
    );
    /** @type {Record<string, boolean[][] | null>} */
    const masks = {
      given: model.get("given_mask"),
      none: null,
      causal: words.map((_, i) => words.map((__, j) => j <= i)),
    };
    const mask = masks[model.get("mask")];
    const isScaled = /** @type {boolean} */ (model.get("scale"));
    return { words, q, k, v, mask, isScaled, ...attention(q, k, v, mask, isScaled) };
  }

  refresh() {
    const state = this.compute();
    const { words, k, v, mask, isScaled, context } = state;
    const { tables, input } = this;
    const scores = state.scores.map((row, i) =>
      Array.from(row, (score, j) => (mask && !mask[i][j] ? -Infinity : score)),
    );
    const numEntries = tables.context.cells[0].length;
    this.state = state;
    this.largestScore = Math.max(1e-9, ...scores.flat().filter(Number.isFinite).map(Math.abs));
    tables.scores.update(scores);
    tables.weights.update(state.weights);
    tables.context.update(context.map((row) => row.subarray(0, numEntries)));
    const divided = isScaled ? ` ÷ √${k[0].length}` : "";
    nameTable(tables.scores, `Scores: query (row) · key (column)${divided}`, words, words);
    nameTable(tables.weights, "Weights: the softmax of each row", words, words);
    const isCut = v[0].length > numEntries;
    const part = isCut ? `first ${numEntries} of ${v[0].length}` : "weighted sum of the values";
    nameTable(tables.context, `Context: ${part}`, words);
    for (const node of [this.grid, this.view.node]) {
      node.classList.toggle("ax-many", words.length > 8);
    }
    const text = words.join(" ");
    if (words !== this.shownWords && split(input.value).join(" ") !== text) input.value = text;
    this.shownWords = words;
    this.maskChoice.set(this.masks.indexOf(this.model.get("mask")));
    this.scale.input.checked = isScaled;
    this.explain();
  }

  /** Mark the chosen cell and write out how its number came about. */
  explain() {
    if (!this.state) return;
    const last = this.state.words.length - 1;
    const isContext = this.contextCell !== null;
    const [row, column] = this.contextCell ?? this.model.get("selected");
    const i = Math.min(row, last);
    const j = isContext ? column : Math.min(column, last);
    for (const view of VIEWS) {
      const isHere = (view === "context") === isContext;
      const rows = [...this.tables[view].table.rows];
      this.tables[view].mark(isHere ? i : -1, j);
      this.tables[view].node.classList.toggle("ax-pinned", this.pinned !== null);
      rows.forEach(({ cells }, r) => cells[0].classList.toggle("ax-here", r === i + 1));
      [...rows[0].cells].forEach((cell, c) =>
        cell.classList.toggle("ax-here", isHere && c === j + 1),
      );
    }
    const text = isContext ? explainContext(this.state, i, j) : explainWeight(this.state, i, j);
    this.lines.forEach((line, n) => {
      setText(line, text[n] ?? "");
      line.hidden = n >= text.length;
    });
  }
}

/**
 * Give a table its name and its words; the rows and columns of words that are not there are hidden.
 * @param {MatrixTable} made @param {string} text @param {string[]} rowNames
 * @param {string[]} [columnNames] where they are words, too
 */
function nameTable({ node, table }, text, rowNames, columnNames) {
  node.setAttribute("aria-label", text);
  if (table.caption) setText(table.caption, text);
  [...table.rows].forEach((row, r) => {
    row.hidden = r > rowNames.length;
    if (r) setText(row.cells[0], rowNames[r - 1] ?? "");
    if (!columnNames) return;
    [...row.cells].forEach((cell, c) => {
      cell.hidden = c > columnNames.length;
      if (c && !r) setText(cell, columnNames[c - 1] ?? "");
    });
  });
}

/** @typedef {ReturnType<Explorer["compute"]>} State */

/** @param {State} state @param {number} i @param {number} j */
function explainWeight({ words, q, k, mask, isScaled }, i, j) {
  const row = mask?.[i] ?? null;
  const cell = workedWeight(q[i], k, j, row, isScaled);
  const score = fmt(cell.product / cell.divisor);
  const shift = cell.shift ? ` − ${fmt(cell.shift)}` : "";
  const power = term(cell.exponentials[j]);
  const products = Array.from(q[i], (value, d) => `${term(value)}·${term(k[j][d])}`);
  const out = [
    `Query: ${words[i]}. Key: ${words[j]}.`,
    `q · k = ${sum(products)} = ${fmt(cell.product)}`,
    isScaled
      ? `score = ${fmt(cell.product)} ÷ √${q[i].length} = ${score}`
      : `score = ${score}, not divided`,
  ];
  if (row && !row.some(Boolean)) {
    return [...out, "The mask lets this query attend to nothing, so all its weights are 0."];
  }
  if (row && !row[j]) {
    const why = "the score becomes −∞, exp(−∞) = 0, and so the weight is 0.";
    return [...out, `The mask hides this key: ${why}`];
  }
  const powers = Array.from(cell.exponentials, term);
  return [
    ...out,
    `exp(${score}${shift}) = ${power}${shift && ", after subtracting the row’s largest score"}`,
    `weight = ${power} ÷ (${sum(powers)}) = ${power} ÷ ${term(cell.total)} = ` +
      fmt(cell.weight, 3),
  ];
}

/** @param {State} state @param {number} i @param {number} d */
function explainContext({ words, v, weights }, i, d) {
  const products = v.map((value, j) => `${fmt(weights[i][j])}·${term(value[d])}`);
  return [
    `Context of ${words[i]}, entry ${d + 1}.`,
    "Each weight of the row times that entry of its word’s value:",
    `${sum(products)} = ${fmt(workedContext(weights[i], v, d).entry)}`,
  ];
}

/** @param {Host} host */
function render(host) {
  const explorer = new Explorer(host);
  return followTraits(host.model, TRAITS, () => explorer.refresh());
}

export default { render };
