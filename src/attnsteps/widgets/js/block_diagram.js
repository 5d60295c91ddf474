// The blocks of the Transformer as the paper draws them: buttons on a ground of wires.
import { setAttributes, setText, shape } from "./drawing.js";
import { brief } from "./lit_names.js";
import { parametersOf } from "./maths/transformer.js";
import { el } from "./ui.js";

const HEIGHTS = { attention: 42, feed_forward: 42, projection: 42, embedding: 42, ids: 42 };
const HIGHEST = 54; // a title of two lines, and the count
const LOW = 28; // the height of all other blocks

/** The blocks as buttons on a ground of wires, inputs at the bottom as in the paper. */
export function blockDiagram(blocks, onopen) {
  const parts = [...new Set(blocks.map(({ part }) => part))];
  const needsMemory = parts.length === 1 && parts[0] === "decoder";
  const columns = Object.fromEntries(
    parts.map((part, i) => [part, parts.length === 1 ? (needsMemory ? 0.6 : 0.5) : 0.25 + 0.5 * i]),
  );
  const widths = parts.length === 1 ? 0.5 : 0.39;
  const spots = new Map();
  let total = 0;
  for (const part of parts) {
    let bottom = 4;
    let before = null;
    for (const block of blocks.filter((item) => item.part === part)) {
      const height = block.title.length > 17 ? HIGHEST : (HEIGHTS[block.kind] ?? LOW);
      if (before)
        bottom +=
          !before.layered && !block.layered
            ? 14
            : before.layered !== block.layered
              ? 30
              : block.kind === "norm"
                ? 8
                : 18;
      spots.set(block.id, { part, bottom, height, block });
      bottom += height;
      before = block;
    }
    total = Math.max(total, bottom + 6);
  }
  const buttons = new Map();
  const holder = el("div", { class: "aw-wm-blocks", style: `height:${total}px` });
  const svg = shape("svg", { class: "aw-wm-wires", "aria-hidden": "true", focusable: "false" });
  const node = el(
    "div",
    { class: "aw-wm-picture", role: "group", "aria-label": "The blocks, in the order of the data" },
    holder,
  );
  holder.append(svg);
  for (const [id, { part, bottom, height, block }] of spots) {
    const count = el("span", { class: "aw-wm-count" });
    const across = `left:${100 * (columns[part] - widths / 2)}%;width:${100 * widths}%`;
    const item = el(
      "button",
      {
        type: "button",
        class: `aw-wm-block aw-wm-${block.kind}`,
        tabindex: -1,
        "data-block": id,
        style: `${across};top:${total - bottom - height}px;height:${height}px`,
        onclick: () => onopen(id),
      },
      el("span", {}, block.title),
      count,
    );
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
    const near = (list) =>
      list.reduce(
        (best, id) =>
          Math.abs(spots.get(id).bottom - here.bottom) <
          Math.abs(spots.get(best).bottom - here.bottom)
            ? id
            : best,
        list[0],
      );
    const next = {
      ArrowUp: inPart[inPart.indexOf(order[at]) + 1],
      ArrowDown: inPart[inPart.indexOf(order[at]) - 1],
      ArrowLeft: here.part === "decoder" && other.length ? near(other) : null,
      ArrowRight: here.part === "encoder" && other.length ? near(other) : null,
    }[event.key];
    if (!/^Arrow/.test(event.key)) return;
    event.preventDefault(); // at the end, too: the page stays where it is
    if (!next) return;
    buttons.get(next).item.focus();
    onopen(next);
  });

  const wires = [];
  for (const part of parts) {
    const ids = order.filter((id) => spots.get(id).part === part);
    ids.slice(1).forEach((to, i) => {
      const last = spots.get(ids[i]).block.steps.at(ids[i].endsWith("words") ? 0 : -1);
      wires.push({ from: ids[i], to, name: last.tensor, axes: last.axes });
      if (spots.get(to).block.kind === "norm")
        wires.push({
          from: ids[i - 1],
          to,
          name: "x",
          axes: spots.get(to).block.steps[0].axes,
          around: ids[i],
        });
    });
  }
  const cross = order.find((id) => id.endsWith("cross"));
  if (cross) wires.push({ from: "encoder.memory", to: cross, name: "memory", axes: "B S D" });
  const fromOutside =
    cross && !spots.has("encoder.memory")
      ? shape("text", { class: "aw-wm-word", x: 2 }, "memory")
      : null;
  const frames = parts.map((part) => ({
    part,
    rect: shape("rect", { rx: 10, class: "aw-wm-layer" }),
    text: shape("text", { class: "aw-wm-times" }),
  }));
  for (const wire of wires) {
    wire.path = shape("path", { class: "aw-wm-wire" });
    wire.head = shape("path", { class: "aw-wm-head" });
  }
  svg.append(
    ...frames.map(({ rect }) => rect),
    ...wires.flatMap(({ path, head }) => [path, head]),
    ...frames.map(({ text }) => text),
    ...(fromOutside ? [fromOutside] : []),
  );

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
        d = spots.has(from)
          ? `M${start}H${(start[0] + gap) / 2}V${y}H${gap - 5}`
          : `M${start}H${gap - 5}`;
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
      const inside = order.filter(
        (id) => spots.get(id).part === part && spots.get(id).block.layered,
      );
      const box = {
        x: columns[part] * width - half - 14,
        y: top(inside.at(-1)) - 21,
        width: 2 * half + 28,
        height: floor(inside[0]) - top(inside.at(-1)) + 36,
      };
      setAttributes(rect, box);
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
        const on =
          axes.split(" ").includes(lit) ||
          (name === lit && (from === open || to === open || name === "memory"));
        path.classList.toggle("aw-wm-lit", on);
        head.classList.toggle("aw-wm-lit", on);
      }
    },
    focus(id) {
      buttons.get(id).item.focus();
    },
  };
}
