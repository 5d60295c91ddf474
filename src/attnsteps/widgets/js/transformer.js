// The whole model as a picture: open a block, follow one sentence through every tensor, and point
// at
// a name to see it light up in the formulas, the code, the shapes and the picture.
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
import { tensorSheet } from "./tensor_sheet.js";
import { button, choice, disable, el, frame, grouped, slider, status } from "./ui.js";

const HEADS = [1, 2, 4, 8, 16];
const TYING = ["all", "target", "none"];
const TYING_NAMES = ["one table for all three", "target and output share one", "three tables"];

/**
 * What is inside a block: step by step formula, code and shape, then what is learned and counted.
 */
function inside(block) {
  const shapes = [];
  const sized = (axes) => {
    const made = shapeLine(axes);
    shapes.push(made);
    return made.nodes;
  };
  const steps = block.steps.map((step) => ({
    step,
    node: el(
      "li",
      {},
      el("div", { class: "aw-wm-formula" }, ...line(step.formula)),
      el("code", { class: "aw-wm-code" }, ...line(step.code, true)),
      el(
        "div",
        { class: "aw-wm-shape" },
        nameButton(step.tensor, [step.tensor]),
        " ",
        ...sized(step.axes),
      ),
    ),
  }));
  const weights = block.learned.map(({ names, axes, bias }) =>
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
  const parameters = el("span", { class: "aw-wm-number" });
  const flops = el("span", { class: "aw-wm-number" });
  const node = el(
    "div",
    { class: "aw-wm-inside" },
    el("p", {}, el("strong", {}, `${block.title}, ${block.part}`)),
    el("p", {}, block.says),
    el("ol", { class: "aw-wm-steps" }, ...steps.map((item) => item.node)),
    ...(weights.length ? [el("ul", { class: "aw-wm-learned" }, ...weights)] : []),
    el(
      "p",
      { class: "aw-wm-formula" },
      el("span", { class: "aw-wm-caption" }, "Learned numbers: "),
      ...(block.parameters ? [...line(block.parameters), " = "] : []),
      parameters,
    ),
    el(
      "p",
      { class: "aw-wm-formula" },
      el("span", { class: "aw-wm-caption" }, "Operations: "),
      ...(block.flops ? [...line(block.flops), " = "] : []),
      flops,
    ),
  );
  return {
    node,
    update(sizes, made) {
      for (const item of shapes) item.update(sizes);
      const copies = copiesOf(block, sizes);
      const told = (one) =>
        copies > 1 && one
          ? `${grouped(one)}, in ${copies} layers ${grouped(one * copies)}`
          : grouped(one);
      const learned = parametersOf(block, sizes);
      setText(
        parameters,
        block.learned.length && !learned
          ? "none of its own, it shares a table counted elsewhere"
          : told(learned),
      );
      setText(
        flops,
        flopsOf(block, sizes)
          ? told(flopsOf(block, sizes))
          : "next to nothing: no product of matrices",
      );
      for (const { step, node: item } of steps)
        item.classList.toggle("aw-wm-here", step.tensor === made);
    },
  };
}

function render({ model, el: host }) {
  const root = frame(
    host,
    { all: "The whole model", encoder: "The encoder", decoder: "The decoder" }[model.get("part")],
  );
  const blocks = model.get("blocks");
  const words = model.get("words");
  const presets = model.get("presets");
  const walk = blocks.flatMap((block) => block.steps.map((step) => ({ block, step })));
  const names = new Map(blocks.map((block) => [block.id, namesIn(block)]));
  let shown = null; // the block that the panel holds
  let panel = null;
  let followed = null; // the tensor that is drawn

  const sizesNow = () => ({ ...model.get("sizes"), S: words[0].length, T: words[1].length });
  /** Tied tables are one table: pointing at one of them is pointing at all. */
  function canonical(key) {
    const { tie } = model.get("sizes");
    if (model.get("part") !== "encoder" && key === "Esrc" && tie === "all") return "E";
    return key === "Eout" && tie !== "none" ? "E" : key;
  }
  function go(open, lit) {
    model.set("opened", open);
    model.set("lit", lit);
    model.save_changes();
  }
  function resize(changed) {
    model.set("sizes", { ...model.get("sizes"), ...changed });
    model.save_changes();
  }
  const openBlock = (id) => go(id, blocks.find((block) => block.id === id).steps.at(-1).tensor);
  const picture = blockDiagram(blocks, openBlock);
  const drawing = tensorSheet();
  const said = status();

  const back = button("← Back", () => move(-1));
  const forth = button("Next tensor →", () => move(1));
  const place = el("span", { class: "aw-wm-place", "aria-live": "polite" });
  function move(by) {
    const at = walk.findIndex(
      ({ block, step }) => block.id === model.get("opened") && step.tensor === followed,
    );
    const next = walk[at + by];
    if (next) go(next.block.id, next.step.tensor);
  }

  const order = Object.keys(presets);
  const preset = choice({
    label: "Sizes",
    options: order.map((name) => ({ base: "base, the paper’s", tiny: "tiny, the book’s" })[name]),
    selected: 0,
    onchange: (index) => resize(presets[order[index]]),
  });
  const knobs = [
    ["B", "batch, B", 1, 64, 1],
    ["D", "d_model, D", 64, 1024, 64],
    ["H", "heads, H", 0, HEADS.length - 1, 1],
    ["Dff", "hidden, Dff", 64, 4096, 64],
    ["N", "layers, N", 1, 12, 1],
  ].map(([axis, label, min, max, stride]) => {
    const toSize = (value) => (axis === "H" ? HEADS[value] : value);
    const control = slider({
      label,
      min,
      max,
      step: stride,
      value: min,
      format: (value) => grouped(toSize(value)),
      oninput: (value) => resize({ [axis]: toSize(value) }),
    });
    control.node.dataset.key = axis;
    const near = (heads) =>
      HEADS.reduce(
        (best, count, i) => (Math.abs(count - heads) < Math.abs(HEADS[best] - heads) ? i : best),
        0,
      );
    return {
      node: control.node,
      set: (sizes) => control.set(axis === "H" ? near(sizes.H) : sizes[axis], grouped(sizes[axis])),
    };
  });
  const tying = choice({
    label: "Tables",
    options: TYING_NAMES,
    selected: 0,
    onchange: (index) => resize({ tie: TYING[index] }),
  });
  const total = el("p", { class: "aw-wm-total" });
  const panelHolder = el("div", {
    class: "aw-wm-panel",
    role: "group",
    "aria-label": "Inside the open block",
  });
  root.append(
    el(
      "p",
      { class: "aw-wm-sentence" },
      el("span", { lang: "zh" }, words[0].join(" ")),
      ...(model.get("part") === "encoder"
        ? []
        : [" → ", el("span", { lang: "en" }, words[1].slice(1).join(" "))]),
    ),
    preset.node,
    el(
      "details",
      {},
      el("summary", {}, "Change the sizes"),
      ...knobs.map(({ node }) => node),
      ...(model.get("part") === "all" ? [tying.node] : []),
    ),
    total,
    el(
      "div",
      { class: "aw-wm-body" },
      picture.node,
      el("div", { class: "aw-wm-walk" }, back, forth, place, said.node),
      drawing.node,
      panelHolder,
    ),
    el(
      "p",
      { class: "aw-note" },
      "Point at a name, tap it, or reach it with the arrow keys: it lights up wherever " +
        "it stands. " +
        "Small numbers in the blocks count what is learned.",
    ),
  );

  function paint() {
    const sizes = sizesNow();
    const open = model.get("opened");
    const lit = canonical(model.get("lit"));
    const block = blocks.find(({ id }) => id === open);
    if (shown !== open) {
      panel = inside(block);
      panelHolder.replaceChildren(panel.node);
      shown = open;
      followed = null;
    }
    const made = block.steps.find((step) => step.tensor === model.get("lit"));
    followed = made?.tensor ?? followed ?? block.steps[0].tensor;
    const step = block.steps.find((item) => item.tensor === followed);
    panel.update(sizes, followed);
    const makers = blocks.filter(
      (item) =>
        item.steps.some(({ tensor }) => tensor === lit) ||
        item.learned.some((list) => list.names.some((name) => canonical(name) === lit)),
    );
    const shared = makers.length === 1 || lit === "E" || lit in model.get("axes");
    picture.update({
      open,
      lit,
      sizes,
      isLit: (item) => {
        const mentioned = [...names.get(item.id)].some((key) => canonical(key) === lit);
        return mentioned && (item.id === open || shared);
      },
    });
    const learned = block.learned.find((list) =>
      list.names.some((name) => canonical(name) === lit),
    );
    const drawn = learned ?? step;
    drawing.update(
      learned ? lit : step.tensor,
      drawn.axes,
      sizes,
      words,
      !learned && /T T$/.test(drawn.axes),
    );
    for (const node of root.querySelectorAll("[data-key]")) {
      const on = canonical(node.dataset.key) === lit;
      node.classList.toggle("aw-wm-lit", on);
      if (node.tagName === "BUTTON") node.setAttribute("aria-pressed", String(on));
    }
    const tokens = [...panelHolder.querySelectorAll(".aw-wm-name")];
    if (!tokens.some((node) => node.tabIndex === 0)) tokens[0].tabIndex = 0;
    const at = walk.findIndex((item) => item.block === block && item.step === step);
    setText(place, `tensor ${at + 1} of ${walk.length}`);
    disable(back, at === 0, forth);
    disable(forth, at === walk.length - 1, back);
    said.say(spoken(lit, step, learned, sizes));
    const { parameters, flops } = totalsOf(blocks, sizes);
    const layers = totalsOf(
      blocks.filter(({ layered }) => layered),
      sizes,
    ).parameters;
    setText(
      total,
      `${grouped(parameters)} learned numbers, ` +
        `${layers < parameters ? grouped(layers) : "all"} of them in the layers. ` +
        `One batch of ${sizes.B}: ${brief(flops)} operations.`,
    );
    knobs.forEach(({ set }) => set(sizes));
    const current = order.findIndex((name) =>
      Object.entries(presets[name]).every(([key, value]) => sizes[key] === value),
    );
    preset.set(current);
    tying.set(TYING.indexOf(sizes.tie));
  }
  function spoken(lit, step, learned, sizes) {
    if (lit in model.get("axes"))
      return `${shownAxis(lit)} = ${grouped(axisSize(lit, sizes))}: ${model.get("axes")[lit]}.`;
    const [name, axes] = learned ? [lit, learned.axes] : [step.tensor, step.axes];
    if (!learned && lit !== step.tensor) return `${lit} comes from another block.`;
    return (
      `${name}: (${shapeOf(axes, sizes).map(grouped).join(", ")}), ` +
      `${grouped(numbersIn(axes, sizes))} numbers${learned ? ", learned" : ""}.`
    );
  }
  const light = (event) => {
    const key = event.target.closest?.("button[data-key]")?.dataset.key;
    if (key && key !== model.get("lit")) go(model.get("opened"), key);
  };
  for (const type of ["click", "focusin"]) panelHolder.addEventListener(type, light);
  panelHolder.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") light(event);
  });
  panelHolder.addEventListener("keydown", (event) => {
    const tokens = [...panelHolder.querySelectorAll(".aw-wm-name")];
    const at = tokens.indexOf(event.target.closest(".aw-wm-name"));
    const to = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: tokens.length - 1,
    }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault(); // at the end, too: the page stays where it is
    if (!tokens[to]) return;
    tokens[at].tabIndex = -1;
    tokens[to].tabIndex = 0;
    tokens[to].focus();
  });
  const traits = ["sizes", "opened", "lit"].map((name) => `change:${name}`);
  for (const name of traits) model.on(name, paint);
  paint();
  return () => {
    picture.stop();
    for (const name of traits) model.off(name, paint);
  };
}

export default { render };
