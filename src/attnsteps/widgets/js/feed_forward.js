// Two inputs, up to three hidden units, one output: where each unit switches on, and what comes
// out.
import { setText, shape } from "./drawing.js";
import { hiddenUnits, switchLine } from "./maths/hidden_units.js";
import { button, checkbox, choice, el, fmt, frame, slider, status } from "./ui.js";

const LOW = -0.5;
const HIGH = 1.5;
const CELLS = 20; // the square is painted in CELLS × CELLS patches
const SIZE = 300;
const CORNERS = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
];
const GOALS = {
  and: { name: "both: alive and describes", wanted: [0, 0, 0, 1] },
  xor: { name: "one of them, not both", wanted: [0, 1, 1, 0] },
};

const place = (value) => ((value - LOW) / (HIGH - LOW)) * SIZE;

/** The square of all inputs: patches tinted by the output, a line for each unit, the corners. */
function plane(unitCount, onpick) {
  const step = SIZE / CELLS;
  const patches = Array.from({ length: CELLS * CELLS }, (_, i) =>
    shape("rect", {
      x: (i % CELLS) * step,
      y: SIZE - (Math.floor(i / CELLS) + 1) * step,
      width: step + 0.3,
      height: step + 0.3,
    }),
  );
  const lines = Array.from({ length: unitCount }, () => shape("line", { class: "aw-ff-line" }));
  const names = Array.from({ length: unitCount }, (_, u) =>
    shape("text", { class: "aw-ff-name" }, String(u + 1)),
  );
  const corners = CORNERS.map(([x, y]) => ({
    circle: shape("circle", { cx: place(x), cy: SIZE - place(y), r: 19, class: "aw-ff-corner" }),
    text: shape("text", { x: place(x), y: SIZE - place(y) + 5, class: "aw-ff-value" }),
  }));
  const here = shape("path", { class: "aw-ff-here" });
  const node = shape(
    "svg",
    { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", class: "aw-ff-plane" },
    ...patches,
    ...lines,
    ...names,
    ...corners.flatMap(({ circle, text }) => [circle, text]),
    here,
  );
  node.addEventListener("click", (event) => {
    const box = node.getBoundingClientRect();
    const at = (share) => Math.round((LOW + share * (HIGH - LOW)) * 20) / 20;
    onpick([
      at((event.clientX - box.left) / box.width),
      at(1 - (event.clientY - box.top) / box.height),
    ]);
  });
  return {
    node,
    update({ x, units, bias, relu, picked, wanted }) {
      patches.forEach((patch, i) => {
        const at = [
          LOW + ((i % CELLS) + 0.5) * ((HIGH - LOW) / CELLS),
          LOW + (Math.floor(i / CELLS) + 0.5) * ((HIGH - LOW) / CELLS),
        ];
        const { output } = hiddenUnits(at, units, bias, relu);
        patch.setAttribute("class", output < 0 ? "aw-ff-below" : "aw-ff-above");
        patch.setAttribute("fill-opacity", (0.55 * Math.min(1, Math.abs(output))).toFixed(3));
      });
      units.forEach((unit, u) => {
        const ends = switchLine(unit, LOW, HIGH);
        lines[u].setAttribute("display", ends ? "inline" : "none");
        names[u].setAttribute("display", ends ? "inline" : "none");
        lines[u].classList.toggle("aw-ff-picked", u === picked);
        if (!ends) return;
        const [[x1, y1], [x2, y2]] = ends;
        lines[u].setAttribute("x1", place(x1));
        lines[u].setAttribute("y1", SIZE - place(y1));
        lines[u].setAttribute("x2", place(x2));
        lines[u].setAttribute("y2", SIZE - place(y2));
        // The number stands on the side where the unit is on.
        const length = Math.hypot(...unit.weights) || 1;
        const along = 0.3 + 0.2 * u;
        const mid = [x1 + along * (x2 - x1), y1 + along * (y2 - y1)];
        const clamp = (value) => Math.min(SIZE - 10, Math.max(10, value));
        names[u].setAttribute("x", clamp(place(mid[0]) + (14 * unit.weights[0]) / length));
        names[u].setAttribute(
          "y",
          clamp(SIZE - place(mid[1]) - (14 * unit.weights[1]) / length) + 5,
        );
      });
      const outputs = CORNERS.map((corner) => hiddenUnits(corner, units, bias, relu).output);
      corners.forEach(({ circle, text }, i) => {
        const right = Math.abs(outputs[i] - wanted[i]) < 0.05;
        circle.classList.toggle("aw-ff-right", right);
        setText(text, fmt(outputs[i], Math.abs(outputs[i]) < 9.95 ? 1 : 0));
      });
      const [cx, cy] = [place(x[0]), SIZE - place(x[1])];
      here.setAttribute("d", `M${cx - 32} ${cy}h10m44 0h10M${cx} ${cy - 32}v10m0 44v10`);
      node.setAttribute(
        "aria-label",
        "Output over all inputs, alive to the right, describes upwards. " +
          CORNERS.map(
            ([a, b], i) => `At ${a}, ${b} it is ${fmt(outputs[i], 2)}, wanted ${wanted[i]}.`,
          ).join(" "),
      );
      return outputs;
    },
  };
}

function render({ model, el: host }) {
  const root = frame(host, "Hidden units, on and off");
  const count = model.get("units").length;
  let picked = 0;

  function set(name, value) {
    model.set(name, value);
    model.save_changes();
  }
  function change(part, value) {
    set(
      "units",
      model
        .get("units")
        .map((unit, u) => (u === picked ? { ...unit, ...part(unit, value) } : unit)),
    );
  }
  const view = plane(count, (x) => set("x", x));
  const range = { min: -3, max: 3, step: 0.5, format: (value) => fmt(value, 1) };
  const inputs = ["alive", "describes"].map((name, i) =>
    slider({
      label: name,
      min: LOW,
      max: HIGH,
      step: 0.05,
      value: model.get("x")[i],
      format: (value) => fmt(value, 2),
      oninput: (value) =>
        set(
          "x",
          model.get("x").map((old, j) => (j === i ? value : old)),
        ),
    }),
  );
  const unitChoice = choice({
    label: "Unit to turn",
    options: Array.from({ length: count }, (_, u) => String(u + 1)),
    selected: 0,
    onchange: (u) => {
      picked = u;
      paint();
    },
  });
  const knobs = [
    [
      "weight of alive",
      (unit) => unit.weights[0],
      (unit, value) => ({ weights: [value, unit.weights[1]] }),
    ],
    [
      "weight of describes",
      (unit) => unit.weights[1],
      (unit, value) => ({ weights: [unit.weights[0], value] }),
    ],
    ["its bias", (unit) => unit.bias, (_, value) => ({ bias: value })],
    ["its output weight", (unit) => unit.out, (_, value) => ({ out: value })],
  ].map(([label, get, part]) => ({
    get,
    control: slider({ label, ...range, value: 0, oninput: (value) => change(part, value) }),
  }));
  const outputBias = slider({
    label: "output bias",
    ...range,
    value: 0,
    oninput: (value) => set("bias", value),
  });
  const relu = checkbox({
    label: "ReLU",
    checked: model.get("relu"),
    onchange: (on) => set("relu", on),
  });
  const goals = Object.keys(GOALS);
  const goal = choice({
    label: "Make the four corners say",
    options: goals.map((name) => GOALS[name].name),
    selected: goals.indexOf(model.get("goal")),
    onchange: (i) => set("goal", goals[i]),
  });
  const preset = (units, bias) => () => {
    model.set("units", units.slice(0, count));
    model.set("bias", bias);
    model.save_changes();
  };
  const off = { weights: [0, 0], bias: 0, out: 0 };
  const buttons = el(
    "div",
    { class: "aw-row" },
    button("All units to 0", preset([off, off, off], 0)),
    button("Show “both”", preset([{ weights: [1, 1], bias: -1, out: 1 }, off, off], 0)),
    button(
      "Show “one, not both”",
      preset(
        [{ weights: [1, 1], bias: 0, out: 1 }, { weights: [1, 1], bias: -1, out: -2 }, off],
        0,
      ),
      { disabled: count < 2 },
    ),
  );
  const rows = Array.from({ length: count }, (_, u) => {
    const cells = Array.from({ length: 4 }, () => el("td", {}));
    return { cells, node: el("tr", {}, el("th", { scope: "row" }, `unit ${u + 1}`), ...cells) };
  });
  const total = el("td", {});
  const totalFormula = el("th", { scope: "row", colspan: 4 });
  const table = el(
    "div",
    { class: "aw-scroll", role: "group", tabindex: 0, "aria-label": "Every unit at this input" },
    el(
      "table",
      { class: "aw-matrix aw-ff-table" },
      el("caption", {}, "At the four ticks"),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td", {}),
          ...["sum", "", "after", "adds"].map((name) =>
            el("th", { scope: "col" }, name || "switch"),
          ),
        ),
      ),
      el("tbody", {}, ...rows.map(({ node }) => node)),
      el("tfoot", {}, el("tr", {}, totalFormula, total)),
    ),
  );
  const said = status();
  root.append(
    goal.node,
    el(
      "div",
      { class: "aw-ff-body" },
      el(
        "div",
        {},
        el(
          "div",
          { class: "aw-ff-frame" },
          el("span", { class: "aw-ff-up" }, "describes →"),
          view.node,
          el("span", { class: "aw-ff-right-name" }, "alive →"),
        ),
        ...inputs.map(({ node }) => node),
      ),
      el(
        "div",
        {},
        el("div", { class: "aw-row" }, unitChoice.node, relu.node),
        ...knobs.map(({ control }) => control.node),
        outputBias.node,
        table,
      ),
    ),
    said.node,
    buttons,
    el(
      "p",
      { class: "aw-note" },
      "Tint: the output, full at 1; the other hue is negative. Dashed line: where a unit " +
        "switches; its number stands on the side where it is on. A bold ring: this " +
        "corner is right.",
    ),
  );

  function paint() {
    const state = {
      x: model.get("x"),
      units: model.get("units"),
      bias: model.get("bias"),
      relu: model.get("relu"),
      picked,
      wanted: GOALS[model.get("goal")].wanted,
    };
    const outputs = view.update(state);
    const { units, output } = hiddenUnits(state.x, state.units, state.bias, state.relu);
    units.forEach(({ sum, hidden, adds }, u) => {
      const on = sum > 0;
      [fmt(sum), state.relu ? (on ? "on" : "off") : "none", fmt(hidden), fmt(adds)].forEach(
        (text, c) => setText(rows[u].cells[c], text),
      );
      rows[u].node.classList.toggle("aw-ff-off", state.relu && !on);
    });
    setText(totalFormula, `output, with ${fmt(state.bias, 1)} of its bias`);
    setText(total, fmt(output));
    knobs.forEach(({ get, control }) => control.set(get(state.units[picked])));
    outputBias.set(state.bias);
    inputs.forEach(({ set: move }, i) => move(state.x[i]));
    relu.input.checked = state.relu;
    goal.set(goals.indexOf(model.get("goal")));
    unitChoice.set(picked);
    const right = outputs.filter((value, i) => Math.abs(value - state.wanted[i]) < 0.05).length;
    said.say(
      right === 4
        ? "All four corners are right."
        : `${right} of 4 corners ${right === 1 ? "is" : "are"} right.`,
    );
  }
  const names = ["x", "units", "bias", "relu", "goal"].map((name) => `change:${name}`);
  for (const name of names) model.on(name, paint);
  paint();
  return () => {
    for (const name of names) model.off(name, paint);
  };
}

export default { render };
