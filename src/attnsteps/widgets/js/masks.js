// Draw a mask; see the weights under it, and who really sees whom.
import { setText } from "./drawing.js";
import { diagnoseMask, fits, maskedAttention, presetMask, whoSeesWhom } from "./maths/masks.js";
import { button, checkbox, choice, el, fmt, frame, matrixTable } from "./ui.js";

const TRAITS = ["mask", "purpose", "true_means", "fill", "number_format", "low", "clear_empty"];
const PRESETS = {
  everything: "All",
  causal: "Causal",
  padding: "Padding",
  both: "Causal and padding",
  queries: "Padding on queries",
};
const KNOBS = [
  // trait, label, its values and their names
  ["purpose", "The mask is for", ["decoder", "encoder"], ["a decoder", "an encoder"]],
  ["true_means", "True means", ["attend", "hide"], ["may attend", "hide"]],
  ["fill", "A hidden score becomes", ["-inf", "-1e9", "-1e4", "0"], ["−∞", "−10⁹", "−10⁴", "0"]],
  ["number_format", "Numbers kept as", ["float32", "float16"], ["float32", "float16"]],
];

function render({ model, el: host }) {
  const root = frame(host, "Mask lab");
  root.classList.add("ml");
  const names = model.get("names");
  const paddings = model.get("paddings");
  const size = names.length;
  const ask = (trait, value) => {
    model.set(trait, value);
    model.save_changes();
  };

  const knobs = KNOBS.map(([trait, label, values, options]) => {
    const { node, set } = choice({
      label,
      options,
      selected: 0,
      onchange: (index) => ask(trait, values[index]),
    });
    return { node, show: () => set(values.indexOf(model.get(trait))) };
  });
  const low = checkbox({
    label: "all scores 20,000 lower",
    checked: false,
    onchange: (on) => ask("low", on),
  });
  const clear = checkbox({
    label: "zeros for empty rows",
    checked: false,
    onchange: (on) => ask("clear_empty", on),
  });

  const drawing = drawTable({
    names,
    caption: "Mask: ↓ asks, → is asked",
    get: (i, j) => model.get("mask")[i][j],
    put(i, j, value) {
      const mask = model.get("mask").map((row) => [...row]);
      mask[i][j] = value;
      ask("mask", mask);
    },
  });
  const table = (caption) =>
    matrixTable({ caption, rows: names, columns: names, tint: (weight) => weight });
  const weightTable = table("Weights: the softmax of each row");
  const detector = table("Leak detector: does ↓ move with →?");
  const found = Array.from({ length: 6 }, () => el("p"));

  root.append(
    knobs[0].node,
    el(
      "div",
      { class: "aw-row ml-presets" },
      el("span", {}, "Draw"),
      ...Object.entries(PRESETS).map(([name, text]) =>
        button(text, () => ask("mask", presetMask(name, size, paddings))),
      ),
    ),
    el(
      "div",
      { class: "ml-grid" },
      drawing.node,
      el(
        "div",
        { class: "ml-knobs" },
        ...knobs.slice(1).map(({ node }) => node),
        low.node,
        clear.node,
      ),
      weightTable.node,
      detector.node,
    ),
    el(
      "p",
      { class: "aw-note" },
      "A word moves with itself, as the one who asks. The outputs of (pad) are ignored, " +
        "so its row may hold anything but NaN.",
    ),
    el("div", { class: "ml-found", role: "status", "aria-live": "polite" }, ...found),
  );

  function refresh() {
    const [mask, purpose, meaning, fill, format] = TRAITS.map((trait) => model.get(trait));
    const how = { fill, format, low: model.get("low"), clear: model.get("clear_empty") };
    for (const knob of knobs) knob.show();
    low.input.checked = how.low;
    clear.input.checked = how.clear;
    drawing.update();
    if (!fits(fill, format)) {
      for (const { cells } of [weightTable, detector])
        cells.flat().forEach((cell) => write(cell, "?", ""));
      say([
        [false, "PyTorch stops with an error: −10⁹ is no float16 number. The lowest is −65,504."],
      ]);
      return;
    }
    const allowed = mask.map((row) => row.map((value) => value === (meaning === "attend")));
    const [x, w] = [model.get("x"), model.get("w")];
    const { weights } = maskedAttention(x, w, allowed, how);
    const seen = whoSeesWhom(x, w, allowed, how);
    const rule = presetMask(purpose === "decoder" ? "both" : "padding", size, paddings);
    const state = diagnoseMask(seen, rule, allowed, weights, paddings);
    weightTable.update(weights.map((row) => [...row]));
    const at = (pairs, i, j) => pairs.some(([a, b]) => a === i && b === j);
    detector.cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const kind = at(state.leaks, i, j) ? "leak" : at(state.lost, i, j) ? "lost" : "";
        write(
          cell,
          kind || { 1: "yes", 0: "–", "-1": "NaN" }[seen[i][j]],
          kind || (seen[i][j] < 0 ? "leak" : ""),
        );
        weightTable.cells[i][j].classList.toggle("ml-leak", kind === "leak");
      }),
    );
    say(sentences(state, weights, purpose));
  }

  function say(lines) {
    found.forEach((line, n) => {
      const [good, text] = lines[n] ?? [true, ""];
      const said = text && `${good ? "✓" : "✗"} ${text}`;
      line.hidden = !text;
      setText(line, said);
      line.className = good ? "aw-good" : "aw-bad";
    });
  }

  function sentences({ leaks, lost, nan, equal: averaged, zeros }, weights, purpose) {
    const equal = averaged.filter((i) => i < size - paddings);
    const words = (places) => places.map((place) => names[place]).join(", ");
    const pairs = (list) =>
      [...new Set(list.map(([i]) => i))]
        .map(
          (i) =>
            `“${names[i]}” ${list === lost ? "misses" : "sees"} ` +
            `${words(list.filter(([a]) => a === i).map(([, j]) => j))}`,
        )
        .join("; ");
    const out = [];
    if (leaks.length) out.push([false, `Leaks, ${leaks.length}: ${pairs(leaks)}.`]);
    if (lost.length) out.push([false, `Hidden without need, ${lost.length}: ${pairs(lost)}.`]);
    if (nan.length)
      out.push([
        false,
        `NaN for ${words(nan)}: the row may look at nothing but −∞, and its softmax is 0 ` +
          "÷ 0. In training this spreads to every gradient.",
      ]);
    if (equal.length) {
      const share = fmt(weights[equal[0]][0]);
      out.push([
        false,
        `No NaN, but a silent average for ${words(equal)}: all is hidden, all got the ` +
          `same number, and each word a share of ${share}.`,
      ]);
    }
    if (averaged.length > equal.length)
      out.push([
        true,
        "No NaN: a padding that may look at nothing averages over everything, and its " +
          "output is ignored.",
      ]);
    if (zeros.length)
      out.push([
        true,
        `${words(zeros)} may look at nothing, and get${zeros.length > 1 ? "" : "s"} zeros.`,
      ]);
    if (!leaks.length && !lost.length && !nan.length && !equal.length) {
      out.push([
        true,
        "No leak, and nothing hidden without need: a right mask for " +
          `${purpose === "decoder" ? "a decoder" : "an encoder"}.`,
      ]);
    }
    return out;
  }

  refresh();
  for (const trait of TRAITS) model.on(`change:${trait}`, refresh);
  return () => {
    for (const trait of TRAITS) model.off(`change:${trait}`, refresh);
  };
}

function write(cell, text, kind) {
  setText(cell, text);
  cell.style.setProperty("--amount", text === "yes" ? "0.45" : "0");
  cell.classList.toggle("ml-leak", kind === "leak");
  cell.classList.toggle("ml-lost", kind === "lost");
}

/** A table of True and False to click, to walk with the arrow keys, or to paint with the mouse. */
function drawTable({ names, caption, get, put }) {
  let stroke = null; // where a stroke of the mouse began, and what it paints
  const cells = names.map((row, i) =>
    names.map((column, j) =>
      el("button", {
        type: "button",
        class: "aw-cell",
        tabindex: i + j ? -1 : 0,
        "aria-label": `${row} asks ${column}`,
        onclick: () => {
          if (!stroke?.moved) put(i, j, !get(i, j));
          stroke = null;
        },
        onpointerdown: (event) => {
          stroke = event.pointerType === "mouse" ? { i, j, value: !get(i, j), moved: false } : null;
          const end = () =>
            setTimeout(() => {
              stroke = null;
            }); // after the click that belongs to it
          window.addEventListener("pointerup", end, { once: true });
        },
        onpointerenter: (event) => {
          if (!stroke || !(event.buttons & 1)) return;
          if (!stroke.moved) put(stroke.i, stroke.j, stroke.value);
          stroke.moved = true;
          put(i, j, stroke.value);
        },
        onfocus: () => {
          for (const cell of cells.flat()) cell.tabIndex = cell === cells[i][j] ? 0 : -1;
        },
        onkeydown: (event) => {
          const step = {
            ArrowUp: [-1, 0],
            ArrowDown: [1, 0],
            ArrowLeft: [0, -1],
            ArrowRight: [0, 1],
          }[event.key];
          if (!step) return;
          event.preventDefault(); // at the edge, too: the page stays where it is
          cells[i + step[0]]?.[j + step[1]]?.focus();
        },
      }),
    ),
  );
  const node = el(
    "div",
    { class: "aw-scroll", role: "group", "aria-label": caption },
    el(
      "table",
      { class: "aw-matrix" },
      el("caption", {}, caption),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td", { class: "aw-corner" }),
          ...names.map((name) => el("th", { scope: "col" }, name)),
        ),
      ),
      el(
        "tbody",
        {},
        ...cells.map((row, i) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, names[i]),
            ...row.map((cell) => el("td", {}, cell)),
          ),
        ),
      ),
    ),
  );
  return {
    node,
    update() {
      cells.forEach((row, i) =>
        row.forEach((cell, j) => {
          const on = get(i, j);
          if (cell.getAttribute("aria-pressed") === String(on)) return;
          cell.setAttribute("aria-pressed", String(on));
          cell.textContent = on ? "True" : "False";
          cell.style.setProperty("--amount", on ? "0.8" : "0");
        }),
      );
    },
  };
}

export default { render };
