// The whole model as a picture: open a block, follow one sentence through every tensor, and point at
// a name to see it light up in the formulas, the code, the shapes and the picture.
import { button, choice, el, frame, slider, status } from "./ui.js";
import { axisSize, copiesOf, flopsOf, numbersIn, parametersOf, shapeOf, totalsOf } from "./maths/transformer.js";

const HEIGHTS = { attention: 42, feed_forward: 42, projection: 42, embedding: 42, ids: 42 };
const HIGHEST = 54; // a title of two lines, and the count
const LOW = 28; // the height of all other blocks
const [COLUMN, ROW] = [17, 15]; // of a cell, where an axis counts words
const HEADS = [1, 2, 4, 8, 16];
const TYING = ["all", "target", "none"];
const TYING_NAMES = ["one table for all three", "target and output share one", "three tables"];

const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

/** A count in a few characters: 1,024 or 1.05 M. */
function brief(value) {
  if (value < 10000) return grouped(value);
  const [divisor, unit] = value < 1e6 ? [1e3, "k"] : value < 1e9 ? [1e6, "M"] : value < 1e12 ? [1e9, "G"] : [1e12, "T"];
  return `${(value / divisor).toPrecision(3)} ${unit}`;
}

function shape(tag, props, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(props)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** The pieces of "{Dk:D_k} = …": [key, shown] for a name, a string for what stands between. */
function pieces(text) {
  return text.split(/(\{[^}]*\})/).filter(Boolean).map((piece) => {
    if (!piece.startsWith("{")) return piece;
    const [key, shown = key] = piece.slice(1, -1).split(":");
    return [key, shown];
  });
}

/** A name with its index lowered, as in D_k. */
function lowered(shown) {
  const [, name, index] = /^(√?[A-Za-z])_(.)$/.exec(shown) ?? [null, shown, ""];
  return index ? [name, el("sub", {}, index)] : [name];
}

function nameButton(key, content) {
  return el("button", { type: "button", class: "aw-wm-name", "data-key": key, tabindex: -1 }, el("span", {}, ...content));
}

/** A line of names that can be pointed at; `code` keeps indices as they are typed. */
function line(text, code = false) {
  return pieces(text).map((piece) => (typeof piece === "string" ? piece
    : nameButton(piece[0], code ? [piece[1]] : lowered(piece[1]))));
}

/** Axes as names in brackets, and as numbers behind them. */
function shapeLine(axes) {
  const list = axes.split(" ");
  const join = (items) => items.flatMap((item, i) => (i ? [", ", item] : [item]));
  const names = list.map((axis) => (/^\d/.test(axis) ? axis : nameButton(axis, lowered(shownAxis(axis)))));
  const numbers = list.map((axis) => el("span", { class: "aw-wm-size", "data-key": axis }));
  return {
    nodes: ["(", ...join(names), ") = (", ...join(numbers), ")"],
    update(sizes) { numbers.forEach((node, i) => setText(node, grouped(axisSize(list[i], sizes)))); },
  };
}

function shownAxis(axis) {
  return { Dk: "D_k", Dv: "D_v", Vsrc: "V" }[axis] ?? axis;
}

/** Every name that a block's formulas, code, shapes and learned matrices mention. */
function namesIn(block) {
  const texts = block.steps.flatMap(({ formula, code }) => [formula, code]);
  return new Set([
    ...texts.flatMap(pieces).filter(Array.isArray).map(([key]) => key),
    ...[...block.steps, ...block.learned].flatMap(({ axes }) => axes.split(" ")),
    ...block.learned.flatMap(({ names }) => names),
  ]);
}

/** The blocks as buttons on a ground of wires, inputs at the bottom as in the paper. */
function diagram(blocks, onopen) {
  const parts = [...new Set(blocks.map(({ part }) => part))];
  const needsMemory = parts.length === 1 && parts[0] === "decoder";
  const columns = Object.fromEntries(parts.map((part, i) => [part, parts.length === 1 ? (needsMemory ? 0.6 : 0.5) : 0.25 + 0.5 * i]));
  const widths = parts.length === 1 ? 0.5 : 0.39;
  const spots = new Map();
  let total = 0;
  for (const part of parts) {
    let bottom = 4;
    let before = null;
    for (const block of blocks.filter((item) => item.part === part)) {
      const height = block.title.length > 17 ? HIGHEST : HEIGHTS[block.kind] ?? LOW;
      if (before) bottom += !before.layered && !block.layered ? 14 : before.layered !== block.layered ? 30 : block.kind === "norm" ? 8 : 18;
      spots.set(block.id, { part, bottom, height, block });
      bottom += height;
      before = block;
    }
    total = Math.max(total, bottom + 6);
  }
  const buttons = new Map();
  const holder = el("div", { class: "aw-wm-blocks", style: `height:${total}px` });
  const svg = shape("svg", { class: "aw-wm-wires", "aria-hidden": "true", focusable: "false" });
  const node = el("div", { class: "aw-wm-picture", role: "group", "aria-label": "The blocks, in the order of the data" }, holder);
  holder.append(svg);
  for (const [id, { part, bottom, height, block }] of spots) {
    const count = el("span", { class: "aw-wm-count" });
    const item = el("button", {
      type: "button", class: `aw-wm-block aw-wm-${block.kind}`, tabindex: -1, "data-block": id,
      style: `left:${100 * (columns[part] - widths / 2)}%;width:${100 * widths}%;top:${total - bottom - height}px;height:${height}px`,
      onclick: () => onopen(id),
    }, el("span", {}, block.title), count);
    buttons.set(id, { item, count });
    holder.append(item);
  }
  const order = [...spots.keys()];
  node.addEventListener("keydown", (event) => {
    const at = order.indexOf(event.target.closest("[data-block]")?.dataset.block);
    if (at < 0) return;
    const here = spots.get(order[at]);
    const inPart = order.filter((id) => spots.get(id).part === here.part);
    const other = order.filter((id) => spots.get(id).part !== here.part);
    const near = (list) => list.reduce((best, id) => (Math.abs(spots.get(id).bottom - here.bottom)
      < Math.abs(spots.get(best).bottom - here.bottom) ? id : best), list[0]);
    const next = { ArrowUp: inPart[inPart.indexOf(order[at]) + 1], ArrowDown: inPart[inPart.indexOf(order[at]) - 1],
      ArrowLeft: here.part === "decoder" && other.length ? near(other) : null,
      ArrowRight: here.part === "encoder" && other.length ? near(other) : null }[event.key];
    if (!next) return;
    event.preventDefault();
    buttons.get(next).item.focus();
    onopen(next);
  });

  const wires = [];
  for (const part of parts) {
    const ids = order.filter((id) => spots.get(id).part === part);
    ids.slice(1).forEach((to, i) => {
      const last = spots.get(ids[i]).block.steps.at(ids[i].endsWith("words") ? 0 : -1);
      wires.push({ from: ids[i], to, name: last.tensor, axes: last.axes });
      if (spots.get(to).block.kind === "norm") wires.push({ from: ids[i - 1], to, name: "x", axes: spots.get(to).block.steps[0].axes, around: ids[i] });
    });
  }
  const cross = order.find((id) => id.endsWith("cross"));
  if (cross) wires.push({ from: "encoder.memory", to: cross, name: "memory", axes: "B S D" });
  const fromOutside = cross && !spots.has("encoder.memory") ? shape("text", { class: "aw-wm-word", x: 2 }, "memory") : null;
  const frames = parts.map((part) => ({ part, rect: shape("rect", { rx: 10, class: "aw-wm-layer" }), text: shape("text", { class: "aw-wm-times" }) }));
  for (const wire of wires) {
    wire.path = shape("path", { class: "aw-wm-wire" });
    wire.head = shape("path", { class: "aw-wm-head" });
  }
  svg.append(...frames.map(({ rect }) => rect), ...wires.flatMap(({ path, head }) => [path, head]), ...frames.map(({ text }) => text), ...(fromOutside ? [fromOutside] : []));

  function draw() {
    const width = holder.clientWidth;
    if (!width) return;
    svg.setAttribute("viewBox", `0 0 ${width} ${total}`);
    svg.setAttribute("width", width);
    svg.setAttribute("height", total);
    const top = (id) => total - spots.get(id).bottom - spots.get(id).height;
    const floor = (id) => total - spots.get(id).bottom;
    const middle = (id) => columns[spots.get(id).part] * width;
    const half = (widths / 2) * width;
    for (const { from, to, around, name, path, head } of wires) {
      const end = [middle(to), floor(to)];
      let d;
      let turn = 0;
      if (name === "memory") {
        const y = top(to) + 21;
        const gap = middle(to) - half;
        const start = spots.has(from) ? [middle(from) + half, top(from) + 14] : [2, y];
        d = spots.has(from) ? `M${start}H${(start[0] + gap) / 2}V${y}H${gap - 5}` : `M${start}H${gap - 5}`;
        end.splice(0, 2, gap, y);
        turn = 90;
        fromOutside?.setAttribute("y", y - 6);
      } else if (around) {
        const side = spots.get(to).part === "encoder" && parts.length > 1 ? -1 : 1;
        const y = floor(around) + 9;
        const x = middle(to) + side * (half + 8);
        const yTo = top(to) + 14;
        d = `M${middle(to)} ${y}H${x}V${yTo}H${middle(to) + side * (half + 5)}`;
        end.splice(0, 2, middle(to) + side * half, yTo);
        turn = side > 0 ? -90 : 90;
      } else {
        d = `M${middle(from)} ${top(from)}V${end[1] + 5}`;
      }
      path.setAttribute("d", d);
      head.setAttribute("d", "M0 0l-4 7h8z");
      head.setAttribute("transform", `translate(${end}) rotate(${turn})`);
    }
    for (const { part, rect, text } of frames) {
      const inside = order.filter((id) => spots.get(id).part === part && spots.get(id).block.layered);
      const box = { x: columns[part] * width - half - 14, y: top(inside.at(-1)) - 21, width: 2 * half + 28, height: floor(inside[0]) - top(inside.at(-1)) + 36 };
      for (const [name, value] of Object.entries(box)) rect.setAttribute(name, value);
      text.setAttribute("x", columns[part] * width + half + 8);
      text.setAttribute("y", box.y + 15);
    }
  }
  const watch = new ResizeObserver(draw);
  watch.observe(holder);
  return {
    node,
    stop: () => watch.disconnect(),
    update({ open, lit, sizes, isLit }) {
      for (const { text } of frames) setText(text, `${sizes.N} layer${sizes.N > 1 ? "s" : ""}`);
      for (const [id, { item, count }] of buttons) {
        const { block } = spots.get(id);
        const opened = id === open;
        item.setAttribute("aria-pressed", String(opened));
        item.tabIndex = opened ? 0 : -1;
        item.classList.toggle("aw-wm-lit", isLit(block));
        const learned = parametersOf(block, sizes);
        setText(count, learned ? brief(learned) : "");
      }
      for (const { from, to, name, axes, path, head } of wires) {
        const on = axes.split(" ").includes(lit) || (name === lit && (from === open || to === open || name === "memory"));
        path.classList.toggle("aw-wm-lit", on);
        head.classList.toggle("aw-wm-lit", on);
      }
    },
    focus(id) { buttons.get(id).item.focus(); },
  };
}

/** One tensor as a sheet: rows and columns of its last two axes, with the words beside them. */
function sheet() {
  const svg = shape("svg", { role: "img", class: "aw-wm-sheet", viewBox: "0 0 340 290" });
  const room = { left: 84, top: 58 };
  function extent(axis, size, words) {
    if (words) return { words, length: size * (axis === "column" ? COLUMN : ROW) };
    return { words: null, length: axis === "column" ? 30 + 12 * Math.log2(size) : 26 + 8 * Math.log2(size) };
  }
  return {
    node: svg,
    update(name, axes, sizes, words, hidesLater) {
      const list = axes.split(" ");
      const named = (axis) => (axis === "S" ? words[0] : axis === "T" ? words[1] : axis === "1" ? [""] : null);
      const [columnAxis, rowAxis = "1"] = [...list].reverse();
      const lead = list.slice(0, -2);
      const across = extent("column", axisSize(columnAxis, sizes), named(columnAxis));
      const down = extent("row", axisSize(rowAxis, sizes), named(rowAxis));
      const { left, top } = room;
      const marks = [];
      const sheets = lead.reduce((product, axis) => product * axisSize(axis, sizes), 1);
      const behind = sheets > 1 ? (lead.filter((axis) => axisSize(axis, sizes) > 1).length > 1 ? 3 : 2) : 0;
      for (let i = behind; i > 0; i -= 1) {
        marks.push(shape("rect", { x: left + 6 * i, y: top + 6 * i, width: across.length, height: down.length, class: "aw-wm-back" }));
      }
      marks.push(shape("rect", { x: left, y: top, width: across.length, height: down.length, class: "aw-wm-front" }));
      const text = (x, y, content, props) => shape("text", { x, y, ...props }, content);
      if (down.words) {
        down.words.forEach((word, r) => {
          const y = top + ROW * r;
          if (r) marks.push(shape("path", { d: `M${left} ${y}h${across.length}`, class: "aw-wm-rule" }));
          marks.push(text(left - 6, y + 11.5, word, { class: "aw-wm-word aw-wm-end" }));
        });
      } else {
        marks.push(text(left - 6, top + down.length / 2 + 4, `${shownAxis(rowAxis).replace("_", "")} = ${grouped(axisSize(rowAxis, sizes))}`, { class: "aw-wm-axis aw-wm-end", "data-key": rowAxis }));
      }
      if (across.words) {
        across.words.forEach((word, c) => {
          const x = left + COLUMN * c;
          if (c) marks.push(shape("path", { d: `M${x} ${top}v${down.length}`, class: "aw-wm-rule" }));
          marks.push(text(0, 0, word, { class: "aw-wm-word", transform: `translate(${x + 12} ${top - 6}) rotate(-52)` }));
        });
      } else {
        marks.push(shape("path", { d: `M${left} ${top - 10}h${across.length}m0 -4v8M${left} ${top - 14}v8`, class: "aw-wm-ruler" }));
        marks.push(text(left + across.length / 2, top - 18, `${shownAxis(columnAxis).replace("_", "")} = ${grouped(axisSize(columnAxis, sizes))}`, { class: "aw-wm-axis aw-wm-mid", "data-key": columnAxis }));
      }
      if (hidesLater) {
        down.words.forEach((_, r) => {
          if (r + 1 < across.words.length) marks.push(shape("rect", { x: left + COLUMN * (r + 1), y: top + ROW * r, width: across.length - COLUMN * (r + 1), height: ROW, class: "aw-wm-hidden" }));
        });
      }
      if (sheets > 1) {
        const said = lead.filter((axis) => axis !== "1").map((axis) => `${axis} = ${axisSize(axis, sizes)}`).join(", ");
        marks.push(text(left, top + down.length + 6 * behind + 17, `one of ${grouped(sheets)} sheets: ${said}`, { class: "aw-wm-axis" }));
      }
      svg.replaceChildren(...marks);
      const say = (axis) => (named(axis) && axis !== "1" ? `${axisSize(axis, sizes)} words` : `${grouped(axisSize(axis, sizes))}`);
      svg.setAttribute("aria-label", `${name} drawn as ${grouped(sheets)} sheet${sheets > 1 ? "s" : ""} of ${say(rowAxis)} by ${say(columnAxis)}${hidesLater ? ", later words hidden" : ""}.`);
    },
  };
}

/** What is inside a block: step by step formula, code and shape, then what is learned and counted. */
function inside(block) {
  const shapes = [];
  const sized = (axes) => {
    const made = shapeLine(axes);
    shapes.push(made);
    return made.nodes;
  };
  const steps = block.steps.map((step) => ({ step, node: el("li", {},
    el("div", { class: "aw-wm-formula" }, ...line(step.formula)),
    el("code", { class: "aw-wm-code" }, ...line(step.code, true)),
    el("div", { class: "aw-wm-shape" }, nameButton(step.tensor, [step.tensor]), " ", ...sized(step.axes))) }));
  const weights = block.learned.map(({ names, axes, bias }) => el("li", { class: "aw-wm-shape" },
    ...names.flatMap((name) => [nameButton(name, lowered(name.startsWith("E") ? "E" : name)), " "]), names.length > 1 ? "each " : "",
    ...sized(axes), ...(bias ? [", with a bias ", ...sized(bias)] : [])));
  const parameters = el("span", { class: "aw-wm-number" });
  const flops = el("span", { class: "aw-wm-number" });
  const node = el("div", { class: "aw-wm-inside" },
    el("p", { class: "aw-wm-head-line" }, el("strong", {}, `${block.title}, ${block.part}`)), el("p", {}, block.says),
    el("ol", { class: "aw-wm-steps" }, ...steps.map((item) => item.node)),
    ...(weights.length ? [el("ul", { class: "aw-wm-learned" }, ...weights)] : []),
    el("p", { class: "aw-wm-formula" }, el("span", { class: "aw-wm-caption" }, "Learned numbers: "), ...(block.parameters ? [...line(block.parameters), " = "] : []), parameters),
    el("p", { class: "aw-wm-formula" }, el("span", { class: "aw-wm-caption" }, "Operations: "), ...(block.flops ? [...line(block.flops), " = "] : []), flops));
  return {
    node,
    update(sizes, made) {
      for (const item of shapes) item.update(sizes);
      const copies = copiesOf(block, sizes);
      const told = (one) => (copies > 1 && one ? `${grouped(one)}, in ${copies} layers ${grouped(one * copies)}` : grouped(one));
      const learned = parametersOf(block, sizes);
      setText(parameters, block.learned.length && !learned ? "none of its own, it shares a table counted elsewhere" : told(learned));
      setText(flops, flopsOf(block, sizes) ? told(flopsOf(block, sizes)) : "next to nothing: no product of matrices");
      for (const { step, node: item } of steps) item.classList.toggle("aw-wm-here", step.tensor === made);
    },
  };
}

function render({ model, el: host }) {
  const root = frame(host, { all: "The whole model", encoder: "The encoder", decoder: "The decoder" }[model.get("part")]);
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
  const picture = diagram(blocks, openBlock);
  const drawing = sheet();
  const said = status();

  const back = button("← Back", () => move(-1));
  const forth = button("Next tensor →", () => move(1));
  const place = el("span", { class: "aw-wm-place", "aria-live": "polite" });
  function move(by) {
    const at = walk.findIndex(({ block, step }) => block.id === model.get("opened") && step.tensor === followed);
    const next = walk[at + by];
    if (next) go(next.block.id, next.step.tensor);
  }

  const order = Object.keys(presets);
  const preset = choice({ label: "Sizes", options: order.map((name) => ({ base: "base, the paper’s", tiny: "tiny, the book’s" })[name]),
    selected: 0, onchange: (index) => resize(presets[order[index]]) });
  const knobs = [
    ["B", "batch, B", 1, 64, 1], ["D", "d_model, D", 64, 1024, 64], ["H", "heads, H", 0, HEADS.length - 1, 1],
    ["Dff", "hidden, Dff", 64, 4096, 64], ["N", "layers, N", 1, 12, 1],
  ].map(([axis, label, min, max, stride]) => {
    const toSize = (value) => (axis === "H" ? HEADS[value] : value);
    const control = slider({ label, min, max, step: stride, value: min, format: (value) => grouped(toSize(value)),
      oninput: (value) => resize({ [axis]: toSize(value) }) });
    control.node.dataset.key = axis;
    return { node: control.node, set: (sizes) => control.set(axis === "H" ? HEADS.indexOf(sizes.H) : sizes[axis]) };
  });
  const tying = choice({ label: "Tables", options: TYING_NAMES, selected: 0, onchange: (index) => resize({ tie: TYING[index] }) });
  const total = el("p", { class: "aw-wm-total" });
  const panelHolder = el("div", { class: "aw-wm-panel", role: "group", "aria-label": "Inside the open block" });
  root.append(
    el("p", { class: "aw-wm-sentence" }, el("span", { lang: "zh" }, words[0].join(" ")), ...(model.get("part") === "encoder" ? [] : [" → ", el("span", { lang: "en" }, words[1].slice(1).join(" "))])),
    preset.node,
    el("details", {}, el("summary", {}, "Change the sizes"), ...knobs.map(({ node }) => node), ...(model.get("part") === "all" ? [tying.node] : [])),
    total,
    el("div", { class: "aw-wm-body" }, picture.node,
      el("div", { class: "aw-wm-walk" }, back, forth, place, said.node), drawing.node, panelHolder),
    el("p", { class: "aw-note" }, "Point at a name, tap it, or reach it with the arrow keys: it lights up wherever it stands. "
      + "Small numbers in the blocks count what is learned."));

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
    const makers = blocks.filter((item) => item.steps.some(({ tensor }) => tensor === lit) || item.learned.some((list) => list.names.some((name) => canonical(name) === lit)));
    const shared = makers.length === 1 || lit === "E" || lit in model.get("axes");
    picture.update({ open, lit, sizes, isLit: (item) => {
      const mentioned = [...names.get(item.id)].some((key) => canonical(key) === lit);
      return mentioned && (item.id === open || shared);
    } });
    const learned = block.learned.find((list) => list.names.some((name) => canonical(name) === lit));
    const drawn = learned ?? step;
    drawing.update(learned ? lit : step.tensor, drawn.axes, sizes, words, !learned && /T T$/.test(drawn.axes));
    for (const node of root.querySelectorAll("[data-key]")) {
      const on = canonical(node.dataset.key) === lit;
      node.classList.toggle("aw-wm-lit", on);
      if (node.tagName === "BUTTON") node.setAttribute("aria-pressed", String(on));
    }
    const tokens = [...panelHolder.querySelectorAll(".aw-wm-name")];
    if (!tokens.some((node) => node.tabIndex === 0)) tokens[0].tabIndex = 0;
    const at = walk.findIndex((item) => item.block === block && item.step === step);
    setText(place, `tensor ${at + 1} of ${walk.length}`);
    back.disabled = at === 0;
    forth.disabled = at === walk.length - 1;
    said.say(spoken(lit, block, step, learned, sizes));
    const { parameters, flops } = totalsOf(blocks, sizes);
    const layers = totalsOf(blocks.filter(({ layered }) => layered), sizes).parameters;
    setText(total, `${grouped(parameters)} learned numbers, ${layers < parameters ? grouped(layers) : "all"} of them in the layers. `
      + `One batch of ${sizes.B}: ${brief(flops)} operations.`);
    knobs.forEach(({ set }) => set(sizes));
    const current = order.findIndex((name) => Object.entries(presets[name]).every(([key, value]) => sizes[key] === value));
    preset.set(current);
    tying.set(TYING.indexOf(sizes.tie));
  }
  function spoken(lit, block, step, learned, sizes) {
    if (lit in model.get("axes")) return `${shownAxis(lit)} = ${grouped(axisSize(lit, sizes))}: ${model.get("axes")[lit]}.`;
    const [name, axes] = learned ? [lit, learned.axes] : [step.tensor, step.axes];
    if (!learned && lit !== step.tensor) return `${lit} comes from another block.`;
    return `${name}: (${shapeOf(axes, sizes).map(grouped).join(", ")}), ${grouped(numbersIn(axes, sizes))} numbers${learned ? ", learned" : ""}.`;
  }
  const light = (event) => {
    const key = event.target.closest?.("button[data-key]")?.dataset.key;
    if (key && key !== model.get("lit")) go(model.get("opened"), key);
  };
  for (const type of ["click", "focusin"]) panelHolder.addEventListener(type, light);
  panelHolder.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") light(event); });
  panelHolder.addEventListener("keydown", (event) => {
    const tokens = [...panelHolder.querySelectorAll(".aw-wm-name")];
    const at = tokens.indexOf(event.target.closest(".aw-wm-name"));
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: tokens.length - 1 }[event.key];
    if (at < 0 || to === undefined || !tokens[to]) return;
    event.preventDefault();
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
