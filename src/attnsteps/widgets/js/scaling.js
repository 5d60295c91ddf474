// Random queries and keys of any width: what their scores spread to, and what softmax makes of it.
import { setAttributes, setText, shape } from "./drawing.js";
import { fromBell, uniform } from "./maths/random.js";
import { addComponent, histogram, summarise, weigh } from "./maths/scaling.js";
import { matrixTable } from "./tables.js";
import { followTraits, setTraits } from "./traits.js";
import { button, choice, el, fmt, frame, nearestStop, slider, status } from "./ui.js";

const TRAITS = ["d_k", "num_keys", "divisor", "seed"];
const QUERIES = 200;
const MOST_KEYS = 12;
const MOST_WIDTH = 512;
const REACH = 32; // the axis of scores runs from −REACH to REACH, one bin for each whole number
const BOX = { width: 320, height: 104, left: 6, right: 6, floor: 84, top: 8 };
const DIVISORS = /** @type {const} */ (["none", "sqrt", "d_k"]);
/** @typedef {typeof DIVISORS[number]} Divisor */
/** @typedef {ReturnType<typeof summarise>} Summary */

/** Slider stops: each whole number up to 16, then eight to each doubling. */
const WIDTHS = [...new Set(Array.from({ length: 73 }, (_, i) => Math.round(2 ** (i / 8))))];

/** @typedef {(s: Summary, expected: number) => number} Row */

/**
 * The rows of the table: a label, and how its numbers come about.
 * @type {[string, Row][]}
 */
const ROWS = [
  ["Standard deviation, expected", (_, expected) => expected],
  ["Standard deviation, measured", ({ deviation }) => deviation],
  ["Largest weight", ({ largest }) => largest],
];

const dk = () => el("span", {}, "d", el("sub", {}, "k"));
const rootDk = () => el("span", {}, "√", dk());

/** Four digits that matter; what would round to nothing says so. @param {number} value */
function brief(value) {
  return value > 0 && value < 0.0005 ? "< 0.001" : fmt(value, value < 10 ? 3 : 2);
}

/** @param {Divisor} name @param {number} width */
function divisorOf(name, width) {
  return { none: 1, sqrt: Math.sqrt(width), d_k: width }[name];
}

/** The heap of scores over an axis that never changes. */
function heap() {
  const { width, height, left, right, floor, top } = BOX;
  /** @param {number} score */
  const x = (score) => left + ((score + REACH) / (2 * REACH)) * (width - left - right);
  const ticks = [-30, -20, -10, 0, 10, 20, 30].flatMap((score) => [
    shape("line", { x1: x(score), x2: x(score), y1: floor, y2: floor + 4, class: "aw-sc-axis" }),
    shape("text", { x: x(score), y: height - 3, class: "aw-sc-tick" }, fmt(score, 0)),
  ]);
  const path = shape("path", { class: "aw-sc-heap" });
  const node = shape(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img" },
    path,
    shape("line", { x1: left, x2: width - right, y1: floor, y2: floor, class: "aw-sc-axis" }),
    ...ticks,
  );
  return {
    node,
    /** @param {Float64Array} shares */
    update(shares) {
      const tallest = Math.max(...shares);
      const step = (width - left - right) / shares.length;
      let d = `M${left} ${floor}`;
      shares.forEach((share, i) => {
        const y = floor - (share / tallest) * (floor - top);
        const x = left + (i + 1) * step;
        d += `V${y.toFixed(1)}H${x.toFixed(1)}`;
      });
      path.setAttribute("d", `${d}V${floor}Z`);
    },
  };
}

/** One bar for each key, with its weight above it. */
function weightBars() {
  const { width, height, floor, top } = BOX;
  const room = floor - top - 10;
  const bars = Array.from({ length: MOST_KEYS }, (_, j) => {
    const bar = shape("rect", { class: "aw-sc-bar" });
    const number = shape("text", { class: "aw-sc-number" });
    const name = shape("text", { y: height - 3, class: "aw-sc-tick" }, String(j + 1));
    return { bar, number, name, group: shape("g", {}, bar, number, name) };
  });
  const node = shape(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img" },
    ...bars.map(({ group }) => group),
    shape("line", { x1: 0, x2: width, y1: floor, y2: floor, class: "aw-sc-axis" }),
  );
  return {
    node,
    /** @param {Float64Array} weights */
    update(weights) {
      const slot = width / weights.length;
      const thick = Math.min(34, slot * 0.72);
      bars.forEach(({ bar, number, name, group }, j) => {
        group.setAttribute("display", j < weights.length ? "inline" : "none");
        if (j >= weights.length) return;
        const middle = (j + 0.5) * slot;
        const tall = weights[j] * room;
        setAttributes(bar, { x: middle - thick / 2, width: thick, y: floor - tall, height: tall });
        setAttributes(number, { x: middle, y: floor - tall - 4 });
        setAttributes(name, { x: middle });
        setText(number, fmt(weights[j], 2));
      });
      node.setAttribute(
        "aria-label",
        "Weights of the first query over its keys: " +
          `${Array.from(weights, (p) => fmt(p, 2)).join(", ")}`,
      );
    },
  };
}

/** The scores and weights after dividing by one of the divisors. */
function panel() {
  const scores = heap();
  const bars = weightBars();
  const heading = el("p", { class: "aw-sc-heading" });
  const beyond = el("p", { class: "aw-note" });
  const note = el("p", { class: "aw-note" }, "Weights of the first query.");
  return {
    node: el("div", { class: "aw-sc-panel" }, heading, scores.node, beyond, bars.node, note),
    /**
     * @param {Float32Array[]} rows @param {Divisor} name @param {number} width
     * @param {number} deviation
     */
    update(rows, name, width, deviation) {
      const divisor = divisorOf(name, width);
      const parts = {
        none: ["Not divided"],
        sqrt: ["Divided by ", rootDk(), ` = ${fmt(divisor, 2)}`],
        d_k: ["Divided by ", dk(), ` = ${width}`],
      }[name];
      heading.replaceChildren(...parts);
      const { shares, outside } = histogram(rows, divisor, REACH, 2 * REACH);
      scores.update(shares);
      scores.node.setAttribute(
        "aria-label",
        `Histogram of the scores, from −${REACH} to ${REACH}; ` +
          `their standard deviation is ${brief(deviation)}`,
      );
      const percent = outside > 0 && outside < 0.005 ? "< 1" : fmt(100 * outside, 0);
      setText(beyond, `Scores of ${QUERIES} queries. Beyond ±${REACH}: ${percent} %.`);
      bars.update(weigh(rows[0], divisor));
    },
  };
}

/**
 * The dot products of random queries and keys, drawn once for each seed: as many components as were
 * ever asked for, and the others while nobody waits.
 */
class Scores {
  /** @type {number | null} */
  seed = null;
  /** For each width from 0 on, the product of every query and key. @type {Float32Array[]} */
  dots = [];

  /** @param {number} seed @param {number} width @param {number} numKeys */
  of(seed, width, numKeys) {
    if (this.seed !== seed) {
      this.seed = seed;
      this.draw = uniform(seed);
      this.dots = [new Float32Array(QUERIES * MOST_KEYS)];
      setTimeout(() => this.goOn(seed));
    }
    this.grow(width);
    return Array.from({ length: QUERIES }, (_, r) =>
      this.dots[width].subarray(r * MOST_KEYS, r * MOST_KEYS + numKeys),
    );
  }

  /** @param {number} width */
  grow(width) {
    while (this.draw && this.dots.length <= width) {
      const draws = fromBell(this.draw, QUERIES * (1 + MOST_KEYS));
      this.dots.push(addComponent(this.dots[this.dots.length - 1], draws, QUERIES, MOST_KEYS));
    }
  }

  /** @param {number} seed */
  goOn(seed) {
    if (this.seed !== seed || this.dots.length > MOST_WIDTH) return;
    this.grow(Math.min(this.dots.length + 15, MOST_WIDTH));
    setTimeout(() => this.goOn(seed));
  }
}

class Scaling {
  scores = new Scores();
  left = panel();
  right = panel();
  summary = status();
  table = matrixTable({
    caption: `Averages over ${QUERIES} queries, by divisor`,
    rows: ROWS.map(([label]) => label),
    columns: ["÷ 1", el("span", {}, "÷ ", rootDk()), el("span", {}, "÷ ", dk())],
  });

  /** @param {Host} host */
  constructor({ model, el: host }) {
    this.model = model;
    const place = () => nearestStop(WIDTHS, model.get("d_k"));
    this.width = slider({
      label: el("span", {}, "Width ", dk()),
      min: 0,
      max: WIDTHS.length - 1,
      step: 1,
      value: place(),
      format: (i) => String(i === place() ? model.get("d_k") : WIDTHS[i]),
      oninput: (i) => setTraits(model, { d_k: WIDTHS[i] }),
    });
    this.keys = slider({
      label: "Number of keys",
      min: 2,
      max: MOST_KEYS,
      step: 1,
      value: model.get("num_keys"),
      oninput: (count) => setTraits(model, { num_keys: count }),
    });
    this.divisor = choice({
      label: "Compare with dividing by",
      options: ["nothing", rootDk(), dk()],
      selected: 0,
      onchange: (i) => setTraits(model, { divisor: DIVISORS[i] }),
    });
    const again = button("Draw again", () => setTraits(model, { seed: model.get("seed") + 1 }));
    frame(host, el("span", {}, "Why divide by ", rootDk())).append(
      el("div", { class: "aw-sc-controls" }, this.width.node, this.keys.node),
      el("div", { class: "aw-row aw-sc-choices" }, this.divisor.node, again),
      el("div", { class: "aw-sc-panels" }, this.left.node, this.right.node),
      this.summary.node,
      el("div", { class: "aw-sc-table" }, this.table.node),
    );
  }

  refresh() {
    const [width, numKeys, chosen, seed] = TRAITS.map((trait) => this.model.get(trait));
    const place = DIVISORS.indexOf(chosen);
    const rows = this.scores.of(seed, width, numKeys);
    const summaries = DIVISORS.map((name) => summarise(rows, divisorOf(name, width)));
    this.width.set(nearestStop(WIDTHS, width));
    this.keys.set(numKeys);
    this.divisor.set(place);
    this.left.update(rows, "none", width, summaries[0].deviation);
    this.right.update(rows, chosen, width, summaries[place].deviation);
    ROWS.forEach(([, pick], r) =>
      summaries.forEach((summary, c) => {
        const expected = Math.sqrt(width) / divisorOf(DIVISORS[c], width);
        setText(this.table.cells[r][c], brief(pick(summary, expected)));
      }),
    );
    const [undivided, divided] = [summaries[0], summaries[place]].map((s) => fmt(s.largest, 2));
    const other = `, ${divided} divided by ${chosen === "sqrt" ? "√" : ""}${width}`;
    this.summary.say(
      `Largest weight, on average: ${undivided} undivided${chosen === "none" ? "" : other}.`,
    );
  }
}

/** @param {Host} host */
function render(host) {
  const scaling = new Scaling(host);
  return followTraits(host.model, TRAITS, () => scaling.refresh());
}

export default { render };
