// Random queries and keys of any width: what their scores spread to, and what softmax makes of it.
import { setText, shape } from "./drawing.js";
import { normals } from "./maths/random.js";
import { dotsByWidth, histogram, summarise, weigh } from "./maths/scaling.js";
import { asPercent, button, choice, el, fmt, frame, matrixTable, slider, status } from "./ui.js";

const QUERIES = 200;
const MOST_KEYS = 12;
const MOST_WIDTH = 512;
const REACH = 32; // the axis of scores runs from −REACH to REACH, one bin for each whole number
const BOX = { width: 320, height: 104, left: 6, right: 6, floor: 84, top: 8 };
const DIVISORS = ["none", "sqrt", "d_k"];

/** Slider stops: each whole number up to 16, then eight to each doubling. */
const WIDTHS = [...new Set(Array.from({ length: 73 }, (_, i) => Math.round(2 ** (i / 8))))];

const ROWS = [
  ["Spread of scores, expected", (_, expected) => expected],
  ["Spread of scores, measured", (s) => s.spread],
  ["Largest weight", (s) => s.largest],
  ["Entropy, in nats", (s) => s.entropy],
  ["", (s, _, keys) => s.entropy / Math.log(keys)],
  ["Jacobian, average size", (s) => s.slopes],
  ["Jacobian, middle query", (s) => s.typicalSlopes],
];

const dk = () => el("span", {}, "d", el("sub", {}, "k"));
const rootDk = () => el("span", {}, "√", dk());

/** Four digits that matter; what would round to nothing says so. */
function brief(value) {
  return value > 0 && value < 0.0005 ? "< 0.001" : fmt(value, value < 10 ? 3 : 2);
}

function divisorOf(name, width) {
  return { none: 1, sqrt: Math.sqrt(width), d_k: width }[name];
}

/** The heap of scores over an axis that never changes. */
function heap() {
  const { width, height, left, right, floor, top } = BOX;
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
    update({ shares }) {
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
    update(weights) {
      const slot = width / weights.length;
      const thick = Math.min(34, slot * 0.72);
      bars.forEach(({ bar, number, name, group }, j) => {
        group.setAttribute("display", j < weights.length ? "inline" : "none");
        if (j >= weights.length) return;
        const middle = (j + 0.5) * slot;
        const tall = weights[j] * room;
        bar.setAttribute("x", middle - thick / 2);
        bar.setAttribute("width", thick);
        bar.setAttribute("y", floor - tall);
        bar.setAttribute("height", tall);
        number.setAttribute("x", middle);
        number.setAttribute("y", floor - tall - 4);
        name.setAttribute("x", middle);
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

function panel() {
  const scores = heap();
  const bars = weightBars();
  const heading = el("p", { class: "aw-sc-heading" });
  const beyond = el("p", { class: "aw-note" });
  const row = el("p", { class: "aw-note" });
  return {
    node: el("div", { class: "aw-sc-panel" }, heading, scores.node, beyond, bars.node, row),
    update(rows, name, width, spread) {
      const divisor = divisorOf(name, width);
      const parts = {
        none: ["Not divided"],
        sqrt: ["Divided by ", rootDk(), ` = ${fmt(divisor, 2)}`],
        d_k: ["Divided by ", dk(), ` = ${width}`],
      }[name];
      heading.replaceChildren(...parts);
      const counted = histogram(rows, divisor, REACH, 2 * REACH);
      scores.update(counted);
      scores.node.setAttribute(
        "aria-label",
        `Histogram of the scores, from −${REACH} to ${REACH}; ` +
          `their spread is ${brief(spread)}`,
      );
      const { outside } = counted;
      const percent = outside > 0 && outside < 0.005 ? "< 1" : fmt(100 * outside, 0);
      setText(beyond, `Scores of ${QUERIES} queries. Beyond ±${REACH}: ${percent} %.`);
      const first = weigh(rows[0], divisor);
      bars.update(first.weights);
      setText(
        row,
        `Weights of the first query. Their entropy: ${fmt(first.entropy, 2)} nats, ` +
          `${asPercent(first.entropy / Math.log(rows[0].length))} of ln ${rows[0].length}.`,
      );
    },
  };
}

function render({ model, el: host }) {
  const root = frame(host, el("span", {}, "Why divide by ", rootDk()));
  let dots = null;
  let drawn = null;

  function set(name, value) {
    model.set(name, value);
    model.save_changes();
  }
  const nearest = (width) =>
    WIDTHS.reduce(
      (best, stop, i) => (Math.abs(stop - width) < Math.abs(WIDTHS[best] - width) ? i : best),
      0,
    );
  const width = slider({
    label: el("span", {}, "Width ", dk()),
    min: 0,
    max: WIDTHS.length - 1,
    step: 1,
    value: nearest(model.get("d_k")),
    format: (i) => String(nearest(model.get("d_k")) === i ? model.get("d_k") : WIDTHS[i]),
    oninput: (i) => set("d_k", WIDTHS[i]),
  });
  const keys = slider({
    label: "Number of keys",
    min: 2,
    max: MOST_KEYS,
    step: 1,
    value: model.get("num_keys"),
    oninput: (count) => set("num_keys", count),
  });
  const divisor = choice({
    label: "Compare with dividing by",
    options: ["nothing", rootDk(), dk()],
    selected: DIVISORS.indexOf(model.get("divisor")),
    onchange: (i) => set("divisor", DIVISORS[i]),
  });
  const again = button("Draw again", () => set("seed", model.get("seed") + 1));
  const [left, right] = [panel(), panel()];
  const table = matrixTable({
    caption: `Averages over ${QUERIES} queries, by divisor`,
    rows: ROWS.map(([label]) => label),
    columns: ["÷ 1", el("span", {}, "÷ ", rootDk()), el("span", {}, "÷ ", dk())],
  });
  const share = table.node.querySelectorAll("th[scope=row]")[4];
  const said = status();
  root.append(
    el("div", { class: "aw-sc-controls" }, width.node, keys.node),
    el("div", { class: "aw-row aw-sc-choices" }, divisor.node, again),
    el("div", { class: "aw-sc-panels" }, left.node, right.node),
    said.node,
    el("div", { class: "aw-sc-table" }, table.node),
  );

  function paint() {
    if (drawn !== model.get("seed")) {
      drawn = model.get("seed");
      const draws = normals(drawn, QUERIES * (1 + MOST_KEYS) * MOST_WIDTH);
      dots = dotsByWidth(draws, QUERIES, MOST_KEYS, MOST_WIDTH);
    }
    const size = model.get("d_k");
    const count = model.get("num_keys");
    const chosen = model.get("divisor");
    const start = (size - 1) * QUERIES * MOST_KEYS;
    const rows = Array.from({ length: QUERIES }, (_, r) =>
      dots.subarray(start + r * MOST_KEYS, start + r * MOST_KEYS + count),
    );
    const columns = DIVISORS.map((name) => summarise(rows, divisorOf(name, size)));
    left.update(rows, "none", size, columns[0].spread);
    right.update(rows, chosen, size, columns[DIVISORS.indexOf(chosen)].spread);
    ROWS.forEach(([, pick], r) =>
      columns.forEach((column, c) => {
        const expected = Math.sqrt(size) / divisorOf(DIVISORS[c], size);
        setText(table.cells[r][c], brief(pick(column, expected, count)));
      }),
    );
    setText(share, `Entropy ÷ ln ${count} (${fmt(Math.log(count), 2)})`);
    const { largest } = columns[DIVISORS.indexOf(chosen)];
    const divided = `, ${fmt(largest, 2)} divided by ${chosen === "sqrt" ? "√" : ""}${size}`;
    said.say(
      `Largest weight, on average: ${fmt(columns[0].largest, 2)} ` +
        `undivided${chosen === "none" ? "" : divided}.`,
    );
  }
  const follow = {
    d_k: () => width.set(nearest(model.get("d_k"))),
    num_keys: () => keys.set(model.get("num_keys")),
    divisor: () => divisor.set(DIVISORS.indexOf(model.get("divisor"))),
    seed: () => {},
  };
  const listeners = Object.entries(follow).map(([name, move]) => [
    `change:${name}`,
    () => {
      move();
      paint();
    },
  ]);
  for (const [type, listener] of listeners) model.on(type, listener);
  follow.d_k();
  paint();
  return () => {
    for (const [type, listener] of listeners) model.off(type, listener);
  };
}

export default { render };
