// The blocks of the Transformer as the paper draws them: buttons on a ground of wires.
import { setAttributes, setText, shape } from "./drawing.js";
import { brief } from "./lit_names.js";
import { parametersOf } from "./maths/transformer.js";
import { rove } from "./roving.js";
import { el } from "./ui.js";

/** @type {Record<string, number>} */
const HEIGHTS = { attention: 42, feed_forward: 42, projection: 42, embedding: 42, ids: 42 };
const HIGHEST = 54; // a title of two lines, and the count
const LOW = 28; // the height of all other blocks

/**
 * Where a block is, in pixels above the ground while text has its usual size.
 * @typedef {{block: ShownBlock, bottom: number, height: number}} Spot
 */
/**
 * What carries a tensor from block to block; around: the block that a residual connection skips.
 * @typedef {{from: string, to: string, name: string, axes: string, around?: string}} Wire
 */

/** A length that grows with the text. @param {number} pixels */
function inRem(pixels) {
  return `${pixels / 16}rem`;
}

/** The space below a block. @param {ShownBlock} below @param {ShownBlock} block */
function gapBetween(below, block) {
  if (!below.layered && !block.layered) return 14;
  if (below.layered !== block.layered) return 30;
  return block.kind === "norm" ? 8 : 18;
}

/** Every block of a part above the one before it. @param {ShownBlock[]} blocks */
function stacked(blocks) {
  let bottom = 4;
  return blocks.map((block, i) => {
    const height = block.title.length > 17 ? HIGHEST : (HEIGHTS[block.kind] ?? LOW);
    if (i) bottom += gapBetween(blocks[i - 1], block);
    const spot = { block, bottom, height };
    bottom += height;
    return spot;
  });
}

/**
 * @param {Spot[]} column the blocks of one part
 * @returns {Wire[]}
 */
function wiresOf(column) {
  const blocks = column.map(({ block }) => block);
  return blocks.slice(1).flatMap((block, i) => {
    const below = blocks[i];
    const { tensor, axes } = below.steps[below.id.endsWith("words") ? 0 : below.steps.length - 1];
    const wire = { from: below.id, to: block.id, name: tensor, axes };
    if (block.kind !== "norm") return [wire];
    const residual = { name: "x", axes: block.steps[0].axes, around: below.id };
    return [wire, { from: blocks[i - 1].id, to: block.id, ...residual }];
  });
}

/** The blocks as buttons on a ground of wires, inputs at the bottom as in the paper. */
class BlockDiagram {
  svg = shape("svg", { class: "aw-wm-wires", "aria-hidden": "true", focusable: "false" });

  /** @param {ShownBlock[]} blocks @param {(id: string) => void} onopen */
  constructor(blocks, onopen) {
    this.onopen = onopen;
    this.parts = [...new Set(blocks.map(({ part }) => part))];
    const columns = this.parts.map((part) =>
      stacked(blocks.filter((block) => block.part === part)),
    );
    /** @type {Map<string, Spot>} */
    this.spots = new Map(columns.flat().map((spot) => [spot.block.id, spot]));
    this.total = Math.max(...columns.flat().map(({ bottom, height }) => bottom + height)) + 6;
    this.width = this.parts.length === 1 ? 0.5 : 0.39; // of a block, where the picture's is 1
    this.buttons = columns.flat().map((spot) => this.makeButton(spot));
    this.wires = this.makeWires(columns);
    this.frames = this.parts.map((part) => ({
      part,
      rect: shape("rect", { rx: 10, class: "aw-wm-layer" }),
      text: shape("text", { class: "aw-wm-times" }),
    }));
    this.memoryName = shape("text", { class: "aw-wm-word", x: 2 }, "memory");
    this.svg.append(
      ...this.frames.map(({ rect }) => rect),
      ...this.wires.flatMap(({ path, head }) => [path, head]),
      ...this.frames.map(({ text }) => text),
      ...(this.hasOutsideMemory ? [this.memoryName] : []),
    );
    this.holder = el(
      "div",
      { class: "aw-wm-blocks", style: `height:${inRem(this.total)}` },
      this.svg,
      ...this.buttons.map(({ node }) => node),
    );
    const label = { role: "group", "aria-label": "The blocks, in the order of the data" };
    this.node = el("div", { class: "aw-wm-picture", ...label }, this.holder);
    rove(this.node, { picks: true });
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.holder);
  }

  /** Whether a decoder is drawn alone, which needs the memory of an encoder. */
  get hasOutsideMemory() {
    return this.parts.length === 1 && this.parts[0] === "decoder";
  }

  /** @param {Spot} spot */
  makeButton({ block, bottom, height }) {
    const { id, kind, part, title } = block;
    const left = `left:${100 * (this.center(part) - this.width / 2)}%`;
    const top = `top:${inRem(this.total - bottom - height)}`;
    const count = el("span", { class: "aw-wm-count" });
    const props = {
      type: "button",
      class: `aw-wm-block aw-wm-${kind}`,
      "data-block": id,
      style: `${left};width:${100 * this.width}%;${top};height:${inRem(height)}`,
      onclick: () => this.onopen(id),
    };
    return { block, count, node: el("button", props, el("span", {}, title), count) };
  }

  /** @param {Spot[][]} columns */
  makeWires(columns) {
    const wires = columns.flatMap(wiresOf);
    const cross = [...this.spots.keys()].find((id) => id.endsWith("cross"));
    if (cross) wires.push({ from: "encoder.memory", to: cross, name: "memory", axes: "B S D" });
    return wires.map((wire) => ({
      ...wire,
      path: shape("path", { class: "aw-wm-wire" }),
      head: shape("path", { class: "aw-wm-head", d: "M0 0l-4 7h8z" }),
    }));
  }

  // ── Where things are ─────────────────────────────────────────────────────────────────────────

  /** The middle of a part, where the picture's width is 1. @param {string} part */
  center(part) {
    if (this.parts.length > 1) return 0.25 + 0.5 * this.parts.indexOf(part);
    return this.hasOutsideMemory ? 0.6 : 0.5;
  }

  /** The edges of a block in pixels, from above. @param {string} id */
  box(id) {
    const spot = this.spots.get(id);
    if (!spot) throw new Error(`There is no block ${id}.`);
    const { block, bottom, height } = spot;
    const width = this.holder.clientWidth;
    const [x, half] = [this.center(block.part) * width, (this.width / 2) * width];
    const scale = this.holder.clientHeight / this.total;
    const floor = (this.total - bottom) * scale;
    const top = floor - height * scale;
    return { part: block.part, x, left: x - half, right: x + half, top, floor };
  }

  // ── Showing ──────────────────────────────────────────────────────────────────────────────────

  draw() {
    const width = this.holder.clientWidth;
    if (!width) return;
    const { svg, memoryName } = this;
    const height = this.holder.clientHeight;
    setAttributes(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    for (const wire of this.wires) {
      const { d, end, turn } = this.route(wire);
      wire.path.setAttribute("d", d);
      wire.head.setAttribute("transform", `translate(${end}) rotate(${turn})`);
      if (wire.name === "memory") setAttributes(memoryName, { y: end[1] - 6 });
    }
    for (const { part, rect, text } of this.frames) {
      const layered = this.buttons.filter(({ block }) => block.part === part && block.layered);
      const boxes = layered.map(({ block }) => this.box(block.id));
      const { left, right, top } = boxes[boxes.length - 1];
      const y = top - 21;
      const height = boxes[0].floor - top + 36;
      setAttributes(rect, { x: left - 14, y, width: right - left + 28, height });
      setAttributes(text, { x: right + 8, y: y + 15 });
    }
  }

  /**
   * The path of a wire, its end, and by how many degrees its head is turned.
   * @param {Wire} wire
   * @returns {{d: string, end: [number, number], turn: number}}
   */
  route({ from, to, name, around }) {
    const target = this.box(to);
    if (name === "memory") {
      const y = target.top + 21;
      const end = target.left;
      if (!this.spots.has(from)) return { d: `M2,${y}H${end - 5}`, end: [end, y], turn: 90 };
      const { right, top } = this.box(from);
      const d = `M${right},${top + 14}H${(right + end) / 2}V${y}H${end - 5}`;
      return { d, end: [end, y], turn: 90 };
    }
    if (around) {
      const side = target.part === "encoder" && this.parts.length > 1 ? -1 : 1;
      const edge = side > 0 ? target.right : target.left;
      const y = target.top + 14;
      const start = `M${target.x} ${this.box(around).floor + 9}`;
      const d = `${start}H${edge + 8 * side}V${y}H${edge + 5 * side}`;
      return { d, end: [edge, y], turn: -90 * side };
    }
    const source = this.box(from);
    const d = `M${source.x} ${source.top}V${target.floor + 5}`;
    return { d, end: [target.x, target.floor], turn: 0 };
  }

  /**
   * @param {{open: string, lit: string, sizes: ModelSizes, isLit: (block: ShownBlock) => boolean}}
   *        state the open block, and the name that is pointed at
   */
  update({ open, lit, sizes, isLit }) {
    const layers = `${sizes.N} layer${sizes.N > 1 ? "s" : ""}`;
    for (const { text } of this.frames) setText(text, layers);
    for (const { block, node, count } of this.buttons) {
      const parameters = parametersOf(block, sizes);
      node.setAttribute("aria-pressed", String(block.id === open));
      node.classList.toggle("aw-wm-lit", isLit(block));
      setText(count, parameters ? brief(parameters) : "");
    }
    for (const { from, to, name, axes, path, head } of this.wires) {
      const isNear = from === open || to === open || name === "memory";
      const isOn = axes.split(" ").includes(lit) || (name === lit && isNear);
      for (const node of [path, head]) node.classList.toggle("aw-wm-lit", isOn);
    }
  }

  stop() {
    this.resized.disconnect();
  }
}

/** @param {ShownBlock[]} blocks @param {(id: string) => void} onopen */
export function blockDiagram(blocks, onopen) {
  return new BlockDiagram(blocks, onopen);
}
