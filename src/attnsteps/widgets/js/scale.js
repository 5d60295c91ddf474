// A model, a batch and a machine under the reader's hand: what one training step takes of each.
import { setText } from "./drawing.js";
import { stepOf } from "./maths/scale.js";
import { tableHead, tableRow } from "./tables.js";
import { followTraits, setTraits } from "./traits.js";
import { asPercent, choice, el, frame, grouped, nearestStop, slider, status } from "./ui.js";

/** @param {number} from @param {number} to */
const powersOfTwo = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => 2 ** (from + i));
const SPEEDS = Array.from(
  { length: 16 },
  (_, i) => [1, 2, 5][i % 3] * 10 ** (10 + Math.floor(i / 3)),
);
const CABLES = Array.from(
  { length: 13 },
  (_, i) => [1, 2, 4][i % 3] * 12.5 * 10 ** Math.floor(i / 3),
);
const UPDATES = 100000; // the paper's base model, section 5.2

/** Trait, key, label, stops. @type {[string, string, string, number[]][]} */
const KNOBS = [
  ["sizes", "D", "Width D", powersOfTwo(6, 11)],
  ["sizes", "N", "Layers in each stack", [1, 2, 3, 4, 6, 8, 12, 16, 24]],
  ["sizes", "V", "Vocabulary size", [300, 1000, 4000, 10000, 37000, 100000]],
  ["sizes", "B", "Sentences per update", powersOfTwo(0, 14)],
  ["sizes", "S", "Tokens per sentence", powersOfTwo(2, 13)],
  ["how", "micro_batches", "Micro-batches, one by one", powersOfTwo(0, 8)],
  ["how", "processes", "Processes, in parallel", powersOfTwo(0, 8)],
  ["how", "speed", "Operations per second", SPEEDS],
  ["how", "cable", "MB a second on the cable", CABLES],
];
/** @type {[keyof ReturnType<typeof stepOf>["bytes"], string][]} */
const PARTS = [
  ["weights", "weights"],
  ["gradients", "gradients"],
  ["adam", "Adam’s two averages"],
  ["copies", "16-bit copies of matrices"],
  ["activations", "kept for backward: all else"],
  ["attention", "kept for backward: attention"],
  ["loss", "two tables at the loss"],
];
/** @type {Record<string, string>} */
const NAMES = { tiny: "tiny, the book’s", base: "base, the paper’s", big: "big, the paper’s" };

/**
 * A number with three digits that matter, and the unit that keeps it below 1,000.
 * @param {number} value @param {string[]} units
 */
function withUnit(value, units) {
  let power = 0;
  let rest = value;
  while (rest >= 999.5 && power < units.length - 1) {
    rest /= 1000;
    power += 1;
  }
  return `${power === 0 ? Math.round(rest) : rest.toPrecision(3)} ${units[power]}`;
}

/** @param {number} value */
const inUnits = (value) => withUnit(value, ["", "k", "M", "G", "T", "P", "E", "Z"]);
/** @param {number} value */
const inBytes = (value) => withUnit(value, ["B", "kB", "MB", "GB", "TB", "PB"]);

/** @type {[number, string][]} */
const LONG = [
  [1, "s"],
  [60, "min"],
  [3600, "hours"],
  [86400, "days"],
  [31557600, "years"],
];
/** @type {[number, string][]} */
const SHORT = [
  [1e3, "ms"],
  [1e6, "µs"],
  [1e9, "ns"],
];

/** Seconds as a person would say them. @param {number} seconds */
function asTime(seconds) {
  if (seconds < 0.9995) {
    const [times, unit] = SHORT.find(([many]) => seconds * many >= 0.9995) ?? SHORT[2];
    return `${Number((seconds * times).toPrecision(3))} ${unit}`;
  }
  const [size, unit] = LONG.findLast(([length]) => seconds >= 2 * length) ?? LONG[0];
  const count = seconds / size;
  return `${count >= 1000 ? grouped(Math.round(count)) : Number(count.toPrecision(3))} ${unit}`;
}

/** What lies in memory, as a bar and as a table. */
function memoryBudget() {
  const rows = PARTS.map(([key, label]) => {
    const piece = el("span", { class: `aw-budget-${key}` });
    const cells = [el("span"), el("span")];
    const mark = el("span", { class: `aw-budget-key aw-budget-${key}`, "aria-hidden": "true" });
    const head = el("span", {}, mark, label);
    return { key, piece, cells, node: tableRow(head, cells) };
  });
  const sum = el("span");
  const total = tableRow("total", [sum, ""]);
  total.classList.add("aw-budget-sum");
  const table = el(
    "table",
    { class: "aw-budget-table" },
    el("caption", {}, "Memory in each process"),
    tableHead(["bytes", "share"]),
    el("tbody", {}, ...rows.map(({ node }) => node), total),
  );
  const pieces = rows.map(({ piece }) => piece);
  return {
    bar: el("div", { class: "aw-budget-bar", "aria-hidden": "true" }, ...pieces),
    table,
    /** @param {ReturnType<typeof stepOf>["bytes"]} bytes */
    update(bytes) {
      const all = Object.values(bytes).reduce((some, part) => some + part, 0);
      for (const { key, piece, cells } of rows) {
        piece.style.flexGrow = String(bytes[key] / all);
        setText(cells[0], inBytes(bytes[key]));
        setText(cells[1], asPercent(bytes[key] / all));
      }
      setText(sum, inBytes(all));
      return all;
    },
  };
}

class TrainingStep {
  /** @param {Host} host */
  constructor({ model, el: host }) {
    this.model = model;
    this.presetNames = Object.keys(model.get("presets"));
    this.preset = choice({
      label: "Start from",
      options: this.presetNames.map((name) => NAMES[name]),
      selected: -1,
      onchange: (i) => this.put("sizes", model.get("presets")[this.presetNames[i]]),
    });
    this.knobs = KNOBS.map(([trait, key, label, stops]) => {
      const place = () => nearestStop(stops, model.get(trait)[key], Math.log);
      const write = key === "speed" ? inSpeed : grouped;
      const control = slider({
        label,
        min: 0,
        max: stops.length - 1,
        step: 1,
        value: place(),
        format: (i) => write(i === place() ? model.get(trait)[key] : stops[i]),
        oninput: (i) => this.put(trait, { [key]: stops[i] }),
      });
      return { node: control.node, follow: () => control.set(place()) };
    });
    this.precision = choice({
      label: "Products in",
      options: ["32 bits", "16 bits"],
      selected: 0,
      onchange: (i) => this.put("how", { precision: ["float32", "bfloat16"][i] }),
    });
    this.fused = choice({
      label: "Attention",
      options: ["fused", "explicit"],
      selected: 0,
      onchange: (i) => this.put("how", { fused: i === 0 }),
    });
    this.facts = el("p", { class: "aw-budget-facts" });
    this.memory = memoryBudget();
    this.time = el("p", {});
    this.sent = el("p", { class: "aw-note" });
    this.summary = status();
    frame(host, "What one training step takes").append(
      this.preset.node,
      this.memory.bar,
      this.summary.node,
      el("div", { class: "aw-budget-knobs" }, ...this.knobs.map(({ node }) => node)),
      el("div", { class: "aw-row aw-budget-choices" }, this.precision.node, this.fused.node),
      this.facts,
      this.memory.table,
      this.time,
      this.sent,
    );
  }

  /**
   * Change some entries of a trait.
   * @param {string} trait @param {Record<string, unknown>} entries
   */
  put(trait, entries) {
    setTraits(this.model, { [trait]: { ...this.model.get(trait), ...entries } });
  }

  refresh() {
    const [sizes, how, presets] = ["sizes", "how", "presets"].map((name) => this.model.get(name));
    for (const knob of this.knobs) knob.follow();
    this.preset.set(
      this.presetNames.findIndex((name) =>
        Object.entries(presets[name]).every(([key, value]) => sizes[key] === value),
      ),
    );
    this.precision.set(how.precision === "float32" ? 0 : 1);
    this.fused.set(how.fused ? 0 : 1);
    const step = stepOf(this.model.get("blocks"), sizes, how);
    const plural = step.sentences === 1 ? "" : "s";
    setText(
      this.facts,
      `${grouped(step.parameters)} parameters. One update: ${grouped(sizes.B * sizes.S)} tokens ` +
        `of each language, ${inUnits(step.flops)}FLOP; ${grouped(step.sentences)} ` +
        `sentence${plural} at a time in each process.` +
        (sizes.B < how.processes
          ? " There are fewer sentences than processes: some processes have nothing to do, and " +
            "the time below is too short."
          : ""),
    );
    const total = inBytes(this.memory.update(step.bytes));
    setText(
      this.time,
      `One update takes ${asTime(step.seconds)}, and ${grouped(UPDATES)} updates take ` +
        `${asTime(UPDATES * step.seconds)}.`,
    );
    setText(
      this.sent,
      how.processes === 1
        ? "A single process sends no gradients."
        : `That’s ${asTime(step.computing)} to compute, and then ${asTime(step.sending)} in ` +
            `which each process sends ${inBytes(step.sent)} over its cable, ` +
            "to add up the gradients.",
    );
    this.summary.say(`Total: ${total} in each process, and ${asTime(step.seconds)} an update.`);
  }
}

/** @param {number} value */
function inSpeed(value) {
  return `${inUnits(value)}FLOP/s`;
}

/** @param {Host} host */
function render(host) {
  const step = new TrainingStep(host);
  return followTraits(host.model, ["sizes", "how"], () => step.refresh());
}

export default { render };
