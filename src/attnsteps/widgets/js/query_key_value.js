// Self-attention of one word in six steps: the sentence, the step's working, and all results so
// far.
import { setText } from "./drawing.js";
import { sixSteps } from "./maths/six_steps.js";
import { button, choice, el, fmt, frame, matrixTable, status, uid } from "./ui.js";

const STEPS = ["Vectors", "Scores", "Divide", "Softmax", "Weigh", "Sum"];
/** Of an edited entry: beyond it, e to the power of a score has too many digits to read. */
const LIMIT = 3;
const DIGITS = 3; // of a weight

/** Two decimals, as long as that can be read. */
function full(value) {
  return Math.abs(value) < 1e6 ? fmt(value) : value.toExponential(1).replace("e+", "·10^");
}
/** At most two decimals, and none that are zero. */
function short(value) {
  return Math.abs(value) < 1e6 ? full(value).replace(/\.?0+$/, "") : full(value);
}
function vector(entries) {
  return `(${Array.from(entries, short).join(", ")})`;
}
/** x times a matrix as a sum of the matrix's rows, those that count. */
function rowSum(x, matrix) {
  const parts = x.flatMap((entry, r) => (entry ? [`${short(entry)} · ${vector(matrix[r])}`] : []));
  return parts.join(" + ") || "0 times every row";
}
/** Buttons in a row, one of them current; the arrow keys move along. */
function pickRow(buttons, onpick) {
  buttons.forEach((node, place) => {
    node.addEventListener("click", () => onpick(place));
    node.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault(); // at the end, too: the page stays where it is
      const target = place + step;
      if (!buttons[target]) return;
      onpick(target);
      buttons[target].focus();
    });
  });
  return (place, mark) =>
    buttons.forEach((node, index) => {
      node.tabIndex = index === place ? 0 : -1;
      mark(node, index === place);
    });
}

function render({ model, el: host }) {
  const root = frame(host, "Six steps of attention");
  const axes = model.get("axes");
  const size = model.get("words").length;
  const say = status();
  let edited = 0;
  let state = null;

  const send = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const gloss = (j) => model.get("words")[j].gloss;
  const asker = () => gloss(model.get("selected"));
  const copy = (rows) => rows.map((row) => [...row]);

  // The sentence, and its twin.
  const sentences = model.get("sentences");
  const present = () =>
    sentences.findIndex(({ words }) => words.every((word, j) => word.gloss === gloss(j)));
  const twin =
    sentences.length > 1 &&
    choice({
      label: "The sentence ends in",
      options: sentences.map(({ ending }) => ending),
      selected: present(),
      onchange(index) {
        const embeddings = copy(model.get("embeddings"));
        sentences[index].words.forEach((word, j) => {
          if (word.gloss !== gloss(j)) embeddings[j] = [...sentences[index].embeddings[j]];
        });
        model.set("words", sentences[index].words);
        send("embeddings", embeddings);
      },
    });
  const chips = Array.from({ length: size }, () => {
    const parts = ["six-zh", "six-gloss", "six-number"].map((name) =>
      el("span", { class: name, lang: name === "six-zh" && "zh" }),
    );
    return {
      parts,
      node: el(
        "button",
        { type: "button", class: "six-word", role: "radio" },
        parts[0],
        " ",
        parts[1],
        " ",
        parts[2],
      ),
    };
  });
  const markWord = pickRow(
    chips.map((chip) => chip.node),
    (j) => send("selected", j),
  );

  // The steps.
  const stepButtons = STEPS.map((name, index) => button(`${index + 1} ${name}`, null));
  const markStep = pickRow(stepButtons, (index) => send("step", index + 1));
  const walk = (by) => (event) => {
    send("step", model.get("step") + by);
    if (event.target.disabled) stepButtons[model.get("step") - 1].focus();
  };
  const previous = button("Previous", walk(-1));
  const next = button("Next", walk(1));
  const heading = el("strong");
  const formula = el("p", { class: "six-formula" });
  const query = el("p", { class: "six-made" });

  // One row for each word; a column is shown in its steps, in some of them on a wide screen only.
  const columns = [
    { head: "key k", steps: [1, 2], wideOnly: [2], text: (j) => vector(state.k[j]) },
    { head: "value v", steps: [1], text: (j) => vector(state.v[j]) },
    {
      head: "q · k",
      steps: [2],
      text: (j) =>
        Array.from(state.k[j], (entry, c) => `${short(state.q[c])}·${short(entry)}`).join(" + "),
    },
    {
      head: "score",
      steps: [2, 3, 4, 5, 6],
      wideOnly: [4, 5, 6],
      text: (j) => short(state.scores[j]),
    },
    {
      head: "score ÷ √dₖ",
      steps: [3],
      text: (j) => `${short(state.scores[j])} ÷ ${short(state.divisor)}`,
    },
    { head: "scaled", steps: [3, 4, 5, 6], wideOnly: [5], text: (j) => short(state.scaled[j]) },
    {
      head: "eˣ ÷ sum",
      steps: [4],
      text: (j) => `${full(state.exponentials[j])} ÷ ${full(state.total)}`,
    },
    {
      head: "weight",
      steps: [4, 5, 6],
      tint: (j) => state.weights[j],
      text: (j) => fmt(state.weights[j], DIGITS),
      sum: () => fmt(1, DIGITS),
    },
    { head: "× value v", steps: [5], text: (j) => vector(state.v[j]) },
    ...model.get("value_axes").map((head, c) => ({
      head,
      steps: [5, 6],
      text: (j) => fmt(state.weighted[j][c]),
      sum: () => (model.get("step") === 6 ? fmt(state.context[c]) : ""),
    })),
  ];
  const cell = (column, tag, ...children) => {
    const node = el(tag, { scope: tag === "th" && "col" }, ...children);
    column.nodes = [...(column.nodes ?? []), node];
    return node;
  };
  const rowHeads = chips.map(() => el("th", { scope: "row" }));
  const head = el("tr", {}, el("td"), ...columns.map((column) => cell(column, "th", column.head)));
  const body = rowHeads.map((rowHead) =>
    el(
      "tr",
      {},
      rowHead,
      ...columns.map((column) => {
        const holder = el("span", { class: column.tint ? "aw-cell" : "six-cell" });
        column.holders = [...(column.holders ?? []), holder];
        return cell(column, "td", holder);
      }),
    ),
  );
  const foot = el(
    "tr",
    {},
    el("th", { scope: "row" }, "sum"),
    ...columns.map((column) => {
      column.total = el("span", { class: "six-cell" });
      return cell(column, "td", column.total);
    }),
  );
  const caption = el("caption");
  const table = el(
    "table",
    { class: "aw-matrix six-table" },
    caption,
    el("thead", {}, head),
    el("tbody", {}, ...body),
    el("tfoot", {}, foot),
  );

  // One word's vector, open to change.
  const wordId = uid();
  const picker = el(
    "select",
    {
      id: wordId,
      onchange: () => {
        edited = picker.selectedIndex;
        fill();
      },
    },
    ...chips.map(() => el("option")),
  );
  const entries = axes.map((axis, c) => {
    const id = uid();
    const input = el("input", {
      type: "number",
      id,
      min: -LIMIT,
      max: LIMIT,
      step: 0.5,
      oninput() {
        const valid = input.value !== "" && Math.abs(Number(input.value)) <= LIMIT;
        input.setAttribute("aria-invalid", String(!valid));
        if (!valid) return;
        const embeddings = copy(model.get("embeddings"));
        embeddings[edited][c] = Number(input.value);
        send("embeddings", embeddings);
      },
      onblur: fill, // what is not valid gives way to what counts
    });
    return {
      input,
      node: el("span", { class: "six-entry" }, el("label", { for: id }, axis), input),
    };
  });
  const reset = button("Reset vectors", () =>
    send("embeddings", copy(sentences[Math.max(0, present())].embeddings)),
  );
  const editor = el(
    "fieldset",
    { class: "six-editor" },
    el("legend", {}, `Change a vector (entries −${LIMIT} to ${LIMIT})`),
    el(
      "span",
      { class: "six-entry six-word-picker" },
      el("label", { for: wordId }, "word"),
      picker,
    ),
    ...entries.map((entry) => entry.node),
    reset,
  );

  // The matrices.
  const matrices = ["w_q", "w_k", "w_v"].map((name) => {
    const matrix = model.get(name);
    const digits = matrix.flat().every(Number.isInteger) ? 0 : 2;
    return {
      name,
      made: matrixTable({
        caption: name,
        rows: axes,
        columns: matrix[0].map((_, c) => c + 1),
        digits,
      }),
    };
  });

  function fill() {
    entries.forEach(({ input }, c) => {
      const value = model.get("embeddings")[edited][c];
      if (input.value === "" || Number(input.value) !== value) input.value = String(value);
      input.removeAttribute("aria-invalid");
    });
  }

  function draw() {
    const step = model.get("step");
    const x = model.get("embeddings");
    const selected = model.get("selected");
    state = sixSteps(x, model.get("w_q"), model.get("w_k"), model.get("w_v"), selected);
    const shown = [[], state.scores, state.scaled][step - 1] ?? state.weights;
    const peak = step > 3 ? 1 : Math.max(1e-9, ...shown.map(Math.abs));
    chips.forEach(({ node, parts }, j) => {
      setText(parts[0], model.get("words")[j].zh);
      setText(parts[1], gloss(j));
      setText(parts[2], step === 1 ? "" : step > 3 ? fmt(shown[j], DIGITS) : short(shown[j]));
      const amount = (shown[j] ?? 0) / peak;
      node.style.setProperty("--amount", String(Math.abs(amount)));
      node.classList.toggle("aw-negative", amount < 0);
      setText(rowHeads[j], gloss(j));
      setText(picker.options[j], gloss(j));
    });
    markWord(selected, (node, on) => node.setAttribute("aria-checked", String(on)));
    markStep(step - 1, (node, on) =>
      on ? node.setAttribute("aria-current", "step") : node.removeAttribute("aria-current"),
    );
    previous.disabled = step === 1;
    next.disabled = step === STEPS.length;
    if (twin) twin.set(present());

    setText(heading, `Step ${step} of ${STEPS.length}: ${STEPS[step - 1].toLowerCase()}`);
    setText(formula, explain(step));
    const made = (name, result) =>
      `${name} = ${rowSum(x[selected], model.get(`w_${name}`))} = ${vector(result)}`;
    setText(
      query,
      step === 1
        ? [
            `x of ${asker()} = ${vector(x[selected])}`,
            made("q", state.q),
            made("k", state.k[selected]),
            made("v", state.v[selected]),
          ].join("\n")
        : `q of ${asker()} = ${vector(state.q)}`,
    );
    setText(
      caption,
      step === 1 ? "The keys and values of all words" : `What ${asker()} makes of each word`,
    );
    for (const column of columns) {
      const hidden = !column.steps.includes(step);
      for (const node of column.nodes) {
        node.hidden = hidden;
        node.classList.toggle("six-wide-only", Boolean(column.wideOnly?.includes(step)));
      }
      if (hidden) continue;
      column.holders.forEach((holder, j) => {
        setText(holder, column.text(j));
        if (column.tint) holder.style.setProperty("--amount", String(column.tint(j)));
      });
      setText(column.total, column.sum?.() ?? "");
    }
    foot.hidden = step < 4;
    say.say(outcome(step));
  }

  function explain(step) {
    return [
      "The vector x of each word, times three matrices: its query q (what it asks for), " +
        "key k (what it can be found by) and value v (what it hands over).",
      `The query of ${asker()}, times the key of each word: multiply entry by entry, add ` +
        "up the products.",
      "Each score, divided by the root of the width of the keys: √dₖ = " +
        `√${state.q.length} = ${short(state.divisor)}.`,
      "e to the power of each scaled score, divided by the sum of them all, " +
        `${full(state.total)}: positive weights that add up to 1.`,
      "The value of each word, times its weight.",
      `The weighted values, added up column by column: the new vector of ${asker()}.`,
    ][step - 1];
  }

  function outcome(step) {
    if (step === 1) return "Every word makes its own three vectors, with the same three matrices.";
    if (step === 6) {
      const names = /** @type {string[]} */ (model.get("value_axes"));
      const entries = names.map((name, c) => `${name} ${fmt(state.context[c])}`);
      return `New vector of ${asker()}: ${entries.join(", ")}.`;
    }
    const values = step < 4 ? state.scores : state.weights;
    const most = Math.max(...values);
    const best = chips.flatMap((_, j) => (values[j] === most ? [gloss(j)] : []));
    if (best.length === size) return `To ${asker()}, all words are equal.`;
    return (
      `${step < 4 ? `Highest score: ${short(most)}` : `Largest weight: ${fmt(most, DIGITS)}`} ` +
      `(${best.join(", ")}).`
    );
  }

  root.append(
    ...(twin ? [twin.node] : []),
    el("p", { class: "aw-note" }, "Pick the word that asks:"),
    el(
      "div",
      { class: "six-sentence", role: "radiogroup", "aria-label": "Which word asks?" },
      ...chips.map((chip) => chip.node),
    ),
    el("div", { class: "six-steps", role: "group", "aria-label": "Steps" }, ...stepButtons),
    el("div", { class: "six-walk" }, previous, heading, next),
    formula,
    query,
    el(
      "div",
      { class: "aw-scroll", role: "group", tabindex: 0, "aria-label": "The step in numbers" },
      table,
    ),
    say.node,
    editor,
    el(
      "details",
      {},
      el("summary", {}, "The three matrices"),
      el("div", { class: "aw-row six-matrices" }, ...matrices.map(({ made }) => made.node)),
    ),
  );
  const refresh = () => {
    for (const { name, made } of matrices) made.update(model.get(name));
    draw();
    fill();
  };
  refresh();
  const names = ["words", "embeddings", "w_q", "w_k", "w_v", "selected", "step"];
  for (const name of names) model.on(`change:${name}`, refresh);
  return () => {
    for (const name of names) model.off(`change:${name}`, refresh);
  };
}

export default { render };
