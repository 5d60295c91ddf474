// Names of tensors, axes and matrices that light up wherever they stand, and counts in few
// characters.
import { setText } from "./drawing.js";
import { axisSize } from "./maths/transformer.js";
import { el, grouped } from "./ui.js";

/** A count in a few characters: 1,024 or 1.05 M. */
export function brief(value) {
  if (value < 10000) return grouped(value);
  const [divisor, unit] =
    value < 999.5e3
      ? [1e3, "k"]
      : value < 999.5e6
        ? [1e6, "M"]
        : value < 999.5e9
          ? [1e9, "G"]
          : [1e12, "T"];
  return `${(value / divisor).toPrecision(3)} ${unit}`;
}

/** The pieces of "{Dk:D_k} = …": [key, shown] for a name, a string for what stands between. */
function pieces(text) {
  return text
    .split(/(\{[^}]*\})/)
    .filter(Boolean)
    .map((piece) => {
      if (!piece.startsWith("{")) return piece;
      const [key, shown = key] = piece.slice(1, -1).split(":");
      return [key, shown];
    });
}

/** A name with its index lowered, as in D_k. */
export function lowered(shown) {
  const [, name, index] = /^(√?[A-Za-z])_(.)$/.exec(shown) ?? [null, shown, ""];
  return index ? [name, el("sub", {}, index)] : [name];
}

/** A name that can be pointed at; `content` is how it is written. */
export function nameButton(key, content) {
  return el(
    "button",
    { type: "button", class: "aw-wm-name", "data-key": key, tabindex: -1 },
    el("span", {}, ...content),
  );
}

/** A line of names that can be pointed at; `code` keeps indices as they are typed. */
export function line(text, code = false) {
  return pieces(text).map((piece) =>
    typeof piece === "string" ? piece : nameButton(piece[0], code ? [piece[1]] : lowered(piece[1])),
  );
}

/** Axes as names in brackets, and as numbers behind them. */
export function shapeLine(axes) {
  const list = axes.split(" ");
  const join = (items) => items.flatMap((item, i) => (i ? [", ", item] : [item]));
  const names = list.map((axis) =>
    /^\d/.test(axis) ? axis : nameButton(axis, lowered(shownAxis(axis))),
  );
  const numbers = list.map((axis) => el("span", { class: "aw-wm-size", "data-key": axis }));
  return {
    nodes: ["(", ...join(names), ") = (", ...join(numbers), ")"],
    update(sizes) {
      numbers.forEach((node, i) => setText(node, grouped(axisSize(list[i], sizes))));
    },
  };
}

/** An axis as the paper writes it. */
export function shownAxis(axis) {
  return { Dk: "D_k", Dv: "D_v", Vsrc: "V" }[axis] ?? axis;
}

/** Every name that a block's formulas, code, shapes and learned matrices mention. */
export function namesIn(block) {
  const texts = block.steps.flatMap(({ formula, code }) => [formula, code]);
  return new Set([
    ...texts
      .flatMap(pieces)
      .filter(Array.isArray)
      .map(([key]) => key),
    ...[...block.steps, ...block.learned].flatMap(({ axes }) => axes.split(" ")),
    ...block.learned.flatMap(({ names }) => names),
  ]);
}
