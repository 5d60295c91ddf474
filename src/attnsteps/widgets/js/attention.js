// Type words, see who attends to whom, and how each number came about.
import { setText } from "./drawing.js";
import { attention } from "./maths/attention.js";
import { spellingVector } from "./maths/spelling.js";
import { workedContext, workedWeight } from "./maths/worked.js";
import { button, checkbox, choice, el, fmt, frame, matrixTable, status, uid } from "./ui.js";

const [LEAST, MOST, D_K] = [2, 12, 4];
const ENTRIES = 8; // columns of a wide context that are shown
const TERMS = 4; // terms of a sum that are shown where there are more than MOST
const VIEWS = ["scores", "weights", "context"];
const TRAITS = ["words", "mask", "scale", "selected", "q", "k", "v", "given_mask"];
const PRESETS = {
  Chinese: "动物 没有 过 马路 因为 太 累 了",
  English: "the animal did not cross the street because it was too tired",
};

function split(text) {
  return text.split(/\s+/u).filter(Boolean);
}

/** A factor or a term: negative ones in brackets, huge ones with a power of ten. */
function term(value) {
  const text = Math.abs(value) < 1e5 ? fmt(value) : value.toExponential(1);
  return text.startsWith("−") ? `(${text})` : text;
}

function sum(terms) {
  if (terms.length <= MOST) return terms.join(" + ");
  return `${terms.slice(0, TERMS).join(" + ")} + … (${terms.length - TERMS} more)`;
}

function render({ model, el: host }) {
  const given = model.get("q") !== null;
  const masks = [...(model.get("given_mask") ? ["given"] : []), "none", "causal"];
  const names = { given: "the model’s own", none: "none", causal: "causal" };
  const ask = (trait, value) => {
    model.set(trait, value);
    model.save_changes();
  };
  const root = frame(host, "Attention explorer");
  root.classList.add("ax");

  const input = el("input", {
    type: "text",
    id: uid(),
    autocomplete: "off",
    spellcheck: "false",
    oninput: read,
  });
  const said = status();
  function read() {
    const words = split(input.value);
    const fits = words.length >= LEAST && words.length <= MOST;
    const wish =
      words.length < LEAST
        ? `At least ${LEAST} words, please, with a space between them.`
        : `That makes ${words.length} words; at most ${MOST} fit.`;
    said.say(
      fits
        ? `${words.length} words`
        : `${wish} You still see the ${model.get("words").length} from before.`,
    );
    if (fits) ask("words", words);
  }
  const maskChoice = choice({
    label: "Mask:",
    selected: 0,
    options: masks.map((mask) => names[mask]),
    onchange: (index) => ask("mask", masks[index]),
  });
  const scale = checkbox({
    label: "divide by √d_k",
    checked: true,
    onchange: (on) => ask("scale", on),
  });
  const show = choice({
    label: "Show:",
    selected: 1,
    options: VIEWS,
    onchange: (index) => {
      grid.dataset.show = VIEWS[index];
    },
  });
  show.node.classList.add("ax-show");

  // Every cell is made once; those of words that are not there are hidden.
  const places = Array(given ? model.get("words").length : MOST).fill("");
  const entries = Array.from(
    { length: given ? Math.min(ENTRIES, model.get("v")[0].length) : D_K },
    (_, d) => `${d + 1}`,
  );
  let inContext = null; // [word, entry] while a cell of the context is worked out
  let widest = 1;
  function pick(row, column) {
    inContext = null;
    if (`${model.get("selected")}` === `${[row, column]}`) explain();
    else ask("selected", [row, column]);
  }
  const square = { caption: "", rows: places, columns: places, onpick: pick };
  const tables = {
    scores: matrixTable({ ...square, tint: (score) => (score === -Infinity ? 0 : score / widest) }),
    weights: matrixTable({ ...square, tint: (weight) => weight }),
    context: matrixTable({
      caption: "",
      rows: places,
      columns: entries,
      tint: (entry) => entry / 2,
      onpick: (row, column) => {
        inContext = [row, column];
        explain();
      },
    }),
  };
  const lines = Array.from({ length: 5 }, () => el("p"));
  const grid = el(
    "div",
    { class: "ax-grid", "data-show": "weights" },
    ...VIEWS.map((view) => {
      tables[view].node.classList.add(`ax-${view}`);
      return tables[view].node;
    }),
    el("div", { class: "ax-worked", role: "status", "aria-live": "polite" }, ...lines),
  );

  if (!given) {
    root.append(
      el(
        "div",
        { class: "aw-control" },
        el("label", { for: input.id }, `Your words, ${LEAST} to ${MOST}, with spaces between them`),
        input,
      ),
      el(
        "div",
        { class: "aw-row" },
        ...Object.entries(PRESETS).map(([name, text]) =>
          button(name, () => {
            input.value = text;
            read();
          }),
        ),
        said.node,
      ),
    );
  }
  root.append(
    el("div", { class: "aw-row" }, maskChoice.node, scale.node),
    show.node,
    grid,
    el(
      "p",
      { class: "aw-note" },
      given
        ? "These are the tensors that were handed over. Numbers are rounded where they are shown."
        : "The vectors are made from spelling, not learned: every letter has four fixed " +
            "random numbers, a word is the sum of " +
            "its letters, stretched to length 2. Equal words have equal vectors, words " +
            "that share letters similar ones. " +
            "A word’s query, key and value are all this one vector.",
    ),
  );

  let now;
  let written = null; // the words that the line was last held against
  function refresh() {
    const [words, mask, scaled] = ["words", "mask", "scale"].map((trait) => model.get(trait));
    const own = given ? null : words.map((word) => spellingVector(word, D_K));
    const [q, k, v] = ["q", "k", "v"].map((trait) => own ?? model.get(trait));
    const allowed = {
      given: model.get("given_mask"),
      none: null,
      causal: words.map((_, i) => words.map((__, j) => j <= i)),
    }[mask];
    const { scores, weights, context } = attention(q, k, v, allowed, scaled);
    now = { words, q, k, v, allowed, scaled, weights };
    const seen = scores.map((row, i) =>
      Array.from(row, (score, j) => (allowed && !allowed[i][j] ? -Infinity : score)),
    );
    widest = Math.max(1e-9, ...seen.flat().filter(Number.isFinite).map(Math.abs));
    tables.scores.update(seen);
    tables.weights.update(weights.map((row) => [...row]));
    tables.context.update(context.map((row) => [...row.subarray(0, entries.length)]));
    title("scores", `Scores: query (row) · key (column)${scaled ? ` ÷ √${k[0].length}` : ""}`);
    title("weights", "Weights: the softmax of each row");
    title(
      "context",
      v[0].length > entries.length
        ? `Context: first ${entries.length} of ${v[0].length}`
        : "Context: mix of the values",
    );
    for (const node of [grid, show.node]) node.classList.toggle("ax-many", words.length > 8);
    if (words !== written && split(input.value).join(" ") !== words.join(" "))
      input.value = words.join(" ");
    written = words;
    maskChoice.set(masks.indexOf(mask));
    scale.input.checked = scaled;
    explain();
  }

  function title(view, text) {
    const { node } = tables[view];
    node.setAttribute("aria-label", text);
    setText(node.firstChild.caption, text);
    [...node.firstChild.rows].forEach((row, r) => {
      row.hidden = r > now.words.length;
      if (r) setText(row.cells[0], now.words[r - 1] ?? "");
      if (view === "context") return;
      [...row.cells].forEach((cell, c) => {
        cell.hidden = c > now.words.length;
        if (c && !r) setText(cell, now.words[c - 1] ?? "");
      });
    });
    const cells = tables[view].cells.flat();
    if (!cells.some((cell) => cell.tabIndex === 0 && !cell.closest("[hidden]"))) {
      // it went with its word
      cells.forEach((cell, n) => {
        cell.tabIndex = n ? -1 : 0;
      });
    }
  }

  /** Mark the chosen cell and write out how its number came about. */
  function explain() {
    const last = now.words.length - 1;
    const [chosen, second] = inContext ?? model.get("selected");
    const i = Math.min(chosen, last);
    const j = inContext ? second : Math.min(second, last);
    for (const view of VIEWS) {
      const here = (view === "context") === (inContext !== null);
      tables[view].mark(here ? i : -1, j);
      [...tables[view].node.firstChild.rows].forEach((row, r) =>
        row.cells[0].classList.toggle("ax-here", r === i + 1),
      );
      [...tables[view].node.firstChild.rows[0].cells].forEach((cell, c) =>
        cell.classList.toggle("ax-here", here && c === j + 1),
      );
    }
    const text = inContext ? mixed(i, j) : weighed(i, j);
    lines.forEach((line, n) => {
      setText(line, text[n] ?? "");
      line.hidden = n >= text.length;
    });
  }

  function weighed(i, j) {
    const { words, q, k, allowed, scaled } = now;
    const row = allowed?.[i];
    const cell = workedWeight(q[i], k, j, row ?? null, scaled);
    const score = fmt(cell.product / cell.divisor);
    const shift = cell.shift ? ` − ${fmt(cell.shift)}` : "";
    const own = term(cell.exponentials[j]);
    const out = [
      `Query: ${words[i]}. Key: ${words[j]}.`,
      `q · k = ${sum(Array.from(q[i], (value, d) => `${term(value)}·${term(k[j][d])}`))} ` +
        `= ${fmt(cell.product)}`,
      scaled
        ? `score = ${fmt(cell.product)} ÷ √${q[i].length} = ${score}`
        : `score = ${score}, not divided`,
    ];
    if (row && !row.some(Boolean))
      return [...out, "The mask lets this query look at nothing: all its weights are 0."];
    if (row && !row[j])
      return [
        ...out,
        "The mask hides this key: the score becomes −∞, exp(−∞) = 0, and so the weight is 0.",
      ];
    return [
      ...out,
      `exp(${score}${shift}) = ${own}${shift && ", the row’s largest score taken off first"}`,
      `weight = ${own} ÷ (${sum(Array.from(cell.exponentials, term))}) = ${own} ÷ ` +
        `${term(cell.total)} = ${fmt(cell.weight, 3)}`,
    ];
  }

  function mixed(i, d) {
    const { words, v, weights } = now;
    const { entry } = workedContext(weights[i], v, d);
    return [
      `Context of ${words[i]}, entry ${d + 1}.`,
      "Each weight of the row times that entry of its word’s value:",
      `${sum(v.map((value, j) => `${fmt(weights[i][j])}·${term(value[d])}`))} = ${fmt(entry)}`,
    ];
  }

  refresh();
  for (const trait of TRAITS) model.on(`change:${trait}`, refresh);
  return () => {
    for (const trait of TRAITS) model.off(`change:${trait}`, refresh);
  };
}

export default { render };
