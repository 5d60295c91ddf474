// Names of tensors, axes and matrices that light up wherever they stand.
import { setText } from "./drawing.js";
import { axisSize } from "./maths/transformer.js";
import { el, grouped } from "./ui.js";

/** A count in a few characters: 1,024 or 1.05 M. @param {number} value */
export function brief(value) {
  if (value < 10000) return grouped(value);
  const power = value < 999.5e3 ? 1 : value < 999.5e6 ? 2 : value < 999.5e9 ? 3 : 4;
  return `${(value / 1000 ** power).toPrecision(3)} ${" kMGT"[power]}`;
}

/**
 * The pieces of "{Dk:D_k} = …": the key of each name, or null, and what is shown.
 * @param {string} text
 * @returns {{key: string | null, shown: string}[]}
 */
function pieces(text) {
  return text
    .split(/(\{[^}]*\})/)
    .filter(Boolean)
    .map((piece) => {
      if (!piece.startsWith("{")) return { key: null, shown: piece };
      const [key, shown = key] = piece.slice(1, -1).split(":");
      return { key, shown };
    });
}

/**
 * A name with its index lowered, as in D_k.
 * @param {string} shown
 * @returns {Child[]}
 */
export function lowered(shown) {
  const [, name, index] = /^(√?[A-Za-z])_(.)$/.exec(shown) ?? [null, shown, ""];
  return index ? [name, el("sub", {}, index)] : [name];
}

/**
 * A name that can be pointed at; `content` is how it is written.
 * @param {string} key @param {Child[]} content
 */
export function nameButton(key, content) {
  return el(
    "button",
    { type: "button", class: "aw-wm-name", "data-key": key },
    el("span", {}, ...content),
  );
}

/**
 * A line of names that can be pointed at; `code` keeps indices as they are typed.
 * @param {string} text @param {boolean} [code]
 */
export function line(text, code = false) {
  return pieces(text).map(({ key, shown }) =>
    key === null ? shown : nameButton(key, code ? [shown] : lowered(shown)),
  );
}

/** Axes as names in brackets, and as numbers behind them. @param {string} axes */
export function shapeLine(axes) {
  const list = axes.split(" ");
  /** @param {Child[]} items @returns {Child[]} */
  const join = (items) => items.flatMap((item, i) => (i ? [", ", item] : [item]));
  const names = list.map((axis) =>
    /^\d/.test(axis) ? axis : nameButton(axis, lowered(shownAxis(axis))),
  );
  const numbers = list.map((axis) => el("span", { class: "aw-wm-size", "data-key": axis }));
  return {
    nodes: ["(", ...join(names), ") = (", ...join(numbers), ")"],
    /** @param {ModelSizes} sizes */
    update(sizes) {
      numbers.forEach((node, i) => setText(node, grouped(axisSize(list[i], sizes))));
    },
  };
}

/** @type {Record<string, string>} */
const PAPER_NAMES = { Dk: "D_k", Dv: "D_v", Vsrc: "V" };

/** An axis as the paper writes it. @param {string} axis */
export function shownAxis(axis) {
  return PAPER_NAMES[axis] ?? axis;
}

/**
 * Every name that a block's formulas, code, shapes and parameter matrices mention.
 * @param {ShownBlock} block
 */
export function namesIn({ steps, learned }) {
  const texts = steps.flatMap(({ formula, code }) => [formula, code]);
  return new Set([
    ...texts.flatMap(pieces).flatMap(({ key }) => key ?? []),
    ...[...steps, ...learned].flatMap(({ axes }) => axes.split(" ")),
    ...learned.flatMap(({ names }) => names),
  ]);
}
