// Draw a mask; see the weights under it, and which word's output depends on which word.
import { setText } from "./drawing.js";
import { diagnoseMask, fits, influence, maskedAttention, presetMask } from "./maths/masks.js";
import { rove } from "./roving.js";
import { matrixTable, scrollBox, tableHead, tableRow } from "./tables.js";
import { followTraits, setTraits } from "./traits.js";
import { button, checkbox, choice, el, fmt, frame } from "./ui.js";

const TRAITS = ["mask", "purpose", "true_means", "fill", "number_format", "low", "clear_empty"];
const PRESETS = {
  everything: "All",
  causal: "Causal",
  padding: "Padding",
  both: "Causal and padding",
  queries: "Padding on queries",
};
/** Trait, label, its values and their names. @type {[string, string, string[], string[]][]} */
const KNOBS = [
  ["purpose", "The mask is for", ["decoder", "encoder"], ["a decoder", "an encoder"]],
  ["true_means", "True means", ["attend", "hide"], ["may attend", "hide"]],
  ["fill", "A hidden score becomes", ["-inf", "-1e9", "-1e4", "0"], ["−∞", "−10⁹", "−10⁴", "0"]],
  ["number_format", "Number format", ["float32", "float16"], ["float32", "float16"]],
];
const REFUSED =
  "PyTorch stops with an error: −10⁹ does not fit in float16, whose lowest number is −65,504.";
const NOTE =
  "A word’s output always changes with the word itself, because the word makes the query. The " +
  "outputs of (pad) are ignored, so its row may hold anything but NaN.";

/** @typedef {{isGood: boolean, text: string}} Finding */

class MaskLab {
  /** @param {Host} host */
  constructor({ model, el: host }) {
    this.model = model;
    /** @type {string[]} */
    this.names = model.get("names");
    /** @type {number} */
    this.paddings = model.get("paddings");
    this.knobs = KNOBS.map(([trait, label, values, options]) => {
      const onchange = /** @param {number} i */ (i) => setTraits(model, { [trait]: values[i] });
      const { node, set } = choice({ label, options, selected: 0, onchange });
      return { node, show: () => set(values.indexOf(model.get(trait))) };
    });
    this.low = checkbox({
      label: "all scores 20,000 lower",
      checked: false,
      onchange: (low) => setTraits(model, { low }),
    });
    this.clear = checkbox({
      label: "zeros for empty rows",
      checked: false,
      onchange: (isOn) => setTraits(model, { clear_empty: isOn }),
    });
    this.drawing = drawTable(this.names, "Mask: query ↓, key →", {
      get: (i, j) => model.get("mask")[i][j],
      put: (i, j, value) => this.draw(i, j, value),
    });
    const square = { rows: this.names, columns: this.names };
    this.weights = matrixTable({
      ...square,
      caption: "Weights: the softmax of each row",
      tint: (weight) => weight,
    });
    this.detector = matrixTable({ ...square, caption: "Leak detector: does ↓ change with →?" });
    this.lines = Array.from({ length: 6 }, () => el("p"));
    this.lay(frame(host, "Mask lab"));
  }

  /** @param {HTMLElement} root */
  lay(root) {
    const presets = Object.entries(PRESETS).map(([name, text]) =>
      button(text, () => {
        const mask = presetMask(name, this.names.length, this.paddings);
        setTraits(this.model, { mask });
      }),
    );
    const [purpose, ...others] = this.knobs.map(({ node }) => node);
    const knobs = el("div", { class: "ml-knobs" }, ...others, this.low.node, this.clear.node);
    const tables = [this.drawing.node, knobs, this.weights.node, this.detector.node];
    const live = { role: "status", "aria-live": "polite" };
    root.classList.add("ml");
    root.append(
      purpose,
      el("div", { class: "aw-row ml-presets" }, el("span", {}, "Draw"), ...presets),
      el("div", { class: "ml-grid" }, ...tables),
      el("p", { class: "aw-note" }, NOTE),
      el("div", { class: "ml-found", ...live }, ...this.lines),
    );
  }

  /** @param {number} i @param {number} j @param {boolean} value */
  draw(i, j, value) {
    const mask = this.model.get("mask").map((/** @type {boolean[]} */ row) => [...row]);
    mask[i][j] = value;
    setTraits(this.model, { mask });
  }

  refresh() {
    const [mask, purpose, meaning, fill, format, low, clear] = TRAITS.map((trait) =>
      this.model.get(trait),
    );
    for (const knob of this.knobs) knob.show();
    this.low.input.checked = low;
    this.clear.input.checked = clear;
    this.drawing.update();
    if (!fits(fill, format)) {
      for (const { cells } of [this.weights, this.detector]) {
        for (const cell of cells.flat()) write(cell, "?", "");
      }
      this.report([{ isGood: false, text: REFUSED }]);
      return;
    }
    const allowed = mask.map((/** @type {boolean[]} */ row) =>
      row.map((value) => value === (meaning === "attend")),
    );
    const [x, w] = [this.model.get("x"), this.model.get("w")];
    const options = { fill, format, low, clear };
    const { weights } = maskedAttention(x, w, allowed, options);
    const moves = influence(x, w, allowed, options);
    const preset = purpose === "decoder" ? "both" : "padding";
    const rule = presetMask(preset, this.names.length, this.paddings);
    const diagnosis = diagnoseMask(moves, rule, allowed, weights, this.paddings);
    this.weights.update(weights);
    this.showLeaks(diagnosis, moves);
    this.report(this.findings(diagnosis, weights, purpose));
  }

  /** @param {ReturnType<typeof diagnoseMask>} diagnosis @param {number[][]} moves */
  showLeaks({ leaks, lost }, moves) {
    /** @type {(pairs: number[][], i: number, j: number) => boolean} */
    const includes = (pairs, i, j) => pairs.some(([a, b]) => a === i && b === j);
    this.detector.cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const kind = includes(leaks, i, j) ? "leak" : includes(lost, i, j) ? "lost" : "";
        const text = { 1: "yes", 0: "–", "-1": "NaN" }[moves[i][j]] ?? "";
        write(cell, kind || text, kind || (moves[i][j] < 0 ? "leak" : ""));
        this.weights.cells[i][j].classList.toggle("ml-leak", kind === "leak");
      }),
    );
  }

  /** @param {Finding[]} findings */
  report(findings) {
    this.lines.forEach((line, n) => {
      const { isGood, text } = findings[n] ?? { isGood: true, text: "" };
      line.hidden = !text;
      setText(line, text && `${isGood ? "✓" : "✗"} ${text}`);
      line.className = isGood ? "aw-good" : "aw-bad";
    });
  }

  /**
   * @param {ReturnType<typeof diagnoseMask>} diagnosis @param {Float64Array[]} weights
   * @param {string} purpose
   */
  findings({ leaks, lost, nan, equal, zeros }, weights, purpose) {
    const averaged = equal.filter((i) => i < this.names.length - this.paddings);
    /** @param {number[]} places */
    const words = (places) => places.map((place) => this.names[place]).join(", ");
    /** @type {(list: number[][], told: (query: string, keys: string) => string) => string} */
    const pairs = (list, told) =>
      [...new Set(list.map(([i]) => i))]
        .map((i) => {
          const keys = list.filter(([a]) => a === i).map(([, j]) => j);
          return told(this.names[i], words(keys));
        })
        .join("; ");
    /** @type {Finding[]} */
    const out = [];
    const bad = /** @param {string} text */ (text) => out.push({ isGood: false, text });
    const good = /** @param {string} text */ (text) => out.push({ isGood: true, text });
    const sees = pairs(leaks, (query, keys) => `“${query}” sees ${keys}`);
    const misses = pairs(lost, (query, keys) => `“${query}” misses ${keys}`);
    if (leaks.length) bad(`Leaks, ${leaks.length}: ${sees}.`);
    if (lost.length) bad(`Hidden needlessly, ${lost.length}: ${misses}.`);
    if (nan.length) {
      const why = "every score in the row is −∞, so its softmax is 0 ÷ 0.";
      bad(`NaN for ${words(nan)}: ${why} In training this spreads to every gradient.`);
    }
    if (averaged.length) {
      const share = fmt(weights[averaged[0]][0]);
      const why = `everything is hidden, and each word gets the same weight, ${share}`;
      bad(`No NaN, but a silent average for ${words(averaged)}: ${why}.`);
    }
    if (equal.length > averaged.length) {
      good(
        "No NaN: padding with every key hidden averages over everything, " +
          "and its output is ignored.",
      );
    }
    if (zeros.length) {
      good(`${words(zeros)} may attend to nothing, and get${zeros.length > 1 ? "" : "s"} zeros.`);
    }
    if (!leaks.length && !lost.length && !nan.length && !averaged.length) {
      const role = purpose === "decoder" ? "a decoder" : "an encoder";
      good(`No leak, and nothing hidden needlessly: a correct mask for ${role}.`);
    }
    return out;
  }
}

/** @param {HTMLElement} cell @param {string} text @param {string} kind */
function write(cell, text, kind) {
  setText(cell, text);
  cell.style.setProperty("--amount", text === "yes" ? "0.45" : "0");
  cell.classList.toggle("ml-leak", kind === "leak");
  cell.classList.toggle("ml-lost", kind === "lost");
}

/**
 * A table of True and False to click, to walk with the arrow keys, or to paint with the mouse.
 * @param {string[]} names @param {string} caption
 * @param {{get: (i: number, j: number) => boolean,
 *          put: (i: number, j: number, value: boolean) => void}} mask
 */
function drawTable(names, caption, { get, put }) {
  /**
   * Where a stroke of the mouse began, and what it paints.
   * @type {{i: number, j: number, value: boolean, isMoved: boolean} | null}
   */
  let stroke = null;
  const endStroke = () =>
    setTimeout(() => {
      stroke = null;
    }); // after the click that belongs to it
  /** @type {(i: number, j: number) => Props} */
  const listeners = (i, j) => ({
    onclick: () => {
      if (!stroke?.isMoved) put(i, j, !get(i, j));
      stroke = null;
    },
    onpointerdown: ({ pointerType }) => {
      stroke = pointerType === "mouse" ? { i, j, value: !get(i, j), isMoved: false } : null;
      window.addEventListener("pointerup", endStroke, { once: true });
    },
    onpointerenter: (/** @type {PointerEvent} */ { buttons }) => {
      if (!stroke || !(buttons & 1)) return;
      if (!stroke.isMoved) put(stroke.i, stroke.j, stroke.value);
      stroke.isMoved = true;
      put(i, j, stroke.value);
    },
  });
  const cells = names.map((query, i) =>
    names.map((key, j) => {
      const label = `query ${query}, key ${key}`;
      const props = { type: "button", class: "aw-cell", "aria-label": label };
      return el("button", { ...props, ...listeners(i, j) });
    }),
  );
  const table = el(
    "table",
    { class: "aw-matrix" },
    el("caption", {}, caption),
    tableHead(names),
    el("tbody", {}, ...cells.map((row, i) => tableRow(names[i], row))),
  );
  return {
    node: scrollBox(caption, rove(table), { tabindex: null }),
    update() {
      cells.forEach((row, i) =>
        row.forEach((cell, j) => {
          const isOn = get(i, j);
          if (cell.getAttribute("aria-pressed") === String(isOn)) return;
          cell.setAttribute("aria-pressed", String(isOn));
          cell.textContent = isOn ? "True" : "False";
          cell.style.setProperty("--amount", isOn ? "0.8" : "0");
        }),
      );
    },
  };
}

/** @param {Host} host */
function render(host) {
  const lab = new MaskLab(host);
  return followTraits(host.model, TRAITS, () => lab.refresh());
}

export default { render };
