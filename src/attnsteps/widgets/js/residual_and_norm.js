// Vectors go up through a stack of random layers, a gradient comes down: how large are they?
import { setAttributes, setText, shape } from "./drawing.js";
import { normals } from "./maths/random.js";
import { ARRANGEMENTS, stackSizes } from "./maths/residual_and_norm.js";
import { followTraits, setTraits } from "./traits.js";
import { button, el, fmt, frame, powerOfTen, scientific, slider, status, uid } from "./ui.js";

const TRAITS = ["seed", "depth", "strength", "arrangement"];
const WORDS = 8;
const WIDTH = 32;
const MOST_LAYERS = 48;
/** @type {Record<string, [string, string]>} */
const NAMES = {
  neither: ["neither", "f(x)"],
  residual: ["residual only", "x + f(x)"],
  norm: ["norm only", "norm(f(x))"],
  post: ["post-norm", "norm(x + f(x))"],
  pre: ["pre-norm", "x + f(norm(x))"],
  pre_final: ["pre-norm, final norm", ""],
};
const COLUMNS = ["size of x at the top", "likeness of the words there", "gradient at layer 0"];
const DECADES = 6; // the axis runs from 10⁻⁶ to 10⁶
const BOX = { width: 480, height: 238, left: 60, right: 12, top: 18, floor: 188 };
const NOTE =
  `${WORDS} random vectors of width ${WIDTH}; f(x) is relu(x) times a random matrix, a different ` +
  "one in each layer. Sizes are root mean squares; likeness is the mean cosine similarity of " +
  "two words, 1 when all point the same way.";

/** @typedef {ReturnType<typeof stackSizes>} Profile */

/** Two decimals where they say something, else as in 2.4·10⁻⁷. @param {number} value */
function brief(value) {
  return value >= 0.01 && value < 1000 ? fmt(value, 2) : scientific(value);
}

/** @param {number} value */
function heightOf(value) {
  const share = (Math.log10(value) + DECADES) / (2 * DECADES);
  return BOX.floor - Math.min(1, Math.max(0, share)) * (BOX.floor - BOX.top);
}

/** The rules of the logarithmic axis, with their names. */
function axis() {
  const { width, left, right } = BOX;
  return [-6, -3, 0, 3, 6].flatMap((power) => {
    const y = heightOf(10 ** power);
    const rule = power ? "aw-rn-rule" : "aw-rn-rule aw-rn-one";
    const name = { x: left - 8, y: y + 5, class: "aw-rn-tick aw-rn-side" };
    return [
      shape("line", { x1: left, x2: width - right, y1: y, y2: y, class: rule }),
      shape("text", name, power ? powerOfTen(power) : "1"),
    ];
  });
}

/** Both sizes, layer by layer, over an axis that never changes. */
function chart() {
  const { width, height, left, right, floor } = BOX;
  const ticks = Array.from({ length: 5 }, () =>
    shape("text", { y: floor + 19, class: "aw-rn-tick" }),
  );
  const lines = ["aw-rn-up", "aw-rn-down"].map((name) => shape("path", { class: name }));
  const lastSize = shape("circle", { r: 5, class: "aw-rn-top" });
  const firstGradient = shape("rect", { width: 10, height: 10, class: "aw-rn-bottom" });
  const axisName = { x: (left + width - right) / 2, y: height - 5, class: "aw-rn-tick" };
  const node = shape(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img" },
    ...axis(),
    ...ticks,
    shape("text", axisName, "layer"),
    ...lines,
    lastSize,
    firstGradient,
  );
  return {
    node,
    /** @param {Profile} profile @param {number} depth @param {string} name */
    update({ sizes, gradients }, depth, name) {
      const last = sizes.length - 1;
      /** @param {number} layer */
      const x = (layer) => left + 8 + (layer / last) * (width - left - right - 16);
      [sizes, gradients].forEach((values, i) => {
        const points = Array.from(
          values,
          (value, layer) => `${x(layer).toFixed(1)} ${heightOf(value).toFixed(1)}`,
        );
        lines[i].setAttribute("d", `M${points.join("L")}`);
      });
      setAttributes(lastSize, { cx: x(last), cy: heightOf(sizes[last]) });
      setAttributes(firstGradient, { x: x(0) - 5, y: heightOf(gradients[0]) - 5 });
      const stops = [...new Set([0, 1, 2, 3, 4].map((i) => Math.round((i * depth) / 4)))];
      ticks.forEach((tick, i) => {
        tick.setAttribute("display", i < stops.length ? "inline" : "none");
        if (i >= stops.length) return;
        setAttributes(tick, { x: x(stops[i]) });
        setText(tick, String(stops[i]));
      });
      const texts = stops.map(
        (layer) => `Layer ${layer}: x ${brief(sizes[layer])}, gradient ${brief(gradients[layer])}`,
      );
      node.setAttribute("aria-label", `${name}. ${texts.join(". ")}.`);
    },
  };
}

/**
 * An arrangement of the layers: a radio button, and what comes of it.
 * @param {string} key
 * @param {string} group of the radio buttons
 * @param {() => void} onchange
 */
function arrangementRow(key, group, onchange) {
  const id = uid();
  const input = el("input", { type: "radio", id, name: group, onchange });
  const cells = COLUMNS.map(() => el("span", { class: "aw-cell" }));
  const [name, formula] = NAMES[key];
  const label = el(
    "label",
    { for: id },
    el("span", { class: "aw-rn-name" }, name),
    " ",
    el("span", { class: "aw-rn-formula" }, formula),
  );
  const option = el("span", { class: "aw-option" }, input, label);
  const node = el(
    "tr",
    { role: "row" },
    el("th", { scope: "row", role: "rowheader" }, option),
    ...cells.map((cell) => el("td", { role: "cell" }, cell)),
  );
  return {
    node,
    /** @param {Profile} profile @param {boolean} isChosen */
    update({ sizes, gradients, alike }, isChosen) {
      input.checked = isChosen;
      node.classList.toggle("aw-rn-chosen", isChosen);
      const texts = [brief(sizes[sizes.length - 1]), fmt(alike, 2), brief(gradients[0])];
      texts.forEach((text, c) => setText(cells[c], text));
    },
  };
}

/**
 * All arrangements, to choose one of. The roles keep it a table where a narrow screen lays its rows
 * out as grids.
 * @param {(key: string) => void} onchange
 */
function chooser(onchange) {
  const group = uid();
  const rows = ARRANGEMENTS.map((key) => arrangementRow(key, group, () => onchange(key)));
  const heads = COLUMNS.map((text) => el("th", { scope: "col", role: "columnheader" }, text));
  const corner = el("td", { class: "aw-corner", role: "cell" });
  const table = el(
    "table",
    { class: "aw-matrix", role: "table" },
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, corner, ...heads)),
    el("tbody", { role: "rowgroup" }, ...rows.map(({ node }) => node)),
  );
  const legend = el("legend", {}, "How each layer is built");
  return {
    node: el("fieldset", { class: "aw-rn-table" }, legend, table),
    /** @param {Profile[]} profiles @param {string} chosen */
    update(profiles, chosen) {
      rows.forEach((row, r) => row.update(profiles[r], ARRANGEMENTS[r] === chosen));
    },
  };
}

/** The profile of each arrangement; random numbers are drawn once for each seed. */
function profiler() {
  const count = WORDS * WIDTH;
  /** @type {number | null} */
  let drawnSeed = null;
  let draws = new Float64Array();
  /** @param {number} seed @param {number} depth @param {number} strength */
  return (seed, depth, strength) => {
    if (drawnSeed !== seed) draws = normals(seed, 2 * count + MOST_LAYERS * WIDTH * WIDTH);
    drawnSeed = seed;
    const [x, gradient] = [draws.subarray(0, count), draws.subarray(count, 2 * count)];
    const weights = draws.subarray(2 * count);
    return ARRANGEMENTS.map((key) => stackSizes(x, gradient, weights, WIDTH, depth, strength, key));
  };
}

/** @param {Profile} profile @param {number} depth @param {string} name */
function describeProfile({ sizes, gradients }, depth, name) {
  const isBeyond = [...sizes, ...gradients].some((size) => Math.abs(Math.log10(size)) > DECADES);
  return (
    `${name}, ${depth} ${depth === 1 ? "layer" : "layers"}: x comes out at size ` +
    `${brief(sizes[sizes.length - 1])}, and the gradient reaches layer 0 at ` +
    `${brief(gradients[0])} times its size at the top.` +
    (isBeyond ? " The picture ends at 10⁶ and 10⁻⁶." : "")
  );
}

/** @param {Host} host */
function render({ model, el: host }) {
  const depth = slider({
    label: "Layers",
    min: 1,
    max: MOST_LAYERS,
    step: 1,
    value: model.get("depth"),
    oninput: (count) => setTraits(model, { depth: count }),
  });
  const strength = slider({
    label: "Size of f(x)",
    min: 0.25,
    max: 2,
    step: 0.05,
    value: model.get("strength"),
    format: (value) => fmt(value, 2),
    oninput: (value) => setTraits(model, { strength: value }),
  });
  const again = button("Draw again", () =>
    setTraits(model, { seed: (model.get("seed") + 1) % 2 ** 31 }),
  );
  const rows = chooser((arrangement) => setTraits(model, { arrangement }));
  const picture = chart();
  const summary = status();
  const profilesOf = profiler();
  const key = /** @param {string} dashed */ (dashed) =>
    el("span", { class: `aw-rn-key ${dashed}` });
  frame(host, "Up through a stack, and back down").append(
    el("div", { class: "aw-rn-controls" }, depth.node, strength.node, again),
    rows.node,
    el(
      "p",
      { class: "aw-rn-legend" },
      el("span", {}, key(""), "size of x, going up →"),
      el("span", {}, key("aw-rn-dashed"), "← gradient, going down"),
    ),
    picture.node,
    summary.node,
    el("p", { class: "aw-note" }, NOTE),
  );
  return followTraits(model, TRAITS, () => {
    const [seed, layers, size, arrangement] = TRAITS.map((trait) => model.get(trait));
    const profiles = profilesOf(seed, layers, size);
    const profile = profiles[ARRANGEMENTS.indexOf(arrangement)];
    const [name] = NAMES[arrangement];
    depth.set(layers);
    strength.set(size);
    rows.update(profiles, arrangement);
    picture.update(profile, layers, name);
    summary.say(describeProfile(profile, layers, name));
  });
}

export default { render };
