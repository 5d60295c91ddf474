// Two inputs, up to three hidden units, one output: where each unit switches on.
import { setAttributes, setText, shape } from "./drawing.js";
import { hiddenUnits, switchLine } from "./maths/hidden_units.js";
import { scrollBox, tableHead, tableRow } from "./tables.js";
import { followTraits, setTraits } from "./traits.js";
import { button, checkbox, choice, el, fmt, frame, slider, status } from "./ui.js";

const TRAITS = ["x", "units", "bias", "relu", "goal"];
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
const GOALS = [
  { key: "and", name: "both", wanted: [0, 0, 0, 1] },
  { key: "xor", name: "one of them, not both", wanted: [0, 1, 1, 0] },
];
const OFF = { weights: [0, 0], bias: 0, out: 0 };
const BOTH = [{ weights: [1, 1], bias: -1, out: 1 }, OFF, OFF];
const ONE = [{ weights: [1, 1], bias: 0, out: 1 }, { weights: [1, 1], bias: -1, out: -2 }, OFF];
/**
 * What can be changed of a unit: its name, its value, and the unit with another value.
 * @type {[string, (unit: HiddenUnit) => number, (unit: HiddenUnit, value: number) => HiddenUnit][]}
 */
const KNOBS = [
  [
    "weight of x₁",
    ({ weights }) => weights[0],
    (unit, value) => ({ ...unit, weights: [value, unit.weights[1]] }),
  ],
  [
    "weight of x₂",
    ({ weights }) => weights[1],
    (unit, value) => ({ ...unit, weights: [unit.weights[0], value] }),
  ],
  ["bias", ({ bias }) => bias, (unit, bias) => ({ ...unit, bias })],
  ["output weight", ({ out }) => out, (unit, out) => ({ ...unit, out })],
];
/** Of a knob. */
const RANGE = {
  min: -3,
  max: 3,
  step: 0.5,
  value: 0,
  format: /** @param {number} value */ (value) => fmt(value, 1),
};
const NOTE =
  "Colour: the output, blue above 0, orange below, strongest at 1 and −1. Dashed line: where a " +
  "unit switches; its number is on the side where the unit is on. Bold ring: this corner is right.";

/**
 * @typedef {{x: number[], units: HiddenUnit[], bias: number, relu: boolean, goal: string}} Network
 */

/** @param {number} value */
const across = (value) => ((value - LOW) / (HIGH - LOW)) * SIZE;
/** @param {number} value */
const down = (value) => SIZE - across(value);
/** @type {(output: number, wanted: number) => boolean} */
const isRight = (output, wanted) => Math.abs(output - wanted) < 0.05;

/** The square of all inputs: patches tinted by the output, a line for each unit, the corners. */
class Plane {
  /** @param {number} unitCount @param {(x: number[]) => void} onpick */
  constructor(unitCount, onpick) {
    const step = SIZE / CELLS;
    this.patches = Array.from({ length: CELLS * CELLS }, (_, i) => {
      const y = SIZE - (Math.floor(i / CELLS) + 1) * step;
      return shape("rect", { x: (i % CELLS) * step, y, width: step + 0.3, height: step + 0.3 });
    });
    this.units = Array.from({ length: unitCount }, (_, u) => ({
      line: shape("line", { class: "aw-ff-line" }),
      name: shape("text", { class: "aw-ff-name" }, String(u + 1)),
    }));
    this.corners = CORNERS.map(([x, y]) => ({
      circle: shape("circle", { cx: across(x), cy: down(y), r: 19, class: "aw-ff-corner" }),
      text: shape("text", { x: across(x), y: down(y) + 5, class: "aw-ff-value" }),
    }));
    this.here = shape("path", { class: "aw-ff-here" });
    this.node = shape(
      "svg",
      { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", class: "aw-ff-plane" },
      ...this.patches,
      ...this.units.map(({ line }) => line),
      ...this.units.map(({ name }) => name),
      ...this.corners.flatMap(({ circle, text }) => [circle, text]),
      this.here,
    );
    this.node.addEventListener("click", ({ clientX, clientY }) => {
      const box = this.node.getBoundingClientRect();
      const shares = [(clientX - box.left) / box.width, 1 - (clientY - box.top) / box.height];
      onpick(shares.map((share) => Math.round((LOW + share * (HIGH - LOW)) * 20) / 20));
    });
  }

  /**
   * @param {Network} network
   * @param {number} selected unit
   */
  update({ x, units, bias, relu, goal }, selected) {
    /** @param {number[]} at */
    const outputAt = (at) => hiddenUnits(at, units, bias, relu).output;
    const wanted = GOALS.find(({ key }) => key === goal)?.wanted ?? [];
    this.patches.forEach((patch, i) => {
      const at = [i % CELLS, Math.floor(i / CELLS)];
      const output = outputAt(at.map((n) => LOW + (n + 0.5) * ((HIGH - LOW) / CELLS)));
      patch.setAttribute("class", output < 0 ? "aw-ff-below" : "aw-ff-above");
      patch.setAttribute("fill-opacity", (0.55 * Math.min(1, Math.abs(output))).toFixed(3));
    });
    units.forEach((unit, u) => this.showSwitch(unit, u, u === selected));
    const outputs = CORNERS.map(outputAt);
    this.corners.forEach(({ circle, text }, i) => {
      circle.classList.toggle("aw-ff-right", isRight(outputs[i], wanted[i]));
      setText(text, fmt(outputs[i], Math.abs(outputs[i]) < 9.95 ? 1 : 0));
    });
    const [cx, cy] = [across(x[0]), down(x[1])];
    this.here.setAttribute("d", `M${cx - 32} ${cy}h10m44 0h10M${cx} ${cy - 32}v10m0 44v10`);
    const corners = CORNERS.map(
      ([a, b], i) => `At ${a}, ${b} it is ${fmt(outputs[i], 2)}, wanted ${wanted[i]}.`,
    );
    const axes = "Output over all inputs, x₁ to the right, x₂ upwards.";
    this.node.setAttribute("aria-label", `${axes} ${corners.join(" ")}`);
    return outputs.filter((output, i) => isRight(output, wanted[i])).length;
  }

  /**
   * Draw the line where a unit switches, with its number on the side where it is on.
   * @param {HiddenUnit} unit @param {number} u @param {boolean} isSelected
   */
  showSwitch({ weights, bias }, u, isSelected) {
    const { line, name } = this.units[u];
    const ends = switchLine({ weights, bias }, LOW, HIGH);
    for (const node of [line, name]) node.setAttribute("display", ends ? "inline" : "none");
    line.classList.toggle("aw-ff-picked", isSelected);
    if (!ends) return;
    const [[x1, y1], [x2, y2]] = ends;
    setAttributes(line, { x1: across(x1), y1: down(y1), x2: across(x2), y2: down(y2) });
    const length = Math.hypot(...weights) || 1;
    const share = 0.3 + 0.2 * u;
    /** @param {number} value */
    const clamp = (value) => Math.min(SIZE - 10, Math.max(10, value));
    setAttributes(name, {
      x: clamp(across(x1 + share * (x2 - x1)) + (14 * weights[0]) / length),
      y: clamp(down(y1 + share * (y2 - y1)) - (14 * weights[1]) / length) + 5,
    });
  }
}

/** Every unit at one input. @param {number} unitCount */
function unitTable(unitCount) {
  const rows = Array.from({ length: unitCount }, (_, u) => {
    const cells = Array.from({ length: 4 }, () => el("span"));
    return { cells, node: tableRow(`unit ${u + 1}`, cells) };
  });
  const sum = el("td", {});
  const formula = el("th", { scope: "row", colspan: 4 });
  const table = el(
    "table",
    { class: "aw-matrix aw-ff-table" },
    el("caption", {}, "At the marked point"),
    tableHead(["sum", "switch", "after", "adds"]),
    el("tbody", {}, ...rows.map(({ node }) => node)),
    el("tfoot", {}, el("tr", {}, formula, sum)),
  );
  return {
    node: scrollBox("Every unit at this input", table),
    /** @param {Network} network */
    update({ x, units: all, bias, relu }) {
      const { units, output } = hiddenUnits(x, all, bias, relu);
      units.forEach(({ sum, hidden, adds }, u) => {
        const isOn = sum > 0;
        const state = relu ? (isOn ? "on" : "off") : "none";
        const texts = [fmt(sum), state, fmt(hidden), fmt(adds)];
        texts.forEach((text, c) => setText(rows[u].cells[c], text));
        rows[u].node.classList.toggle("aw-ff-off", relu && !isOn);
      });
      setText(formula, `output, with a bias of ${fmt(bias, 1)}`);
      setText(sum, fmt(output));
    },
  };
}

class HiddenUnits {
  selected = 0; // the unit that is being changed

  /** @param {Host} host */
  constructor({ model, el: host }) {
    this.model = model;
    /** @type {number} */
    this.count = model.get("units").length;
    this.plane = new Plane(this.count, (x) => setTraits(model, { x }));
    this.table = unitTable(this.count);
    this.summary = status();
    this.unitControls = this.makeUnitControls();
    this.controls = this.makeControls();
    this.lay(frame(host, "Hidden units, on and off"));
  }

  makeUnitControls() {
    const { model } = this;
    const unitChoice = choice({
      label: "Unit to change",
      options: Array.from({ length: this.count }, (_, u) => String(u + 1)),
      selected: 0,
      onchange: (u) => {
        this.selected = u;
        this.refresh();
      },
    });
    const knobs = KNOBS.map(([label, get, changed]) => {
      const oninput = /** @param {number} value */ (value) => {
        const units = model.get("units");
        const unit = changed(units[this.selected], value);
        setTraits(model, { units: units.with(this.selected, unit) });
      };
      return { get, ...slider({ label, ...RANGE, oninput }) };
    });
    return { unitChoice, knobs };
  }

  makeControls() {
    const { model } = this;
    const inputs = ["x₁", "x₂"].map((label, i) =>
      slider({
        label,
        min: LOW,
        max: HIGH,
        step: 0.05,
        value: model.get("x")[i],
        format: (value) => fmt(value, 2),
        oninput: (value) => setTraits(model, { x: model.get("x").with(i, value) }),
      }),
    );
    const outputBias = slider({
      label: "output bias",
      ...RANGE,
      oninput: (bias) => setTraits(model, { bias }),
    });
    const relu = checkbox({
      label: "ReLU",
      checked: true,
      onchange: (isOn) => setTraits(model, { relu: isOn }),
    });
    const goal = choice({
      label: "Make the four corners show",
      options: GOALS.map(({ name }) => name),
      selected: 0,
      onchange: (i) => setTraits(model, { goal: GOALS[i].key }),
    });
    return { inputs, outputBias, relu, goal };
  }

  presets() {
    /** @type {(name: string, units: HiddenUnit[], isDisabled?: boolean) => HTMLElement} */
    const preset = (name, units, disabled = false) => {
      const traits = { units: units.slice(0, this.count), bias: 0 };
      return button(name, () => setTraits(this.model, traits), { disabled });
    };
    return el(
      "div",
      { class: "aw-row" },
      preset("All units to 0", [OFF, OFF, OFF]),
      preset("Show “both”", BOTH),
      preset("Show “one, not both”", ONE, this.count < 2),
    );
  }

  /** @param {HTMLElement} root */
  lay(root) {
    const { inputs, outputBias, relu, goal } = this.controls;
    const { unitChoice, knobs } = this.unitControls;
    const plane = el(
      "div",
      { class: "aw-ff-frame" },
      el("span", { class: "aw-ff-up" }, "x₂ →"),
      this.plane.node,
      el("span", { class: "aw-ff-right-name" }, "x₁ →"),
    );
    const left = el("div", {}, plane, ...inputs.map(({ node }) => node));
    const right = el(
      "div",
      {},
      el("div", { class: "aw-row" }, unitChoice.node, relu.node),
      ...knobs.map(({ node }) => node),
      outputBias.node,
      this.table.node,
    );
    const body = el("div", { class: "aw-ff-body" }, left, right);
    const note = el("p", { class: "aw-note" }, NOTE);
    root.append(goal.node, body, this.summary.node, this.presets(), note);
  }

  refresh() {
    const [x, units, bias, relu, goal] = TRAITS.map((trait) => this.model.get(trait));
    const network = { x, units, bias, relu, goal };
    const { controls, unitControls } = this;
    const right = this.plane.update(network, this.selected);
    this.table.update(network);
    for (const knob of unitControls.knobs) knob.set(knob.get(units[this.selected]));
    unitControls.unitChoice.set(this.selected);
    controls.outputBias.set(bias);
    controls.inputs.forEach((input, i) => input.set(x[i]));
    controls.relu.input.checked = relu;
    controls.goal.set(GOALS.findIndex(({ key }) => key === goal));
    this.summary.say(right === 4 ? "All four corners are right." : `Right: ${right} of 4 corners.`);
  }
}

/** @param {Host} host */
function render(host) {
  const widget = new HiddenUnits(host);
  return followTraits(host.model, TRAITS, () => widget.refresh());
}

export default { render };
