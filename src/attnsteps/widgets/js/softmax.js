// Scores under the reader's hand, the weights softmax makes of them, and where the naive form
// breaks.
import { setText } from "./drawing.js";
import { entropy } from "./maths/softmax.js";
import {
  apart,
  diagnose,
  FORMATS,
  movedScores,
  naiveSteps,
  placeOf,
  stableSteps,
  temperatureAt,
} from "./maths/softmax_steps.js";
import { button, checkbox, choice, el, fmt, frame, slider, status } from "./ui.js";

const FEWEST = 2;
const MOST = 6;
const KINDS = Object.keys(FORMATS);
const TRAITS = ["logits", "temperature", "excluded", "shift", "number_format"];

function render({ model, el: host }) {
  const root = frame(host, "Softmax, by hand");
  const names = model.get("names");
  const spare = model.get("spare");
  const start = TRAITS.map((trait) => model.get(trait));

  const words = el("div", { class: "aw-sm-words" });
  const body = el("tbody");
  const lines = []; // one for each word: its controls, bars and table cells
  const total = el("p", { class: "aw-sm-total" });
  const said = status();

  const more = button("Add a word", () => {
    const logits = model.get("logits");
    change({ excluded: [...excludedOf(logits), false], logits: [...logits, spare[logits.length]] });
    if (more.disabled) fewer.focus();
  });
  const fewer = button("Remove the last", () => {
    const logits = model.get("logits").slice(0, -1);
    change({ logits, excluded: excludedOf(logits) });
    if (fewer.disabled) more.focus();
  });
  const again = button("Start again", () => {
    change(Object.fromEntries(TRAITS.map((trait, i) => [trait, start[i]])));
  });
  const temperature = slider({
    label: "Temperature T",
    min: -10,
    max: 10,
    step: 1,
    value: 0,
    oninput: (place) => change({ temperature: temperatureAt(place) }),
  });
  const shift = slider({
    label: "Add to all: c",
    min: -1000,
    max: 1000,
    step: 10,
    value: 0,
    oninput: (value) => change({ shift: value }),
  });
  const format = choice({
    label: "Numbers kept as",
    options: KINDS,
    selected: 0,
    onchange: (index) => change({ number_format: KINDS[index] }),
  });
  const foot = cellsOf("sum");

  root.append(
    words,
    el("div", { class: "aw-row" }, more, fewer, again),
    el("div", { class: "aw-sm-knobs" }, temperature.node, shift.node, format.node),
    total,
    said.node,
    tableOf(body, foot.row),
  );

  function change(values) {
    for (const [trait, value] of Object.entries(values)) model.set(trait, value);
    model.save_changes();
  }

  function excludedOf(logits) {
    const excluded = model.get("excluded");
    return logits.map((_, i) => Boolean(excluded[i]));
  }

  function replace(trait, i, value) {
    const list = trait === "excluded" ? excludedOf(model.get("logits")) : [...model.get("logits")];
    list[i] = value;
    change({ [trait]: list });
  }

  function addLine() {
    const i = lines.length;
    const score = slider({
      label: names[i],
      min: -10,
      max: 10,
      step: 0.5,
      value: 0,
      oninput: (value) => replace("logits", i, value),
    });
    score.input.setAttribute("aria-label", `Score of ${names[i]}`);
    const out = checkbox({
      label: "−∞",
      checked: false,
      onchange: (on) => replace("excluded", i, on),
    });
    out.input.setAttribute("aria-label", `−∞ for ${names[i]}`);
    const stable = barOf("stable");
    const naive = barOf("naive");
    const line = {
      score,
      out,
      stable,
      naive,
      ...cellsOf(names[i]),
      node: el(
        "div",
        { class: "aw-sm-word", role: "group", "aria-label": names[i] },
        score.node,
        out.node,
        el("div", { class: "aw-sm-bars" }, stable.node, naive.node),
      ),
    };
    words.append(line.node);
    body.append(line.row);
    lines.push(line);
  }

  function update() {
    const logits = model.get("logits");
    const excluded = excludedOf(logits);
    const T = model.get("temperature");
    const c = model.get("shift");
    const kind = model.get("number_format");
    while (lines.length < logits.length) addLine();
    while (lines.length > logits.length) {
      const { node, row } = lines.pop();
      node.remove();
      row.remove();
    }
    const moved = movedScores(logits, excluded, c, T, kind);
    const stable = stableSteps(moved, kind);
    const naive = naiveSteps(moved, kind);

    lines.forEach((line, i) => {
      place(line.score, logits[i], excluded[i] ? "−∞" : fmt(logits[i], 1));
      line.score.input.disabled = excluded[i];
      line.out.input.checked = excluded[i];
      line.stable.show(stable.weights[i]);
      line.naive.show(naive.weights[i]);
      line.write([
        fmt(moved[i]),
        fmt(stable.exponents[i]),
        short(stable.powers[i]),
        fmt(stable.weights[i], 3),
        short(naive.powers[i]),
        fmt(naive.weights[i], 3),
      ]);
    });
    foot.write([
      "",
      "",
      short(stable.sum),
      fmt(sumOf(stable.weights), 3),
      short(naive.sum),
      fmt(sumOf(naive.weights), 3),
    ]);
    place(temperature, placeOf(T), String(T));
    place(shift, c, fmt(c, 0));
    format.set(KINDS.indexOf(kind));
    more.disabled = logits.length >= MOST;
    fewer.disabled = logits.length <= FEWEST;

    const left = excluded.filter((out) => !out).length;
    total.textContent =
      `The stable weights sum to ${fmt(sumOf(stable.weights), 3)}. ` +
      `Their entropy is ${fmt(entropy(stable.weights))}` +
      (left > 1
        ? `, between 0 (all on one word) and ln ${left} = ${fmt(Math.log(left))} (all equal).`
        : ".");
    const exact = stableSteps(movedScores(logits, excluded, 0, T));
    const diagnosis = diagnose(
      moved,
      naive.powers,
      naive.sum,
      apart(naive.weights, stable.weights),
    );
    said.node.classList.toggle("aw-sm-broken", !["fine", "empty"].includes(diagnosis));
    said.say(
      sentence(diagnosis, moved, kind) +
        (apart(stable.weights, exact.weights) > 0.005
          ? ` The stable form stands, but ${kind} had to round the scores after the ` +
            "change, and its weights moved a little."
          : ""),
    );
  }

  update();
  for (const trait of TRAITS) model.on(`change:${trait}`, update);
  return () => {
    for (const trait of TRAITS) model.off(`change:${trait}`, update);
  };
}

function sentence(diagnosis, moved, kind) {
  const largest = short(FORMATS[kind].largest);
  const top = fmt(Math.max(...moved));
  return {
    fine: "Both forms give the same weights.",
    overflow:
      `The naive form has broken. e to the power ${top} is more than the largest ${kind} ` +
      `number, ${largest}, so it is kept as ∞, and ∞ divided by ∞ is not a number (NaN). ` +
      "The largest power in the stable form is e⁰ = 1.",
    sum:
      "The naive form has broken. Each power still fits, but their sum is more than the " +
      `largest ${kind} number, ${largest}. It is kept as ∞, and whatever is divided by ∞ ` +
      "becomes 0.",
    underflow:
      `The naive form has broken. Every power is so small that ${kind} keeps it as 0, and ` +
      "0 divided by 0 is not a number (NaN). The sum in the stable form is never below 1.",
    drift:
      `The naive form has drifted off. Its powers are so small that ${kind} keeps only a ` +
      "few of their digits.",
    empty:
      "No word is left. The formula asks for 0 divided by 0, which is not a number " +
      "(NaN); the stable form here returns zeros, as attnsteps.masked_softmax does.",
  }[diagnosis];
}

/** Put a slider's thumb at a place and write its value, which may lie between two places. */
function place(control, value, text) {
  control.set(value);
  control.node.querySelector("output").textContent = text;
  control.input.setAttribute("aria-valuetext", text);
}

function barOf(name) {
  const fill = el("span", { class: `aw-sm-fill aw-sm-${name}` });
  const number = el("span", { class: "aw-sm-number" });
  return {
    node: el(
      "div",
      { class: "aw-sm-bar" },
      el("span", { class: "aw-note" }, name),
      el("span", { class: "aw-sm-track", "aria-hidden": "true" }, fill),
      number,
    ),
    show(weight) {
      fill.style.width = `${100 * (weight || 0)}%`;
      number.textContent = fmt(weight, 3);
      number.classList.toggle("aw-bad", Number.isNaN(weight));
    },
  };
}

function tableOf(body, foot) {
  const head = (text, props) => el("th", { scope: "col", ...props }, ...[text].flat());
  const power = (exponent) => ["e", el("sup", {}, exponent)];
  const table = el(
    "table",
    { class: "aw-matrix aw-sm-steps" },
    el("caption", {}, "Every step, in numbers"),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        head("word", { rowspan: 2 }),
        head("x = (score + c) / T", { rowspan: 2 }),
        head("stable", { colspan: 3, scope: "colgroup" }),
        head("naive", { colspan: 2, scope: "colgroup" }),
      ),
      el(
        "tr",
        {},
        ...["x − max", power("x − max"), "weight", power("x"), "weight"].map((text) => head(text)),
      ),
    ),
    body,
    el("tfoot", {}, foot),
  );
  return el(
    "div",
    { class: "aw-scroll", tabindex: 0, role: "group", "aria-label": "Every step, in numbers" },
    table,
  );
}

function cellsOf(name) {
  const cells = Array.from({ length: 6 }, () => el("td"));
  return {
    row: el("tr", {}, el("th", { scope: "row" }, name), ...cells),
    write(texts) {
      texts.forEach((text, i) => setText(cells[i], text));
    },
  };
}

/** Four digits, with a power of ten where the number is very large or very small. */
function short(value) {
  if (!Number.isFinite(value)) return fmt(value);
  if (value === 0) return "0";
  if (value >= 1e-3 && value < 1e6) return value < 9999.5 ? value.toPrecision(4) : fmt(value, 0);
  const [digits, power] = value.toExponential(1).split("e");
  const raised = [...power.replace("+", "")].map(
    (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)],
  );
  return `${digits}·10${raised.join("")}`;
}

function sumOf(values) {
  return values.reduce((total, value) => total + value, 0);
}

export default { render };
