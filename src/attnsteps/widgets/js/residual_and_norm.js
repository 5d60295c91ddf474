// Vectors go up through a stack of random layers, a gradient comes down: how large are they?
import { setText, shape } from "./drawing.js";
import { normals } from "./maths/random.js";
import { ARRANGEMENTS, stackSizes } from "./maths/residual_and_norm.js";
import { button, el, fmt, frame, slider, status, uid } from "./ui.js";

const WORDS = 8;
const WIDTH = 32;
const MOST_LAYERS = 48;
const NAMES = {
  neither: ["neither", "f(x)"],
  residual: ["residual only", "x + f(x)"],
  norm: ["norm only", "norm(f(x))"],
  post: ["post-norm", "norm(x + f(x))"],
  pre: ["pre-norm", "x + f(norm(x))"],
  pre_final: ["pre-norm, final norm", ""],
};
const DECADES = 6; // the axis runs from 10⁻⁶ to 10⁶
const BOX = { width: 480, height: 230, left: 46, right: 12, top: 8, floor: 188 };
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function raised(power) {
  return (
    (power < 0 ? "⁻" : "") + Array.from(String(Math.abs(power)), (digit) => RAISED[digit]).join("")
  );
}

/** Two decimals where they say something, else as in 2.4·10⁻⁷. */
function brief(value) {
  if (value >= 0.01 && value < 1000) return fmt(value, 2);
  const [digits, power] = value.toExponential(1).split("e");
  return `${digits}·10${raised(Number(power))}`;
}

/** Both sizes, layer by layer, over a logarithmic axis that never changes. */
function chart() {
  const { width, height, left, right, top, floor } = BOX;
  const y = (value) => {
    const share = (Math.log10(value) + DECADES) / (2 * DECADES);
    return floor - Math.min(1, Math.max(0, share)) * (floor - top);
  };
  const rules = [-6, -3, 0, 3, 6].flatMap((power) => [
    shape("line", {
      x1: left,
      x2: width - right,
      y1: y(10 ** power),
      y2: y(10 ** power),
      class: power ? "aw-rn-rule" : "aw-rn-rule aw-rn-one",
    }),
    shape(
      "text",
      { x: left - 8, y: y(10 ** power) + 5, class: "aw-rn-tick aw-rn-side" },
      power ? `10${raised(power)}` : "1",
    ),
  ]);
  const ticks = Array.from({ length: 5 }, () =>
    shape("text", { y: floor + 19, class: "aw-rn-tick" }),
  );
  const lines = ["aw-rn-up", "aw-rn-down"].map((name) => shape("path", { class: name }));
  const top_ = shape("circle", { r: 5, class: "aw-rn-top" });
  const bottom = shape("rect", { width: 10, height: 10, class: "aw-rn-bottom" });
  const node = shape(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img" },
    ...rules,
    ...ticks,
    shape("text", { x: (left + width - right) / 2, y: height - 3, class: "aw-rn-tick" }, "layer"),
    ...lines,
    top_,
    bottom,
  );
  return {
    node,
    update({ sizes, gradients }, depth, name) {
      const last = sizes.length - 1;
      const x = (layer) => left + 8 + (layer / last) * (width - left - right - 16);
      [sizes, gradients].forEach((values, i) => {
        lines[i].setAttribute(
          "d",
          Array.from(
            values,
            (value, layer) => `${layer ? "L" : "M"}${x(layer).toFixed(1)} ${y(value).toFixed(1)}`,
          ).join(""),
        );
      });
      top_.setAttribute("cx", x(last));
      top_.setAttribute("cy", y(sizes[last]));
      bottom.setAttribute("x", x(0) - 5);
      bottom.setAttribute("y", y(gradients[0]) - 5);
      const stops = [...new Set([0, 1, 2, 3, 4].map((i) => Math.round((i * depth) / 4)))];
      ticks.forEach((tick, i) => {
        tick.setAttribute("display", i < stops.length ? "inline" : "none");
        if (i >= stops.length) return;
        tick.setAttribute("x", x(stops[i]));
        setText(tick, String(stops[i]));
      });
      const texts = stops.map(
        (layer) => `Layer ${layer}: x ${brief(sizes[layer])}, gradient ${brief(gradients[layer])}`,
      );
      node.setAttribute("aria-label", `${name}. ${texts.join(". ")}.`);
    },
  };
}

/** One row for each arrangement: a radio button, and what comes of it. */
function chooser(onchange) {
  const name = uid();
  const rows = ARRANGEMENTS.map((key, index) => {
    const id = uid();
    const input = el("input", { type: "radio", id, name, onchange: () => onchange(key) });
    const cells = [0, 1, 2].map(() => el("span", { class: "aw-cell" }));
    const label = el(
      "label",
      { for: id },
      el("span", { class: "aw-rn-name" }, NAMES[key][0]),
      " ",
      el("span", { class: "aw-rn-formula" }, NAMES[key][1]),
    );
    const node = el(
      "tr",
      { role: "row" },
      el(
        "th",
        { scope: "row", role: "rowheader" },
        el("span", { class: "aw-option" }, input, label),
      ),
      ...cells.map((cell) => el("td", { role: "cell" }, cell)),
    );
    return { key, index, input, cells, node };
  });
  // The roles keep it a table where a narrow screen lays its rows out as grids.
  const table = el(
    "table",
    { class: "aw-matrix", role: "table" },
    el(
      "thead",
      { role: "rowgroup" },
      el(
        "tr",
        { role: "row" },
        el("td", { class: "aw-corner", role: "cell" }),
        ...["size of x at the top", "likeness of the words there", "gradient back at layer 0"].map(
          (text) => el("th", { scope: "col", role: "columnheader" }, text),
        ),
      ),
    ),
    el("tbody", { role: "rowgroup" }, ...rows.map((row) => row.node)),
  );
  return {
    node: el(
      "fieldset",
      { class: "aw-rn-table" },
      el("legend", {}, "How each layer is put together"),
      table,
    ),
    update(found, chosen) {
      rows.forEach(({ key, input, cells, node }, r) => {
        input.checked = key === chosen;
        node.classList.toggle("aw-rn-chosen", key === chosen);
        const { sizes, gradients, alike } = found[r];
        setText(cells[0], brief(sizes.at(-1)));
        setText(cells[1], fmt(alike, 2));
        setText(cells[2], brief(gradients[0]));
      });
    },
  };
}

function render({ model, el: host }) {
  const root = frame(host, "Up through a stack, and back down");
  let draws = null;
  let drawn = null;

  function set(name, value) {
    model.set(name, value);
    model.save_changes();
  }
  const depth = slider({
    label: "Layers",
    min: 1,
    max: MOST_LAYERS,
    step: 1,
    value: model.get("depth"),
    oninput: (count) => set("depth", count),
  });
  const strength = slider({
    label: "Size of f(x)",
    min: 0.25,
    max: 2,
    step: 0.05,
    value: model.get("strength"),
    format: (value) => fmt(value, 2),
    oninput: (value) => set("strength", value),
  });
  const again = button("Draw again", () => set("seed", (model.get("seed") + 1) % 2 ** 31));
  const rows = chooser((key) => set("arrangement", key));
  const profile = chart();
  const said = status();
  root.append(
    el("div", { class: "aw-rn-controls" }, depth.node, strength.node, again),
    rows.node,
    el(
      "p",
      { class: "aw-rn-legend" },
      el("span", {}, el("span", { class: "aw-rn-key" }), "size of x, going up →"),
      el("span", {}, el("span", { class: "aw-rn-key aw-rn-dashed" }), "← gradient, going down"),
    ),
    profile.node,
    said.node,
    el(
      "p",
      { class: "aw-note" },
      `${WORDS} random vectors of width ${WIDTH}; f(x) is relu(x) times a ` +
        "random matrix, another one in each layer. Sizes are roots of mean squares; " +
        "likeness is the mean cosine " +
        "of two words, 1 when all point the same way.",
    ),
  );

  function paint() {
    const count = WORDS * WIDTH;
    if (drawn !== model.get("seed")) {
      drawn = model.get("seed");
      draws = normals(drawn, 2 * count + MOST_LAYERS * WIDTH * WIDTH);
    }
    const layers = model.get("depth");
    const chosen = model.get("arrangement");
    const found = ARRANGEMENTS.map((key) =>
      stackSizes(
        draws.subarray(0, count),
        draws.subarray(count, 2 * count),
        draws.subarray(2 * count),
        WIDTH,
        layers,
        model.get("strength"),
        key,
      ),
    );
    rows.update(found, chosen);
    const shown = found[ARRANGEMENTS.indexOf(chosen)];
    const [name] = NAMES[chosen];
    profile.update(shown, layers, name);
    const beyond = [...shown.sizes, ...shown.gradients].some(
      (value) => Math.abs(Math.log10(value)) > DECADES,
    );
    said.say(
      `${name}, ${layers} ${layers === 1 ? "layer" : "layers"}: x comes out at size ` +
        `${brief(shown.sizes.at(-1))}, and the gradient reaches layer 0 at ` +
        `${brief(shown.gradients[0])} times its size at the ` +
        `top.${beyond ? " The picture ends at 10⁶ and 10⁻⁶." : ""}`,
    );
  }
  const follow = {
    depth: () => depth.set(model.get("depth")),
    strength: () => strength.set(model.get("strength")),
    arrangement: () => {},
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
  paint();
  return () => {
    for (const [type, listener] of listeners) model.off(type, listener);
  };
}

export default { render };
