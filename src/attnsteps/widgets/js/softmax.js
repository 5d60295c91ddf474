// Scores under the reader's hand, the weights softmax makes of them, where the naive form breaks.
import { setText } from "./drawing.js";
import { entropy } from "./maths/softmax.js";
import {
  apart,
  diagnose,
  FORMATS,
  movedScores,
  naiveSteps,
  placeOf,
  stableSteps,
  temperatureAt,
} from "./maths/softmax_steps.js";
import { scrollBox } from "./tables.js";
import { followTraits, setTraits } from "./traits.js";
import { button, checkbox, choice, el, fmt, frame, scientific, slider, status } from "./ui.js";

const FEWEST = 2;
const MOST = 6;
const KINDS = /** @type {FormatName[]} */ (Object.keys(FORMATS));
const TRAITS = ["logits", "temperature", "excluded", "shift", "number_format"];

class SoftmaxByHand {
  words = el("div", { class: "aw-sm-words" });
  body = el("tbody");
  total = el("p", { class: "aw-sm-total" });
  summary = status();
  foot = cellsOf("sum");
  /** @type {ReturnType<typeof wordLine>[]} */
  lines = [];

  /** @param {Host} host */
  constructor({ model, el: host }) {
    this.model = model;
    const start = Object.fromEntries(TRAITS.map((trait) => [trait, model.get(trait)]));
    this.more = button("Add a word", () => this.addWord());
    this.fewer = button("Remove the last", () => this.removeWord());
    const again = button("Start again", () => setTraits(model, start));
    this.temperature = slider({
      label: "Temperature τ",
      min: -10,
      max: 10,
      step: 1,
      value: 0,
      oninput: (place) => setTraits(model, { temperature: temperatureAt(place) }),
    });
    this.shift = slider({
      label: "Add to all: c",
      min: -1000,
      max: 1000,
      step: 10,
      value: 0,
      oninput: (shift) => setTraits(model, { shift }),
    });
    this.format = choice({
      label: "Number format",
      options: KINDS,
      selected: 0,
      onchange: (index) => setTraits(model, { number_format: KINDS[index] }),
    });
    const knobs = [this.temperature, this.shift, this.format].map(({ node }) => node);
    frame(host, "Softmax, by hand").append(
      this.words,
      el("div", { class: "aw-row" }, this.more, this.fewer, again),
      el("div", { class: "aw-sm-knobs" }, ...knobs),
      this.total,
      this.summary.node,
      tableOf(this.body, this.foot.row),
    );
  }

  /** @returns {number[]} */
  get logits() {
    return this.model.get("logits");
  }

  /** Which scores count as −∞, as many as there are words. */
  get excluded() {
    const excluded = this.model.get("excluded");
    return this.logits.map((_, i) => Boolean(excluded[i]));
  }

  // ── What the reader does ─────────────────────────────────────────────────────────────────────

  addWord() {
    const { logits, excluded } = this;
    const score = this.model.get("spare")[logits.length];
    setTraits(this.model, { excluded: [...excluded, false], logits: [...logits, score] });
    if (this.more.disabled) this.fewer.focus();
  }

  removeWord() {
    const [logits, excluded] = [this.logits.slice(0, -1), this.excluded.slice(0, -1)];
    setTraits(this.model, { logits, excluded });
    if (this.fewer.disabled) this.more.focus();
  }

  // ── Showing ──────────────────────────────────────────────────────────────────────────────────

  /** As many lines as there are words. */
  fitLines() {
    const { model, lines } = this;
    for (let i = lines.length; i < this.logits.length; i += 1) {
      const line = wordLine(model.get("names")[i], {
        onscore: (score) => setTraits(model, { logits: this.logits.with(i, score) }),
        onexclude: (isOut) => setTraits(model, { excluded: this.excluded.with(i, isOut) }),
      });
      this.words.append(line.node);
      this.body.append(line.row);
      lines.push(line);
    }
    for (const { node, row } of lines.splice(this.logits.length)) {
      node.remove();
      row.remove();
    }
  }

  refresh() {
    const { logits, excluded } = this;
    const [temperature, c] = ["temperature", "shift"].map((trait) => this.model.get(trait));
    /** @type {FormatName} */
    const kind = this.model.get("number_format");
    const moved = movedScores(logits, excluded, c, temperature, kind);
    const stable = stableSteps(moved, kind);
    const naive = naiveSteps(moved, kind);
    this.fitLines();
    this.lines.forEach((line, i) => {
      line.show(logits[i], excluded[i], stable.weights[i], naive.weights[i]);
      line.write([
        fmt(moved[i]),
        fmt(stable.exponents[i]),
        short(stable.powers[i]),
        fmt(stable.weights[i], 3),
        short(naive.powers[i]),
        fmt(naive.weights[i], 3),
      ]);
    });
    const sums = [stable, naive].flatMap(({ sum, weights }) => [
      short(sum),
      fmt(sumOf(weights), 3),
    ]);
    this.foot.write(["", "", ...sums]);
    this.temperature.set(placeOf(temperature), String(temperature));
    this.shift.set(c, fmt(c, 0));
    this.format.set(KINDS.indexOf(kind));
    this.more.disabled = logits.length >= MOST;
    this.fewer.disabled = logits.length <= FEWEST;
    setText(this.total, describeTotal(stable.weights, excluded));
    const exact = stableSteps(movedScores(logits, excluded, 0, temperature));
    const distance = apart(naive.weights, stable.weights);
    const diagnosis = diagnose(moved, naive.powers, naive.sum, distance);
    this.summary.node.classList.toggle("aw-sm-broken", !["fine", "empty"].includes(diagnosis));
    this.summary.say(
      explain(diagnosis, Math.max(...moved), kind) +
        (apart(stable.weights, exact.weights) > 0.005
          ? ` The stable form holds, but ${kind} had to round the scores after the change, so ` +
            "its weights have moved a little."
          : ""),
    );
  }
}

/**
 * A word: its controls, its bars and its row of the table.
 * @param {string} name
 * @param {{onscore: (score: number) => void, onexclude: (isOut: boolean) => void}} options
 */
function wordLine(name, { onscore, onexclude }) {
  const score = slider({ label: name, min: -10, max: 10, step: 0.5, value: 0, oninput: onscore });
  const out = checkbox({ label: "−∞", checked: false, onchange: onexclude });
  const [stable, naive] = ["stable", "naive"].map(barOf);
  score.input.setAttribute("aria-label", `Score of ${name}`);
  out.input.setAttribute("aria-label", `−∞ for ${name}`);
  return {
    ...cellsOf(name),
    node: el(
      "div",
      { class: "aw-sm-word", role: "group", "aria-label": name },
      score.node,
      out.node,
      el("div", { class: "aw-sm-bars" }, stable.node, naive.node),
    ),
    /**
     * @param {number} logit @param {boolean} isOut @param {number} weight
     * @param {number} naiveWeight
     */
    show(logit, isOut, weight, naiveWeight) {
      score.set(logit, isOut ? "−∞" : fmt(logit, 1));
      score.input.disabled = isOut;
      out.input.checked = isOut;
      stable.show(weight);
      naive.show(naiveWeight);
    },
  };
}

/** @param {Float64Array} weights @param {boolean[]} excluded */
function describeTotal(weights, excluded) {
  const left = excluded.filter((isOut) => !isOut).length;
  const range = `, between 0 (all on one word) and ln ${left} = ${fmt(Math.log(left))} (all equal)`;
  return (
    `The stable weights sum to ${fmt(sumOf(weights), 3)}. ` +
    `Their entropy is ${fmt(entropy(weights))}${left > 1 ? range : ""}.`
  );
}

/** @param {ReturnType<typeof diagnose>} diagnosis @param {number} top @param {FormatName} kind */
function explain(diagnosis, top, kind) {
  const largest = short(FORMATS[kind].largest);
  return {
    fine: "Both forms give the same weights.",
    overflow:
      `The naive form breaks: e to the power ${fmt(top)} exceeds the largest ${kind} number, ` +
      `${largest}, and becomes ∞, and ∞ divided by ∞ is not a number (NaN). The largest power ` +
      "in the stable form is e⁰ = 1.",
    sum:
      "The naive form breaks: each power still fits, but their sum exceeds the largest " +
      `${kind} number, ${largest}. It becomes ∞, and any number divided by ∞ is 0.`,
    underflow:
      `The naive form breaks: every power is so small that ${kind} rounds it to 0, and ` +
      "0 divided by 0 is not a number (NaN). The sum in the stable form is never below 1.",
    drift:
      `The naive form drifts: its powers are so small that ${kind} keeps only a few of their ` +
      "digits.",
    empty:
      "No word is left. The formula asks for 0 divided by 0, which is not a number " +
      "(NaN); the stable form here returns zeros, as attnsteps.masked_softmax does.",
  }[diagnosis];
}

/** @param {string} name */
function barOf(name) {
  const fill = el("span", { class: `aw-sm-fill aw-sm-${name}` });
  const number = el("span", { class: "aw-sm-number" });
  return {
    node: el(
      "div",
      { class: "aw-sm-bar" },
      el("span", { class: "aw-note" }, name),
      el("span", { class: "aw-sm-track", "aria-hidden": "true" }, fill),
      number,
    ),
    /** @param {number} weight */
    show(weight) {
      fill.style.width = `${100 * (weight || 0)}%`;
      number.textContent = fmt(weight, 3);
      number.classList.toggle("aw-bad", Number.isNaN(weight));
    },
  };
}

/** @param {HTMLElement} body @param {HTMLElement} foot */
function tableOf(body, foot) {
  const caption = "Every step, in numbers";
  /** @param {Child} text @param {Props} [props] */
  const head = (text, props) => el("th", { scope: "col", ...props }, text);
  /** @param {string} exponent */
  const power = (exponent) => el("span", {}, "e", el("sup", {}, exponent));
  const table = el(
    "table",
    { class: "aw-matrix aw-sm-steps" },
    el("caption", {}, caption),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        head("word", { rowspan: 2 }),
        head("x = (score + c) / τ", { rowspan: 2 }),
        head("stable", { colspan: 3, scope: "colgroup" }),
        head("naive", { colspan: 2, scope: "colgroup" }),
      ),
      el(
        "tr",
        {},
        ...["x − max", power("x − max"), "weight", power("x"), "weight"].map((text) => head(text)),
      ),
    ),
    body,
    el("tfoot", {}, foot),
  );
  return scrollBox(caption, table);
}

/** @param {string} name */
function cellsOf(name) {
  const cells = Array.from({ length: 6 }, () => el("td"));
  return {
    row: el("tr", {}, el("th", { scope: "row" }, name), ...cells),
    /** @param {string[]} texts */
    write(texts) {
      texts.forEach((text, i) => setText(cells[i], text));
    },
  };
}

/**
 * Four digits, with a power of ten where the number is very large or very small.
 * @param {number} value
 */
function short(value) {
  if (!Number.isFinite(value)) return fmt(value);
  if (value === 0) return "0";
  if (value >= 1e-3 && value < 1e6) return value < 9999.5 ? value.toPrecision(4) : fmt(value, 0);
  return scientific(value);
}

/** @param {Float64Array} values */
function sumOf(values) {
  return values.reduce((total, value) => total + value, 0);
}

/** @param {Host} host */
function render(host) {
  const widget = new SoftmaxByHand(host);
  return followTraits(host.model, TRAITS, () => widget.refresh());
}

export default { render };
