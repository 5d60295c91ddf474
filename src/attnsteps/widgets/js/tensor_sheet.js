// A tensor as sheets of cells, with the words beside the axes that count words.
import { shape } from "./drawing.js";
import { shownAxis } from "./lit_names.js";
import { axisSize } from "./maths/transformer.js";
import { grouped } from "./ui.js";

const [COLUMN, ROW] = [17, 15]; // of a cell, where an axis counts words
const [LEFT, TOP] = [84, 58];

/**
 * An axis as it is drawn: with its words, or else with its size.
 * @typedef {{axis: string, size: number, words: string[] | null, length: number}} Side
 */
/**
 * What is drawn: the front sheet, the number of all sheets, and of those that show behind it.
 * @typedef {{across: Side, down: Side, numSheets: number, numBehind: number, lead: string}} Sheets
 */

/** @param {number} x @param {number} y @param {string} content @param {Props} props */
const text = (x, y, content, props) => shape("text", { x, y, ...props }, content);
/** @param {string} d */
const rule = (d) => shape("path", { d, class: "aw-wm-rule" });

/**
 * @param {string} axes @param {ModelSizes} sizes
 * @param {[string[], string[]]} words of the source and the target
 * @returns {Sheets}
 */
function sheetsOf(axes, sizes, [source, target]) {
  /** @param {string} axis @param {number} cell @param {number[]} free where it counts no words */
  const side = (axis, cell, [least, more]) => {
    const size = axisSize(axis, sizes);
    const words = axis === "S" ? source : axis === "T" ? target : axis === "1" ? [""] : null;
    return { axis, size, words, length: words ? size * cell : least + more * Math.log2(size) };
  };
  const list = axes.split(" ");
  const [column, row = "1"] = [...list].reverse();
  const lead = list.slice(0, -2).map((axis) => ({ axis, size: axisSize(axis, sizes) }));
  const numSheets = lead.reduce((product, { size }) => product * size, 1);
  const numWide = lead.filter(({ size }) => size > 1).length;
  return {
    across: side(column, COLUMN, [30, 12]),
    down: side(row, ROW, [26, 8]),
    numSheets,
    numBehind: numSheets > 1 ? (numWide > 1 ? 3 : 2) : 0,
    lead: lead
      .filter(({ axis }) => axis !== "1")
      .map(({ axis, size }) => `${axis} = ${size}`)
      .join(", "),
  };
}

/** @param {Sheets} sheets */
function outlines({ across, down, numBehind }) {
  return Array.from({ length: numBehind + 1 }, (_, i) => {
    const offset = 6 * (numBehind - i);
    return shape("rect", {
      x: LEFT + offset,
      y: TOP + offset,
      width: across.length,
      height: down.length,
      class: offset ? "aw-wm-back" : "aw-wm-front",
    });
  });
}

/** @param {Side} side */
function sizeText({ axis, size }) {
  return `${shownAxis(axis).replace("_", "")} = ${grouped(size)}`;
}

/** @param {Sheets} sheets */
function rowNames({ across, down }) {
  if (!down.words) {
    const props = { class: "aw-wm-axis aw-wm-end", "data-key": down.axis };
    return [text(LEFT - 6, TOP + down.length / 2 + 4, sizeText(down), props)];
  }
  return down.words.flatMap((word, r) => {
    const y = TOP + ROW * r;
    const name = text(LEFT - 6, y + 11.5, word, { class: "aw-wm-word aw-wm-end" });
    return r ? [rule(`M${LEFT} ${y}h${across.length}`), name] : [name];
  });
}

/** @param {Sheets} sheets */
function columnNames({ across, down }) {
  if (!across.words) {
    const d = `M${LEFT} ${TOP - 10}h${across.length}m0 -4v8M${LEFT} ${TOP - 14}v8`;
    const props = { class: "aw-wm-axis aw-wm-mid", "data-key": across.axis };
    const name = text(LEFT + across.length / 2, TOP - 18, sizeText(across), props);
    return [shape("path", { d, class: "aw-wm-ruler" }), name];
  }
  return across.words.flatMap((word, c) => {
    const x = LEFT + COLUMN * c;
    const transform = `translate(${x + 12} ${TOP - 6}) rotate(-52)`;
    const name = text(0, 0, word, { class: "aw-wm-word", transform });
    return c ? [rule(`M${x} ${TOP}v${down.length}`), name] : [name];
  });
}

/** What covers the words to come in each row. @param {Sheets} sheets */
function laterWords({ across, down }) {
  const count = across.words?.length ?? 0;
  return (down.words ?? []).slice(0, Math.max(0, count - 1)).map((_, r) =>
    shape("rect", {
      x: LEFT + COLUMN * (r + 1),
      y: TOP + ROW * r,
      width: across.length - COLUMN * (r + 1),
      height: ROW,
      class: "aw-wm-hidden",
    }),
  );
}

/** One tensor as a sheet: rows and columns of its last two axes, with the words beside them. */
export function tensorSheet() {
  const svg = shape("svg", { role: "img", class: "aw-wm-sheet", viewBox: "0 0 340 290" });
  return {
    node: svg,
    /**
     * @param {string} name @param {string} axes @param {ModelSizes} sizes
     * @param {[string[], string[]]} words of the source and the target
     * @param {boolean} hidesLater whether a word cannot attend to those to come
     */
    update(name, axes, sizes, words, hidesLater) {
      const sheets = sheetsOf(axes, sizes, words);
      const { down, across, numSheets, numBehind, lead } = sheets;
      const count = `one of ${grouped(numSheets)} sheets: ${lead}`;
      const y = TOP + down.length + 6 * numBehind + 17;
      svg.replaceChildren(
        ...outlines(sheets),
        ...rowNames(sheets),
        ...columnNames(sheets),
        ...(hidesLater ? laterWords(sheets) : []),
        ...(numSheets > 1 ? [text(LEFT, y, count, { class: "aw-wm-axis" })] : []),
      );
      /** @param {Side} side */
      const say = ({ words: own, axis, size }) =>
        own && axis !== "1" ? `${size} tokens` : grouped(size);
      svg.setAttribute(
        "aria-label",
        `${name} drawn as ${grouped(numSheets)} sheet${numSheets > 1 ? "s" : ""} of ${say(down)} ` +
          `by ${say(across)}${hidesLater ? ", later words hidden" : ""}.`,
      );
    },
  };
}
