// Positions as clock hands, a step as a turn, dot products by distance, and words out of order.
import { setAttributes, setText, shape } from "./drawing.js";
import {
  columnOrder,
  contextsInOrder,
  dotsWith,
  handSpeed,
  movedBy,
  positionRow,
  turned,
  WIDE,
} from "./maths/positional.js";
import { matrixTable } from "./tables.js";
import { followTraits, setTraits } from "./traits.js";
import { button, choice, el, fmt, frame, slider, status } from "./ui.js";

const LENGTH = 48;
const LAST_POSITION = 31;
const LAST_STEP = 16;
const WIDTHS = [4, 8, 12];
const LAYOUTS = ["interleaved", "concatenated"];
const BOX = { width: 336, left: 38, right: 6, top: 8, floor: 118, height: 140 };
const AXES = ["furry", "paved", "moved"];

/** @param {Node[]} children */
const picture = (...children) =>
  shape("svg", { viewBox: `0 0 ${BOX.width} ${BOX.height}`, role: "img" }, ...children);
const slot = (BOX.width - BOX.left - BOX.right) / LENGTH;
/** @param {number} position */
const across = (position) => BOX.left + (position + 0.5) * slot;

/** The axis of positions, under either picture. */
function positionAxis() {
  return [0, 10, 20, 30, 40].map((position) =>
    shape(
      "text",
      { x: across(position), y: BOX.height - 6, class: "aw-po-tick" },
      String(position),
    ),
  );
}

/** Two marks, at the position and at the one that is reached from it. */
function marks() {
  const size = { width: slot, y: BOX.top, height: BOX.floor - BOX.top };
  const nodes = ["aw-po-here", "aw-po-there"].map((name) =>
    shape("rect", { class: name, ...size }),
  );
  return {
    nodes,
    /** @param {number[]} positions */
    place(...positions) {
      nodes.forEach((node, i) => setAttributes(node, { x: across(positions[i]) - slot / 2 }));
    },
  };
}

/** The dial of a pair of columns. @param {number} pair */
function clock(pair) {
  const [here, there] = ["aw-po-hand", "aw-po-hand aw-po-next"].map((name) =>
    shape("line", { x1: 0, y1: 0, class: name }),
  );
  const arc = shape("path", { class: "aw-po-arc" });
  const dial = shape(
    "svg",
    { viewBox: "-50 -50 100 100", role: "img" },
    shape("circle", { r: 46, class: "aw-po-dial" }),
    shape("line", { y1: -46, y2: -39, class: "aw-po-dial" }),
    arc,
    there,
    here,
  );
  const period = el("span", { class: "aw-note" });
  return {
    node: el("div", { class: "aw-po-clock" }, el("span", {}, `hand ${pair}`), dial, period),
    /** @param {number} position @param {number} step @param {number} width */
    update(position, step, width) {
      const speed = handSpeed(2 * pair, width);
      const angles = [position * speed, (position + step) * speed];
      const tips = angles.map((angle) => [Math.sin(angle), -Math.cos(angle)]);
      [here, there].forEach((hand, i) =>
        setAttributes(hand, { x2: tips[i][0] * (i ? 36 : 44), y2: tips[i][1] * (i ? 36 : 44) }),
      );
      const turn = (step * speed) % (2 * Math.PI);
      const [from, to] = tips.map((tip) => tip.map((value) => (value * 26).toFixed(2)).join(" "));
      arc.setAttribute("d", `M${from}A26 26 0 ${turn > Math.PI ? 1 : 0} 1 ${to}`);
      setText(period, `one turn in\n${fmt((2 * Math.PI) / speed, speed === 1 ? 1 : 0)}`);
      const [a, b] = angles.map((angle) => fmt(((angle * 180) / Math.PI) % 360, 0));
      dial.setAttribute(
        "aria-label",
        `Hand ${pair}: position ${position} points to ${a} degrees, position ` +
          `${position + step} to ${b}`,
      );
    },
  };
}

/** @param {Float64Array} row @param {number} position @param {number[]} columns */
function columnOfCells(row, position, columns) {
  const height = (BOX.floor - BOX.top) / columns.length;
  return columns.map((column, place) =>
    shape("rect", {
      x: across(position) - slot / 2,
      y: BOX.top + place * height,
      width: slot,
      height,
      class: row[column] < 0 ? "aw-po-minus" : "aw-po-plus",
      "fill-opacity": Math.abs(row[column]).toFixed(3),
    }),
  );
}

/** Every position as a column of cells, tinted by sign and size. */
function sheet() {
  const mark = marks();
  const cells = shape("g", {});
  const names = [0, 1].map(() => shape("text", { x: BOX.left - 4, class: "aw-po-side" }));
  const node = picture(cells, ...mark.nodes, ...positionAxis(), ...names);
  return {
    node,
    mark: mark.place,
    /** @param {number} width @param {string} layout */
    fill(width, layout) {
      const columns = columnOrder(width, layout);
      const height = (BOX.floor - BOX.top) / width;
      cells.replaceChildren(
        ...Array.from({ length: LENGTH }, (_, position) =>
          columnOfCells(positionRow(position, width), position, columns),
        ).flat(),
      );
      names.forEach((name, i) => {
        setAttributes(name, { y: BOX.top + ((i ? width : 1) - 0.5) * height + 4 });
        setText(name, columnName(columns[i ? width - 1 : 0]));
      });
      node.setAttribute(
        "aria-label",
        `Positions 0 to ${LENGTH - 1} as columns of ${width} tinted cells, ${layout}; ` +
          "the numbers of the marked ones are in the table above",
      );
    },
  };
}

/** The dot products of the position with every position: a hill that moves and keeps its shape. */
function hill() {
  const mark = marks();
  const path = shape("path", { class: "aw-po-hill" });
  const wide = shape("path", { class: "aw-po-hill aw-po-wide" });
  const zero = shape("line", { x1: BOX.left, x2: BOX.width - BOX.right, class: "aw-po-zero" });
  const dots = [
    shape("circle", { r: 4, class: "aw-po-dot" }),
    shape("circle", { r: 4, class: "aw-po-dot aw-po-next" }),
  ];
  const sides = [0, 1].map(() => shape("text", { x: BOX.left - 4, class: "aw-po-side" }));
  const node = picture(...mark.nodes, zero, wide, path, ...dots, ...sides, ...positionAxis());
  return {
    node,
    /** @param {number} position @param {number} other @param {number} width */
    update(position, other, width) {
      const values = dotsWith(position, LENGTH, width);
      const [high, low] = [width / 2, -width / 4];
      /** @param {number} value */
      const y = (value) => BOX.top + ((high - value) / (high - low)) * (BOX.floor - BOX.top);
      const many = dotsWith(position, LENGTH, WIDE).map((value) => (value * width) / WIDE);
      [values, many].forEach((heights, n) => {
        const points = Array.from(
          heights,
          (value, j) => `${across(j).toFixed(1)} ${y(value).toFixed(1)}`,
        );
        (n ? wide : path).setAttribute("d", `M${points.join("L")}`);
      });
      setAttributes(zero, { y1: y(0), y2: y(0) });
      [position, other].forEach((j, i) =>
        setAttributes(dots[i], { cx: across(j), cy: y(values[j]) }),
      );
      mark.place(position, other);
      sides.forEach((side, i) => {
        setAttributes(side, { y: y(i ? 0 : high) + 4 });
        setText(side, fmt(i ? 0 : high, 0));
      });
      node.setAttribute(
        "aria-label",
        `Dot product of position ${position} with each position: ` +
          `${fmt(values[position])} with itself, ${fmt(values[other])} with position ${other}; ` +
          `dashed, the same at width ${WIDE}, drawn as high`,
      );
      return values[other];
    },
  };
}

/** @param {number} column */
function columnName(column) {
  return `${column % 2 ? "cos" : "sin"} ${Math.floor(column / 2)}`;
}

/** The hands of a position and of another one, their numbers, and the pictures of all positions. */
class Clocks {
  dials = Array.from({ length: WIDTHS[WIDTHS.length - 1] / 2 }, (_, pair) => clock(pair));
  legend = el("p", { class: "aw-note" });
  numbers = el("div", { class: "aw-po-numbers" });
  sheet = sheet();
  hill = hill();
  heading = el("p", { class: "aw-note" });
  summary = status();
  form = ""; // the width and the layout that the table was made for
  /** @type {MatrixTable | null} */
  table = null;

  /** @param {WidgetModel} model */
  constructor(model) {
    this.model = model;
    this.position = slider({
      label: "Position p",
      min: 0,
      max: LAST_POSITION,
      step: 1,
      value: model.get("position"),
      oninput: (position) => setTraits(model, { position }),
    });
    this.step = slider({
      label: "Offset k",
      min: 0,
      max: LAST_STEP,
      step: 1,
      value: model.get("step"),
      oninput: (step) => setTraits(model, { step }),
    });
    this.width = choice({
      label: "Width",
      options: WIDTHS.map(String),
      selected: 0,
      onchange: (i) => setTraits(model, { d_model: WIDTHS[i] }),
    });
    this.layout = choice({
      label: "Columns",
      options: ["interleaved (paper)", "concatenated"],
      selected: 0,
      onchange: (i) => setTraits(model, { layout: LAYOUTS[i] }),
    });
  }

  get nodes() {
    const caption = el("p", { class: "aw-note" }, "Each position is a column of this table");
    return [
      el("div", { class: "aw-po-knobs" }, this.position.node, this.step.node),
      el("div", { class: "aw-row aw-po-choices" }, this.width.node, this.layout.node),
      this.legend,
      el("div", { class: "aw-po-clocks" }, ...this.dials.map(({ node }) => node)),
      this.numbers,
      this.summary.node,
      el(
        "div",
        { class: "aw-po-pictures" },
        el("div", {}, caption, this.sheet.node),
        el("div", {}, this.heading, this.hill.node),
      ),
    ];
  }

  /**
   * The table of the numbers, made anew where the columns have changed.
   * @param {number} width @param {string} layout
   */
  tableFor(width, layout) {
    if (this.table && this.form === `${width} ${layout}`) return this.table;
    this.form = `${width} ${layout}`;
    this.table = matrixTable({
      caption: "The position vectors, in numbers",
      rows: ["", "", ""],
      columns: columnOrder(width, layout).map(columnName),
      tint: (value) => value,
    });
    this.numbers.replaceChildren(this.table.node);
    this.sheet.fill(width, layout);
    return this.table;
  }

  refresh() {
    const [p, k, width, layout] = ["position", "step", "d_model", "layout"].map((name) =>
      this.model.get(name),
    );
    this.position.set(p);
    this.step.set(k);
    this.width.set(WIDTHS.indexOf(width));
    this.layout.set(LAYOUTS.indexOf(layout));
    this.dials.forEach((dial, pair) => {
      dial.node.hidden = 2 * pair >= width;
      if (!dial.node.hidden) dial.update(p, k, width);
    });
    const order = columnOrder(width, layout);
    const rows = [
      positionRow(p, width),
      turned(positionRow(p, width), k),
      positionRow(p + k, width),
    ];
    const names = [`position ${p}`, `rotated by ${k}`, `position ${p + k}`];
    const { table, update } = this.tableFor(width, layout);
    update(rows.map((row) => order.map((column) => row[column])));
    names.forEach((name, r) => setText(table.rows[r + 1].cells[0], name));
    setText(
      this.legend,
      `Solid hands: position ${p}. Dashed hands: position ${p} + ${k} = ${p + k}.`,
    );
    this.sheet.mark(p, p + k);
    const product = this.hill.update(p, p + k, width);
    setText(
      this.heading,
      `Dot product of position ${p} with each position (dashed: width ${WIDE}, drawn as high)`,
    );
    const difference = Math.max(...rows[1].map((value, c) => Math.abs(value - rows[2][c])));
    this.summary.say(
      `Position ${p} rotated by ${k} is position ${p + k}: the largest difference is ` +
        `${fmt(difference)}. Their dot product is ${fmt(product)}, as for any two positions ` +
        `${k} apart.`,
    );
  }
}

/** Words that change places, and their results without positions and with them. */
class WordOrder {
  summary = status();
  /** The place of the word that waits to be swapped. @type {number | null} */
  chosen = null;

  /** @param {WidgetModel} model */
  constructor(model) {
    this.model = model;
    /** @type {[string, string][]} */
    this.words = model.get("words");
    this.chips = this.words.map((_, place) => {
      const word = el("span");
      const chip = button("", () => this.pick(place), { "aria-pressed": "false" });
      chip.append(el("span", { class: "aw-note" }, `${place} `), word);
      return { chip, word };
    });
    this.tables = ["Results without positions", "Results with positions"].map((caption) =>
      matrixTable({
        caption,
        rows: this.words.map(() => ""),
        columns: AXES,
        tint: (value) => value / 2,
      }),
    );
  }

  get node() {
    const label = "Choose two words to swap them";
    const sorted = this.words.map((_, i) => i);
    return el(
      "div",
      { class: "aw-po-words" },
      el("p", { class: "aw-title" }, "The same words in another order"),
      el(
        "div",
        { class: "aw-row", role: "group", "aria-label": label },
        ...this.chips.map(({ chip }) => chip),
      ),
      el(
        "div",
        { class: "aw-row" },
        button("Shuffle", () => this.reorder(shuffled(this.model.get("order")))),
        button("Put back", () => this.reorder(sorted)),
      ),
      this.summary.node,
      el("div", { class: "aw-po-tables" }, ...this.tables.map(({ node }) => node)),
    );
  }

  /** @param {number[]} order */
  reorder(order) {
    this.chosen = null;
    setTraits(this.model, { order });
    this.refresh(); // the order may be the one that was there
  }

  /** @param {number} place */
  pick(place) {
    if (this.chosen === null || this.chosen === place) {
      this.chosen = this.chosen === place ? null : place;
      this.refresh();
      return;
    }
    const order = [...this.model.get("order")];
    [order[this.chosen], order[place]] = [order[place], order[this.chosen]];
    this.reorder(order);
  }

  refresh() {
    const { words, chosen } = this;
    /** @type {number[]} */
    const order = this.model.get("order");
    const text = /** @param {number} place */ (place) => words[order[place]].join(" ");
    const distances = this.tables.map((table, n) => this.showResults(table, order, n === 1));
    this.chips.forEach(({ chip, word }, place) => {
      setText(word, text(place));
      chip.setAttribute("aria-pressed", String(place === chosen));
    });
    this.summary.say(
      chosen !== null
        ? `${text(chosen)} is chosen. Choose the word to swap it with.`
        : order.every((word, place) => word === place)
          ? "Choose two words to swap them."
          : `Without positions, no word’s result has moved by more than ${fmt(distances[0])}; ` +
            `with positions, one has moved by ${fmt(distances[1])}.`,
    );
  }

  /**
   * Returns how far a word's result has moved at most.
   * @param {MatrixTable} matrix @param {number[]} order @param {boolean} withPositions
   */
  showResults({ update, table }, order, withPositions) {
    const [x, wQ, wK, wV] = ["x", "w_q", "w_k", "w_v"].map((name) => this.model.get(name));
    const sorted = this.words.map((_, i) => i);
    const contexts = contextsInOrder(x, wQ, wK, wV, order, withPositions);
    const first = contextsInOrder(x, wQ, wK, wV, sorted, withPositions);
    const distances = movedBy(contexts, first, order);
    update(contexts.map((row, place) => [...row, distances[place]]));
    order.forEach((word, place) => setText(table.rows[place + 1].cells[0], this.words[word][1]));
    return Math.max(...distances);
  }
}

/** @param {Host} host */
function render({ model, el: host }) {
  const clocks = new Clocks(model);
  const words = new WordOrder(model);
  const root = frame(host, "Positions, as clock hands");
  root.append(...clocks.nodes, words.node);
  const stopClocks = followTraits(model, ["position", "step", "d_model", "layout"], () => {
    const hands = model.get("d_model") / 2;
    root.style.setProperty("--hands", String(hands));
    root.style.setProperty("--few", String(hands > 4 ? 3 : hands)); // in a row, where it is narrow
    clocks.refresh();
  });
  const stopWords = followTraits(model, ["order"], () => words.refresh());
  return () => {
    stopClocks();
    stopWords();
  };
}

/** Another order than the one given. @param {number[]} order */
function shuffled(order) {
  const next = [...order];
  do {
    for (let i = next.length - 1; i > 0; i -= 1) {
      const j = Math.floor(Math.random() * (i + 1));
      [next[i], next[j]] = [next[j], next[i]];
    }
  } while (next.every((word, place) => word === order[place]));
  return next;
}

export default { render };
