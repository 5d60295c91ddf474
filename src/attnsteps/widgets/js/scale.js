// A model, a batch and a machine under the reader's hand: what one training step takes of each.
import { setText } from "./drawing.js";
import { stepOf } from "./maths/scale.js";
import { asPercent, choice, el, frame, grouped, slider, status } from "./ui.js";

const POWERS = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => 2 ** (from + i));
const SPEEDS = Array.from(
  { length: 16 },
  (_, i) => [1, 2, 5][i % 3] * 10 ** (10 + Math.floor(i / 3)),
);
const UPDATES = 100000; // the paper's base model, section 5.2

/** [trait, key, label, stops, how a stop is written] */
const KNOBS = [
  ["sizes", "D", "Width D", POWERS(6, 11), grouped],
  ["sizes", "N", "Layers of each stack", [1, 2, 3, 4, 6, 8, 12, 16, 24], grouped],
  ["sizes", "V", "Tokens of the vocabulary", [300, 1000, 4000, 10000, 37000, 100000], grouped],
  ["sizes", "B", "Sentences in an update", POWERS(0, 14), grouped],
  ["sizes", "S", "Tokens in a sentence", POWERS(2, 13), grouped],
  ["how", "micro_batches", "Micro-batches, one after the other", POWERS(0, 8), grouped],
  ["how", "processes", "Processes, side by side", POWERS(0, 8), grouped],
  ["how", "speed", "Operations a second, reached", SPEEDS, (value) => `${inUnits(value)}FLOP/s`],
];
const PARTS = [
  ["weights", "weights"],
  ["gradients", "gradients"],
  ["adam", "Adam’s two averages"],
  ["copies", "16-bit copies of matrices"],
  ["activations", "other activations"],
  ["attention", "attention’s own"],
];
const NAMES = { tiny: "tiny, the book’s", base: "base, the paper’s", big: "big, the paper’s" };

/** A number with three digits that matter and a unit of thousands: 3.14 M. */
function inUnits(value) {
  const units = ["", "k", "M", "G", "T", "P", "E", "Z"];
  let power = 0;
  let rest = value;
  while (rest >= 999.5 && power < units.length - 1) {
    rest /= 1000;
    power += 1;
  }
  return `${power === 0 ? Math.round(rest) : rest.toPrecision(3)} ${units[power]}`;
}

/** Bytes in units of 1,024, with three digits that matter. */
function inBytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let power = 0;
  let rest = value;
  while (rest >= 999.5 && power < units.length - 1) {
    rest /= 1024;
    power += 1;
  }
  return `${power === 0 ? Math.round(rest) : rest.toPrecision(3)} ${units[power]}`;
}

/** Seconds as a person would say them. */
function asTime(seconds) {
  const steps = [
    [1, "s"],
    [60, "min"],
    [3600, "hours"],
    [86400, "days"],
    [31557600, "years"],
  ];
  const [size, unit] = steps.findLast(([length]) => seconds >= 2 * length) ?? steps[0];
  if (seconds < 0.9995) {
    const [times, short] = [
      [1e3, "ms"],
      [1e6, "µs"],
      [1e9, "ns"],
    ].find(([many]) => seconds * many >= 0.9995) ?? [1e9, "ns"];
    return `${Number((seconds * times).toPrecision(3))} ${short}`;
  }
  const number = seconds / size;
  return `${number >= 1000 ? grouped(Math.round(number)) : Number(number.toPrecision(3))} ${unit}`;
}

function render({ model, el: host }) {
  const root = frame(host, "What one training step takes");
  const put = (trait, changed) => {
    model.set(trait, { ...model.get(trait), ...changed });
    model.save_changes();
  };
  const nearest = (stops, value) =>
    stops.reduce(
      (best, stop, i) =>
        Math.abs(Math.log(stop / value)) < Math.abs(Math.log(stops[best] / value)) ? i : best,
      0,
    );

  const presets = model.get("presets");
  const order = Object.keys(presets);
  const size = choice({
    label: "Begin with",
    options: order.map((name) => NAMES[name]),
    selected: -1,
    onchange: (i) => put("sizes", presets[order[i]]),
  });
  const knobs = KNOBS.map(([trait, key, label, stops, format]) => {
    const at = () => nearest(stops, model.get(trait)[key]);
    const control = slider({
      label,
      min: 0,
      max: stops.length - 1,
      step: 1,
      value: at(),
      format: (i) => format(i === at() ? model.get(trait)[key] : stops[i]),
      oninput: (i) => put(trait, { [key]: stops[i] }),
    });
    return { ...control, follow: () => control.set(at()) };
  });
  const precision = choice({
    label: "Products in",
    options: ["32 bits", "16 bits"],
    selected: 0,
    onchange: (i) => put("how", { precision: ["float32", "bfloat16"][i] }),
  });
  const fused = choice({
    label: "Attention",
    options: ["fused", "explicit"],
    selected: 0,
    onchange: (i) => put("how", { fused: i === 0 }),
  });

  const facts = el("p", { class: "aw-budget-facts" });
  const bar = el("div", { class: "aw-budget-bar", "aria-hidden": "true" });
  const pieces = PARTS.map(([key]) => {
    const piece = el("span", { class: `aw-budget-${key}` });
    bar.append(piece);
    return piece;
  });
  const rows = PARTS.map(([key, label]) => {
    const cells = [el("td", {}), el("td", {})];
    const mark = el("span", { class: `aw-budget-key aw-budget-${key}`, "aria-hidden": "true" });
    return { cells, node: el("tr", {}, el("th", { scope: "row" }, mark, label), ...cells) };
  });
  const sum = el("td", {});
  const table = el(
    "table",
    { class: "aw-budget-table" },
    el("caption", {}, "In the memory of each process"),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("td", {}),
        el("th", { scope: "col" }, "bytes"),
        el("th", { scope: "col" }, "share"),
      ),
    ),
    el(
      "tbody",
      {},
      ...rows.map(({ node }) => node),
      el("tr", { class: "aw-budget-sum" }, el("th", { scope: "row" }, "in all"), sum, el("td", {})),
    ),
  );
  const time = el("p", {});
  const sent = el("p", { class: "aw-note" });
  const said = status();
  root.append(
    size.node,
    el("div", { class: "aw-budget-knobs" }, ...knobs.map(({ node }) => node)),
    el("div", { class: "aw-row aw-budget-choices" }, precision.node, fused.node),
    facts,
    bar,
    table,
    time,
    sent,
    said.node,
  );

  function paint() {
    const sizes = model.get("sizes");
    const how = model.get("how");
    const step = stepOf(model.get("blocks"), sizes, how);
    const all = Object.values(step.bytes).reduce((total, part) => total + part, 0);
    setText(
      facts,
      `${grouped(step.parameters)} parameters. An update: ${grouped(sizes.B * sizes.S)} tokens ` +
        `of each language, ${inUnits(step.flops)}FLOP; ${grouped(step.sentences)} ` +
        `sentence${step.sentences === 1 ? "" : "s"} at a time in each process.` +
        (sizes.B < how.processes
          ? " There are fewer sentences than processes: some have nothing to do, and the " +
            "time below is too short."
          : ""),
    );
    PARTS.forEach(([key], i) => {
      const share = step.bytes[key] / all;
      pieces[i].style.flexGrow = String(share);
      setText(rows[i].cells[0], inBytes(step.bytes[key]));
      setText(rows[i].cells[1], asPercent(share));
    });
    setText(sum, inBytes(all));
    setText(
      time,
      `Time of an update: ${asTime(step.seconds)}. Of ${grouped(UPDATES)} of them: ` +
        `${asTime(UPDATES * step.seconds)}.`,
    );
    setText(
      sent,
      how.processes === 1
        ? "One process has nobody to send its gradients to."
        : `To add up the gradients, each process sends ${inBytes(step.sent)} in every ` +
            "update; the time for that is not counted.",
    );
    said.say(`In all ${inBytes(all)} in each process.`);
  }
  function follow() {
    for (const knob of knobs) knob.follow();
    const sizes = model.get("sizes");
    const how = model.get("how");
    size.set(
      order.findIndex((name) =>
        Object.entries(presets[name]).every(([key, value]) => sizes[key] === value),
      ),
    );
    precision.set(how.precision === "float32" ? 0 : 1);
    fused.set(how.fused ? 0 : 1);
    paint();
  }
  const listeners = ["sizes", "how"].map((name) => [`change:${name}`, follow]);
  for (const [type, listener] of listeners) model.on(type, listener);
  follow();
  return () => {
    for (const [type, listener] of listeners) model.off(type, listener);
  };
}

export default { render };
