// A map of word vectors before and after learning, the nearest words, and the one-hot look-up.
import { setAttributes, setText, shape } from "./drawing.js";
import { matmul } from "./maths/linear.js";
import { cosine, nearest, oneHot } from "./maths/neighbours.js";
import { matrixTable } from "./tables.js";
import { followTraits, setTraits } from "./traits.js";
import { choice, el, fmt, frame, status } from "./ui.js";

const BOX = { width: 640, height: 400, pad: 26 };
const NEAR = 8;
const CLEAR = 1; // between two names, which no rounding of a font's widths fills
const SHOWN = 6; // so many rows and columns of the table are written out

/** @typedef {[number, number]} Point */

/** Every word as a point; the chosen one and its neighbours are written out. */
class WordMap {
  /** @type {Point[]} */
  points = [];
  /** The words by how much their names matter. @type {number[]} */
  order = [];

  /** @param {string[]} words @param {(word: number) => void} onpick */
  constructor(words, onpick) {
    this.marks = words.map(() => shape("circle", { r: 3.5, class: "aw-em-point" }));
    this.names = words.map((word) => shape("text", { class: "aw-em-name" }, word));
    this.links = Array.from({ length: NEAR }, () => shape("line", { class: "aw-em-link" }));
    this.node = shape(
      "svg",
      { viewBox: `0 0 ${BOX.width} ${BOX.height}`, role: "img", class: "aw-em-map" },
      ...this.links,
      ...this.marks,
      ...this.names,
    );
    new ResizeObserver(() => this.placeNames()).observe(this.node);
    document.fonts.ready.then(() => this.placeNames()); // a font that comes late has other widths
    this.node.addEventListener("click", (event) => onpick(this.nearestTo(event)));
  }

  /** @param {MouseEvent} event */
  nearestTo({ clientX, clientY }) {
    const box = this.node.getBoundingClientRect();
    const x = ((clientX - box.left) / box.width) * BOX.width;
    const y = ((clientY - box.top) / box.height) * BOX.height;
    const distances = this.points.map((point) => Math.hypot(point[0] - x, point[1] - y));
    return distances.indexOf(Math.min(...distances));
  }

  /** Write a name beside, above or below its point, where it covers no name that matters more. */
  placeNames() {
    if (this.order.length === 0) return;
    this.names.forEach((name) => name.setAttribute("display", "inline"));
    const sizes = this.names.map((name) => name.getBBox()); // all at once: one layout of the page
    /** @type {[number, number, number, number][]} */
    const taken = [];
    for (const i of this.order) {
      const { width, height, y: above } = sizes[i];
      const spot = spotsAround(this.points[i], width, height).find(
        ([left, top]) =>
          left >= 0 &&
          left + width <= BOX.width &&
          top >= 0 &&
          top + height <= BOX.height &&
          taken.every(
            ([a, b, c, d]) =>
              left > c + CLEAR ||
              left + width < a - CLEAR ||
              top > d + CLEAR ||
              top + height < b - CLEAR,
          ),
      );
      if (!spot) {
        this.names[i].setAttribute("display", "none");
        continue;
      }
      const [left, top] = spot;
      const ascent = Number(this.names[i].getAttribute("y")) - above;
      setAttributes(this.names[i], { x: left.toFixed(1), y: (top + ascent).toFixed(1) });
      if (width) taken.push([left, top, left + width, top + height]);
    }
  }

  /** @param {Point[]} map @param {number} selected @param {number[]} neighbours */
  update(map, selected, neighbours) {
    this.points = fitted(map);
    this.points.forEach(([x, y], i) => {
      const kind = i === selected ? "aw-em-chosen" : neighbours.includes(i) ? "aw-em-near" : "";
      setAttributes(this.marks[i], { cx: x.toFixed(1), cy: y.toFixed(1) });
      this.marks[i].setAttribute("class", `aw-em-point ${kind}`);
      this.names[i].setAttribute("class", `aw-em-name ${kind}`);
    });
    this.order = [...new Set([selected, ...neighbours, ...this.points.keys()])];
    this.placeNames();
    const [x1, y1] = this.points[selected];
    neighbours.forEach((i, n) => {
      const [x2, y2] = this.points[i];
      setAttributes(this.links[n], { x1, y1, x2, y2 });
    });
  }
}

/**
 * Where the corner of a name can be: right, left, above or below its point.
 * @param {Point} point @param {number} width @param {number} height
 * @returns {Point[]}
 */
function spotsAround([x, y], width, height) {
  return [
    [x + 7, y - height / 2],
    [x - 7 - width, y - height / 2],
    [x - width / 2, y - 7 - height],
    [x - width / 2, y + 7],
  ];
}

/**
 * The points of a map, stretched to fill the box.
 * @param {Point[]} map
 * @returns {Point[]}
 */
function fitted(map) {
  const { width, height, pad } = BOX;
  const low = [0, 1].map((axis) => Math.min(...map.map((point) => point[axis])));
  const high = [0, 1].map((axis) => Math.max(...map.map((point) => point[axis])));
  /** @type {(value: number, axis: number, size: number) => number} */
  const scale = (value, axis, size) =>
    pad + ((value - low[axis]) / (high[axis] - low[axis] || 1)) * (size - 2 * pad);
  return map.map(([x, y]) => [scale(x, 0, width), height - scale(y, 1, height)]);
}

/** One of the nearest words, to press. @param {(word: number) => void} onpick */
function neighbourRow(onpick) {
  let index = 0;
  const onclick = () => onpick(index);
  const name = el("button", { type: "button", class: "aw-em-word", onclick });
  const fill = el("span", { class: "aw-em-fill" });
  const number = el("span", { class: "aw-em-number" });
  const track = el("span", { class: "aw-em-track", "aria-hidden": true }, fill);
  return {
    node: el("li", {}, name, track, number),
    /** @type {(place: number, word: string, similarity: number) => void} */
    show(place, word, similarity) {
      index = place;
      setText(name, word);
      setText(number, fmt(similarity));
      fill.style.width = `${100 * Math.max(0, similarity)}%`;
    },
  };
}

/**
 * The one-hot vector beside a few rows of the matrix, and their product.
 * @param {string[]} words
 */
function lookUp(words) {
  const node = el("div", {});
  const columns = Array.from({ length: SHOWN }, (_, i) => `${i + 1}`);
  /** @type {MatrixTable[]} */
  let tables = [];
  let shownFrom = -1;
  /** @param {number} width */
  const makeTables = (width) => {
    const caption =
      `${SHOWN} of ${words.length} rows and the first ${SHOWN} of ${width} columns; ` +
      "the one-hot vector on the left";
    const rows = words.slice(shownFrom, shownFrom + SHOWN);
    const tint = /** @param {number} value */ (value) => value;
    tables = [
      matrixTable({ caption, rows, columns: ["one-hot", ...columns], tint }),
      matrixTable({ caption: "their product", rows: ["sum"], columns, tint }),
    ];
    node.replaceChildren(...tables.map((table) => table.node));
  };
  return {
    node,
    /** @type {(vectors: number[][], selected: number) => void} */
    update(vectors, selected) {
      // The chosen row in the middle of a few others, and the first few columns.
      const from = Math.max(0, Math.min(words.length - SHOWN, selected - 2));
      if (from !== shownFrom) {
        shownFrom = from;
        makeTables(vectors[0].length);
      }
      const hot = oneHot(selected, words.length);
      const rows = vectors.slice(from, from + SHOWN);
      tables[0].update(rows.map((row, r) => [hot[from + r], ...row.slice(0, SHOWN)]));
      tables[0].mark(selected - from, 0);
      tables[1].update([matmul([hot], vectors)[0].slice(0, SHOWN)]);
    },
  };
}

/** @param {Host} host */
function render({ model, el: host }) {
  /** @type {string[]} */
  const words = model.get("words");
  const select = /** @param {number} selected */ (selected) => setTraits(model, { selected });
  const alphabetical = [...words.keys()].sort((i, j) => words[i].localeCompare(words[j], "en"));
  const picker = el(
    "select",
    { class: "aw-em-select", onchange: () => select(Number(picker.value)) },
    ...alphabetical.map((i) => el("option", { value: i }, words[i])),
  );
  const learned = choice({
    label: "Vectors",
    options: ["before learning", "after learning"],
    selected: Number(model.get("learned")),
    onchange: (i) => setTraits(model, { learned: i === 1 }),
  });
  const map = new WordMap(words, select);
  const heading = status();
  const rows = Array.from({ length: NEAR }, () => neighbourRow(select));
  const table = lookUp(words);
  const label = el("label", { class: "aw-em-label" }, "Word ", picker);
  frame(host, "Words as points").append(
    el("div", { class: "aw-row" }, label, learned.node),
    map.node,
    el(
      "p",
      { class: "aw-note" },
      "The map keeps two of the many directions, so words can look nearer than they are. " +
        "The list below uses all of them.",
    ),
    heading.node,
    el("ol", { class: "aw-em-list" }, ...rows.map(({ node }) => node)),
    el(
      "details",
      {},
      el("summary", {}, "One-hot times matrix: how the vector is looked up"),
      table.node,
    ),
  );
  return followTraits(model, ["selected", "learned"], () => {
    const selected = model.get("selected");
    const when = model.get("learned") ? "after" : "before";
    const vectors = model.get(when);
    const neighbours = nearest(vectors, selected, NEAR);
    map.update(model.get(`map_${when}`), selected, neighbours);
    map.node.setAttribute(
      "aria-label",
      `Map of ${words.length} words ${when} learning. Nearest to ${words[selected]}: ` +
        `${neighbours.map((i) => words[i]).join(", ")}.`,
    );
    neighbours.forEach((i, n) => rows[n].show(i, words[i], cosine(vectors[selected], vectors[i])));
    heading.say(`Nearest to “${words[selected]}”, by cosine similarity:`);
    picker.value = String(selected);
    learned.set(Number(model.get("learned")));
    table.update(vectors, selected);
  });
}

export default { render };
