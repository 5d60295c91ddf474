// The whole model as a picture: open a block, follow one sentence through every tensor, and point
// at a name to see it light up in the formulas, the code, the shapes and the picture.
import { blockDiagram } from "./block_diagram.js";
import { setText } from "./drawing.js";
import { brief, line, lowered, nameButton, namesIn, shapeLine, shownAxis } from "./lit_names.js";
import {
  axisSize,
  copiesOf,
  flopsOf,
  numbersIn,
  parametersOf,
  shapeOf,
  totalsOf,
} from "./maths/transformer.js";
import { rove } from "./roving.js";
import { tensorSheet } from "./tensor_sheet.js";
import { followTraits, setTraits } from "./traits.js";
import { button, choice, disable, el, frame, grouped, nearestStop, slider, status } from "./ui.js";

/** @type {Record<string, string>} */
const TITLES = { all: "The whole model", encoder: "The encoder", decoder: "The decoder" };
/** @type {Record<string, string>} */
const PRESET_NAMES = { base: "base, the paper’s", tiny: "tiny, the book’s" };
/** @type {[SizeName, string, number, number, number][]} */
const KNOBS = [
  ["B", "batch, B", 1, 64, 1],
  ["D", "d_model, D", 64, 1024, 64],
  ["H", "heads, H", 0, 4, 1],
  ["Dff", "hidden, Dff", 64, 4096, 64],
  ["N", "layers, N", 1, 12, 1],
];
const HEADS = [1, 2, 4, 8, 16];
const TYING = ["all", "target", "none"];
const TYING_NAMES = ["one table for all three", "target and output share one", "three tables"];
const NOTE =
  "Point at a name, tap it, or reach it with the arrow keys: it lights up wherever it appears. " +
  "The small numbers in the blocks count their parameters.";

/**
 * What is inside a block: step by step formula, code and shape, then the parameters and counts.
 * @param {ShownBlock} block
 */
function inside(block) {
  /** @type {ReturnType<typeof shapeLine>[]} */
  const shapes = [];
  const sized = /** @param {string} axes */ (axes) => {
    const made = shapeLine(axes);
    shapes.push(made);
    return made.nodes;
  };
  const steps = block.steps.map(({ tensor, axes, formula, code }) => {
    const name = nameButton(tensor, [tensor]);
    const node = el(
      "li",
      {},
      el("div", { class: "aw-wm-formula" }, ...line(formula)),
      el("code", { class: "aw-wm-code" }, ...line(code, true)),
      el("div", { class: "aw-wm-shape" }, name, " ", ...sized(axes)),
    );
    return { tensor, node };
  });
  const matrices = block.learned.map(({ names, axes, bias }) =>
    el(
      "li",
      { class: "aw-wm-shape" },
      ...names.flatMap((name) => [
        nameButton(name, lowered(name.startsWith("E") ? "E" : name)),
        " ",
      ]),
      names.length > 1 ? "each " : "",
      ...sized(axes),
      ...(bias ? [", with a bias ", ...sized(bias)] : []),
    ),
  );
  const [parameters, flops] = [0, 1].map(() => el("span", { class: "aw-wm-number" }));
  /** @param {string} caption @param {string} formula @param {HTMLElement} number */
  const count = (caption, formula, number) => {
    const name = el("span", { class: "aw-wm-caption" }, caption);
    return el(
      "p",
      { class: "aw-wm-formula" },
      name,
      ...(formula ? [...line(formula), " = "] : []),
      number,
    );
  };
  return {
    node: el(
      "div",
      { class: "aw-wm-inside" },
      el("p", {}, el("strong", {}, `${block.title}, ${block.part}`)),
      el("p", {}, block.says),
      el("ol", { class: "aw-wm-steps" }, ...steps.map(({ node }) => node)),
      matrices.length ? el("ul", { class: "aw-wm-learned" }, ...matrices) : "",
      count("Parameters: ", block.parameters, parameters),
      count("Operations: ", block.flops, flops),
    ),
    /** @param {ModelSizes} sizes @param {string} tensor the one that is drawn */
    update(sizes, tensor) {
      for (const made of shapes) made.update(sizes);
      setText(parameters, parameterCount(block, sizes));
      setText(
        flops,
        inLayers(flopsOf(block, sizes), block, sizes) || "next to none, no matrix product",
      );
      for (const step of steps) step.node.classList.toggle("aw-wm-here", step.tensor === tensor);
    },
  };
}

/**
 * A count of one block, and of all its copies; nothing for 0.
 * @param {number} count @param {ShownBlock} block @param {ModelSizes} sizes
 */
function inLayers(count, block, sizes) {
  const copies = copiesOf(block, sizes);
  if (!count) return "";
  return copies > 1
    ? `${grouped(count)}, in ${copies} layers ${grouped(count * copies)}`
    : grouped(count);
}

/** @param {ShownBlock} block @param {ModelSizes} sizes */
function parameterCount(block, sizes) {
  const count = inLayers(parametersOf(block, sizes), block, sizes);
  return (
    count || (block.learned.length ? "none of its own, it shares a table counted elsewhere" : "0")
  );
}

class WholeModel {
  /**
   * What is inside the open block.
   * @type {(ReturnType<typeof inside> & {block: ShownBlock}) | null}
   */
  panel = null;
  tensor = ""; // the one that is drawn
  drawing = tensorSheet();
  summary = status();
  place = el("span", { class: "aw-wm-place", "aria-live": "polite" });
  total = el("p", { class: "aw-wm-total" });
  back = button("← Back", () => this.walk(-1));
  forth = button("Next tensor →", () => this.walk(1));

  /** @param {Host} host */
  constructor({ model, el: host }) {
    this.model = model;
    /** @type {ShownBlock[]} */
    this.blocks = model.get("blocks");
    /** @type {[string[], string[]]} */
    this.words = model.get("words");
    this.steps = this.blocks.flatMap((block) => block.steps.map((step) => ({ block, step })));
    this.names = new Map(this.blocks.map((block) => [block, namesIn(block)]));
    this.picture = blockDiagram(this.blocks, (id) => {
      const { steps } = this.blockOf(id);
      this.go(id, steps[steps.length - 1].tensor);
    });
    this.presetNames = Object.keys(model.get("presets"));
    this.preset = choice({
      label: "Sizes",
      options: this.presetNames.map((name) => PRESET_NAMES[name]),
      selected: 0,
      onchange: (index) => this.resize(model.get("presets")[this.presetNames[index]]),
    });
    this.knobs = KNOBS.map((knob) => this.makeKnob(...knob));
    this.tying = choice({
      label: "Tables",
      options: TYING_NAMES,
      selected: 0,
      onchange: (index) => this.resize({ tie: TYING[index] }),
    });
    const label = { role: "group", "aria-label": "Inside the open block" };
    const light = /** @param {Event} event */ (event) => this.light(event);
    this.holder = el("div", {
      class: "aw-wm-panel",
      ...label,
      onclick: light,
      onfocusin: light,
      onpointermove: (event) => event.pointerType === "mouse" && this.light(event),
    });
    rove(this.holder, { inOrder: true });
    this.root = frame(host, TITLES[model.get("part")]);
    this.lay();
  }

  /**
   * @param {SizeName} axis @param {string} label @param {number} min @param {number} max
   * @param {number} step
   */
  makeKnob(axis, label, min, max, step) {
    const isHeads = axis === "H"; // whose slider goes through a list
    const sizeAt = /** @param {number} value */ (value) => (isHeads ? HEADS[value] : value);
    const control = slider({
      label,
      min,
      max,
      step,
      value: min,
      format: (value) => grouped(sizeAt(value)),
      oninput: (value) => this.resize({ [axis]: sizeAt(value) }),
    });
    control.node.dataset.key = axis;
    return {
      node: control.node,
      /** @param {ModelSizes} sizes */
      show: (sizes) => {
        const size = sizes[axis];
        control.set(isHeads ? nearestStop(HEADS, size) : size, grouped(size));
      },
    };
  }

  lay() {
    const part = this.model.get("part");
    const [source, target] = this.words;
    const translation = [" → ", el("span", { lang: "en" }, target.slice(1).join(" "))];
    const walk = el(
      "div",
      { class: "aw-wm-walk" },
      this.back,
      this.forth,
      this.place,
      this.summary.node,
    );
    const panes = [this.picture.node, walk, this.drawing.node, this.holder];
    this.root.append(
      el(
        "p",
        { class: "aw-wm-sentence" },
        el("span", { lang: "zh" }, source.join(" ")),
        ...(part === "encoder" ? [] : translation),
      ),
      this.preset.node,
      el(
        "details",
        {},
        el("summary", {}, "Change the sizes"),
        ...this.knobs.map(({ node }) => node),
        part === "all" ? this.tying.node : "",
      ),
      this.total,
      el("div", { class: "aw-wm-body" }, ...panes),
      el("p", { class: "aw-note" }, NOTE),
    );
  }

  // ── What there is ────────────────────────────────────────────────────────────────────────────

  /** @returns {ModelSizes} */
  get sizes() {
    const [source, target] = this.words;
    return { ...this.model.get("sizes"), S: source.length, T: target.length };
  }

  /** @param {string} id */
  blockOf(id) {
    return this.blocks.find((block) => block.id === id) ?? this.blocks[0];
  }

  /** Tied tables are one table: pointing at one of them is pointing at all. @param {string} key */
  canonical(key) {
    const { tie } = this.model.get("sizes");
    if (this.model.get("part") !== "encoder" && key === "Esrc" && tie === "all") return "E";
    return key === "Eout" && tie !== "none" ? "E" : key;
  }

  /** The place of the tensor that is drawn. */
  get stepPlace() {
    return this.steps.findIndex(
      ({ block, step }) => block === this.panel?.block && step.tensor === this.tensor,
    );
  }

  // ── What the reader does ─────────────────────────────────────────────────────────────────────

  /** @param {string} opened @param {string} lit */
  go(opened, lit) {
    setTraits(this.model, { opened, lit });
  }

  /** @param {Record<string, unknown>} changed */
  resize(changed) {
    setTraits(this.model, { sizes: { ...this.model.get("sizes"), ...changed } });
  }

  /** @param {number} by */
  walk(by) {
    const next = this.steps[this.stepPlace + by];
    if (next) this.go(next.block.id, next.step.tensor);
  }

  /** @param {Event} event */
  light({ target }) {
    const pointed = target instanceof Element ? target.closest("button[data-key]") : null;
    const key = pointed?.getAttribute("data-key");
    if (key && key !== this.model.get("lit")) this.go(this.model.get("opened"), key);
  }

  // ── Showing ──────────────────────────────────────────────────────────────────────────────────

  /** The panel of the open block, made anew where it is another one. */
  openPanel() {
    const block = this.blockOf(this.model.get("opened"));
    if (this.panel?.block === block) return this.panel;
    this.panel = { block, ...inside(block) };
    this.holder.replaceChildren(this.panel.node);
    this.tensor = "";
    return this.panel;
  }

  refresh() {
    const { model, sizes } = this;
    const panel = this.openPanel();
    const { block } = panel;
    const lit = this.canonical(model.get("lit"));
    const made = block.steps.find(({ tensor }) => tensor === model.get("lit"));
    this.tensor = made?.tensor || this.tensor || block.steps[0].tensor;
    const { stepPlace } = this;
    const { step } = this.steps[stepPlace];
    const matrix = block.learned.find(({ names }) => this.includes(names, lit));
    panel.update(sizes, this.tensor);
    this.showPicture(lit);
    const { axes } = matrix ?? step;
    const hidesLater = !matrix && /T T$/.test(axes);
    this.drawing.update(matrix ? lit : step.tensor, axes, sizes, this.words, hidesLater);
    this.markNames(lit);
    setText(this.place, `tensor ${stepPlace + 1} of ${this.steps.length}`);
    disable(this.back, stepPlace === 0, this.forth);
    disable(this.forth, stepPlace === this.steps.length - 1, this.back);
    this.summary.say(this.describe(lit, step, matrix));
    this.showSizes();
  }

  /** @param {Iterable<string>} names @param {string} lit */
  includes(names, lit) {
    return [...names].some((name) => this.canonical(name) === lit);
  }

  /** @param {string} lit */
  showPicture(lit) {
    const makers = this.blocks.filter(
      ({ steps, learned }) =>
        steps.some(({ tensor }) => tensor === lit) ||
        learned.some(({ names }) => this.includes(names, lit)),
    );
    const isShared = makers.length === 1 || lit === "E" || lit in this.model.get("axes");
    const open = this.model.get("opened");
    this.picture.update({
      open,
      lit,
      sizes: this.sizes,
      isLit: (block) =>
        this.includes(this.names.get(block) ?? [], lit) && (block.id === open || isShared),
    });
  }

  /** @param {string} lit */
  markNames(lit) {
    for (const node of this.root.querySelectorAll("[data-key]")) {
      const isOn = this.canonical(node.getAttribute("data-key") ?? "") === lit;
      node.classList.toggle("aw-wm-lit", isOn);
      if (node.tagName === "BUTTON") node.setAttribute("aria-pressed", String(isOn));
    }
  }

  showSizes() {
    const { sizes, blocks } = this;
    const presets = this.model.get("presets");
    const { parameters, flops } = totalsOf(blocks, sizes);
    const layered = blocks.filter((block) => block.layered);
    const inAll = totalsOf(layered, sizes).parameters;
    setText(
      this.total,
      `${grouped(parameters)} parameters, ${inAll < parameters ? grouped(inAll) : "all"} of them ` +
        `in the layers. One batch of ${sizes.B}: ${brief(flops)} operations.`,
    );
    for (const knob of this.knobs) knob.show(sizes);
    this.preset.set(
      this.presetNames.findIndex((name) =>
        Object.entries(presets[name]).every(
          ([key, value]) => sizes[/** @type {SizeName} */ (key)] === value,
        ),
      ),
    );
    this.tying.set(TYING.indexOf(sizes.tie));
  }

  /** @param {string} lit @param {ModelStep} step @param {ModelMatrices | undefined} matrix */
  describe(lit, step, matrix) {
    const { sizes, model } = this;
    const names = model.get("axes");
    if (lit in names) return `${shownAxis(lit)} = ${grouped(axisSize(lit, sizes))}: ${names[lit]}.`;
    if (!matrix && lit !== step.tensor) return `${lit} comes from another block.`;
    const { axes } = matrix ?? step;
    return (
      `${lit}: (${shapeOf(axes, sizes).map(grouped).join(", ")}), ` +
      `${grouped(numbersIn(axes, sizes))} ${matrix ? "parameters" : "numbers"}.`
    );
  }
}

/** @param {Host} host */
function render(host) {
  const widget = new WholeModel(host);
  const stop = followTraits(host.model, ["sizes", "opened", "lit"], () => widget.refresh());
  return () => {
    widget.picture.stop();
    stop();
  };
}

export default { render };
