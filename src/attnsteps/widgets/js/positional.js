// Positions as clock hands, a step as a turn, dot products by distance, and words that change
// places.
import { setAttributes, setText, shape } from "./drawing.js";
import {
  columnOrder,
  contextsInOrder,
  dotsWith,
  handSpeed,
  movedBy,
  positionRow,
  turned,
} from "./maths/positional.js";
import { button, choice, el, fmt, frame, matrixTable, slider, status } from "./ui.js";

const LENGTH = 48;
const LAST_POSITION = 31;
const LAST_STEP = 16;
const WIDTHS = [4, 8, 12];
const LAYOUTS = ["interleaved", "concatenated"];
const BOX = { width: 336, left: 38, right: 6, top: 8, floor: 118, height: 140 };
const AXES = ["thing", "alive", "flat", "moved"];

const slot = (BOX.width - BOX.left - BOX.right) / LENGTH;
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
  const here = shape("rect", {
    class: "aw-po-here",
    width: slot,
    y: BOX.top,
    height: BOX.floor - BOX.top,
  });
  const there = shape("rect", {
    class: "aw-po-there",
    width: slot,
    y: BOX.top,
    height: BOX.floor - BOX.top,
  });
  return {
    nodes: [here, there],
    at(position, other) {
      here.setAttribute("x", across(position) - slot / 2);
      there.setAttribute("x", across(other) - slot / 2);
    },
  };
}

/** One dial for each pair of columns. */
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

/** Every position as a column of cells, tinted by sign and size. */
function sheet() {
  const mark = marks();
  const cells = shape("g", {});
  const node = shape(
    "svg",
    { viewBox: `0 0 ${BOX.width} ${BOX.height}`, role: "img" },
    cells,
    ...mark.nodes,
    ...positionAxis(),
  );
  const names = [
    shape("text", { x: BOX.left - 4, class: "aw-po-side" }),
    shape("text", { x: BOX.left - 4, class: "aw-po-side" }),
  ];
  node.append(...names);
  return {
    node,
    at: mark.at,
    fill(width, layout) {
      const tall = (BOX.floor - BOX.top) / width;
      const columns = columnOrder(width, layout);
      const rows = Array.from({ length: LENGTH }, (_, position) => positionRow(position, width));
      cells.replaceChildren(
        ...rows.flatMap((row, position) =>
          columns.map((column, place) =>
            shape("rect", {
              x: across(position) - slot / 2,
              y: BOX.top + place * tall,
              width: slot,
              height: tall,
              class: row[column] < 0 ? "aw-po-minus" : "aw-po-plus",
              "fill-opacity": Math.abs(row[column]).toFixed(3),
            }),
          ),
        ),
      );
      names.forEach((name, i) => {
        name.setAttribute("y", BOX.top + ((i ? width : 1) - 0.5) * tall + 4);
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
  const zero = shape("line", { x1: BOX.left, x2: BOX.width - BOX.right, class: "aw-po-zero" });
  const dots = [
    shape("circle", { r: 4, class: "aw-po-dot" }),
    shape("circle", { r: 4, class: "aw-po-dot aw-po-next" }),
  ];
  const sides = [0, 1].map(() => shape("text", { x: BOX.left - 4, class: "aw-po-side" }));
  const node = shape(
    "svg",
    { viewBox: `0 0 ${BOX.width} ${BOX.height}`, role: "img" },
    ...mark.nodes,
    zero,
    path,
    ...dots,
    ...sides,
    ...positionAxis(),
  );
  return {
    node,
    update(position, other, width) {
      const values = dotsWith(position, LENGTH, width);
      const [high, low] = [width / 2, -width / 4];
      const y = (value) => BOX.top + ((high - value) / (high - low)) * (BOX.floor - BOX.top);
      const points = Array.from(
        values,
        (value, j) => `${across(j).toFixed(1)} ${y(value).toFixed(1)}`,
      );
      path.setAttribute("d", `M${points.join("L")}`);
      setAttributes(zero, { y1: y(0), y2: y(0) });
      [position, other].forEach((j, i) =>
        setAttributes(dots[i], { cx: across(j), cy: y(values[j]) }),
      );
      mark.at(position, other);
      sides.forEach((side, i) => {
        side.setAttribute("y", y(i ? 0 : high) + 4);
        setText(side, fmt(i ? 0 : high, 0));
      });
      node.setAttribute(
        "aria-label",
        `Dot product of position ${position} with each position: ` +
          `${fmt(values[position])} with itself, ${fmt(values[other])} with position ${other}`,
      );
      return values[other];
    },
  };
}

function columnName(column) {
  return `${column % 2 ? "cos" : "sin"} ${Math.floor(column / 2)}`;
}

function render({ model, el: host }) {
  const root = frame(host, "Positions, as clock hands");
  const set = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };

  const position = slider({
    label: "Position p",
    min: 0,
    max: LAST_POSITION,
    step: 1,
    value: model.get("position"),
    oninput: (value) => set("position", value),
  });
  const step = slider({
    label: "Steps on, k",
    min: 0,
    max: LAST_STEP,
    step: 1,
    value: model.get("step"),
    oninput: (value) => set("step", value),
  });
  const width = choice({
    label: "Width",
    options: WIDTHS.map(String),
    selected: WIDTHS.indexOf(model.get("d_model")),
    onchange: (i) => set("d_model", WIDTHS[i]),
  });
  const layout = choice({
    label: "Columns",
    options: ["interleaved (paper)", "concatenated"],
    selected: LAYOUTS.indexOf(model.get("layout")),
    onchange: (i) => set("layout", LAYOUTS[i]),
  });
  const dials = Array.from({ length: WIDTHS.at(-1) / 2 }, (_, pair) => clock(pair));
  const key = el("p", { class: "aw-note" });
  const numbers = el("div", { class: "aw-po-numbers" });
  const [cells, curve] = [sheet(), hill()];
  const heading = el("p", { class: "aw-note" });
  const said = status();
  let table = null;

  const words = model.get("words");
  let chosen = null; // the place of the word that waits for its partner
  const chips = words.map((_, place) => {
    const word = el("span");
    const chip = button("", () => pick(place), { "aria-pressed": "false" });
    chip.append(el("span", { class: "aw-note" }, `${place} `), word);
    return { chip, word };
  });
  const told = status();
  const tables = ["Results without positions", "Results with positions"].map((caption) =>
    matrixTable({
      caption,
      rows: words.map(() => ""),
      columns: AXES,
      tint: (value) => value / 2,
    }),
  );
  const heads = tables.map(({ node }) => [...node.querySelectorAll("th[scope=row]")]);

  root.append(
    el("div", { class: "aw-po-knobs" }, position.node, step.node),
    el("div", { class: "aw-row aw-po-choices" }, width.node, layout.node),
    key,
    el("div", { class: "aw-po-clocks" }, ...dials.map(({ node }) => node)),
    numbers,
    said.node,
    el(
      "div",
      { class: "aw-po-pictures" },
      el(
        "div",
        {},
        el("p", { class: "aw-note" }, "Each position is a column of this table"),
        cells.node,
      ),
      el("div", {}, heading, curve.node),
    ),
    el(
      "div",
      { class: "aw-po-words" },
      el("p", { class: "aw-title" }, "The same words in another order"),
      el(
        "div",
        { class: "aw-row", role: "group", "aria-label": "Choose two words to swap them" },
        ...chips.map(({ chip }) => chip),
      ),
      el(
        "div",
        { class: "aw-row" },
        button("Shuffle", () => place_(shuffled(model.get("order")))),
        button("Put back", () => place_(words.map((_, i) => i))),
      ),
      told.node,
      el("div", { class: "aw-po-tables" }, ...tables.map(({ node }) => node)),
    ),
  );

  function place_(order) {
    chosen = null;
    set("order", order);
    paintWords();
  }

  function pick(place) {
    if (chosen === null || chosen === place) {
      chosen = chosen === place ? null : place;
      paintWords();
      return;
    }
    const order = [...model.get("order")];
    [order[chosen], order[place]] = [order[place], order[chosen]];
    place_(order);
  }

  function reshape() {
    const size = model.get("d_model");
    const columns = columnOrder(size, model.get("layout")).map(columnName);
    dials.forEach(({ node }, pair) => {
      node.hidden = 2 * pair >= size;
    });
    root.style.setProperty("--hands", size / 2);
    root.style.setProperty("--few", size / 2 > 4 ? 3 : size / 2); // in a row, where it is narrow
    table = matrixTable({
      caption: "The position vectors, in numbers",
      rows: ["", "", ""],
      columns,
      tint: (value) => value,
    });
    numbers.replaceChildren(table.node);
    cells.fill(size, model.get("layout"));
    paint();
  }

  function paint() {
    const [p, k, size] = ["position", "step", "d_model"].map((name) => model.get(name));
    dials.forEach((dial, pair) => {
      if (2 * pair < size) dial.update(p, k, size);
    });
    const order = columnOrder(size, model.get("layout"));
    const rows = [positionRow(p, size), turned(positionRow(p, size), k), positionRow(p + k, size)];
    table.update(rows.map((row) => order.map((column) => row[column])));
    const names = [`position ${p}`, `turned by ${k}`, `position ${p + k}`];
    table.node.querySelectorAll("th[scope=row]").forEach((head, i) => setText(head, names[i]));
    setText(key, `Solid hands: position ${p}. Dashed hands: position ${p} + ${k} = ${p + k}.`);
    cells.at(p, p + k);
    const product = curve.update(p, p + k, size);
    setText(heading, `Dot product of position ${p} with each position`);
    const off = Math.max(...rows[1].map((value, column) => Math.abs(value - rows[2][column])));
    said.say(
      `Position ${p} turned by ${k} is position ${p + k}: the largest difference is ${fmt(off)}. ` +
        `Their dot product is ${fmt(product)}, as for any two positions ${k} apart.`,
    );
  }

  function paintWords() {
    const order = model.get("order");
    const given = [model.get("x"), model.get("w_q"), model.get("w_k"), model.get("w_v")];
    const moved = tables.map((shown, withPositions) => {
      const now = contextsInOrder(...given, order, Boolean(withPositions));
      const first = contextsInOrder(
        ...given,
        words.map((_, i) => i),
        Boolean(withPositions),
      );
      const distances = movedBy(now, first, order);
      shown.update(now.map((row, place) => [...row, distances[place]]));
      heads[withPositions].forEach((head, place) => setText(head, words[order[place]][1]));
      return Math.max(...distances);
    });
    chips.forEach(({ chip, word }, place) => {
      setText(word, words[order[place]].join(" "));
      chip.setAttribute("aria-pressed", String(place === chosen));
    });
    if (chosen !== null)
      told.say(
        `${words[order[chosen]].join(" ")} is chosen. Choose the word that it changes places with.`,
      );
    else if (order.every((word, place) => word === place))
      told.say("Choose two words to swap them.");
    else {
      told.say(
        `Without positions no word’s result has moved by more than ${fmt(moved[0])}; ` +
          `with positions one has moved by ${fmt(moved[1])}.`,
      );
    }
  }

  const follow = {
    position: () => {
      position.set(model.get("position"));
      paint();
    },
    step: () => {
      step.set(model.get("step"));
      paint();
    },
    d_model: () => {
      width.set(WIDTHS.indexOf(model.get("d_model")));
      reshape();
    },
    layout: () => {
      layout.set(LAYOUTS.indexOf(model.get("layout")));
      reshape();
    },
    order: () => paintWords(),
  };
  const listeners = Object.entries(follow).map(([name, listener]) => [`change:${name}`, listener]);
  for (const [type, listener] of listeners) model.on(type, listener);
  reshape();
  paintWords();
  return () => {
    for (const [type, listener] of listeners) model.off(type, listener);
  };
}

/** Another order than the one given. */
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
