// A tensor as sheets of cells, with the words beside the axes that count words.
import { shape } from "./drawing.js";
import { shownAxis } from "./lit_names.js";
import { axisSize } from "./maths/transformer.js";
import { grouped } from "./ui.js";

const [COLUMN, ROW] = [17, 15]; // of a cell, where an axis counts words

/** One tensor as a sheet: rows and columns of its last two axes, with the words beside them. */
export function tensorSheet() {
  const svg = shape("svg", { role: "img", class: "aw-wm-sheet", viewBox: "0 0 340 290" });
  const room = { left: 84, top: 58 };
  function extent(axis, size, words) {
    if (words) return { words, length: size * (axis === "column" ? COLUMN : ROW) };
    return {
      words: null,
      length: axis === "column" ? 30 + 12 * Math.log2(size) : 26 + 8 * Math.log2(size),
    };
  }
  return {
    node: svg,
    update(name, axes, sizes, words, hidesLater) {
      const list = axes.split(" ");
      const named = (axis) =>
        axis === "S" ? words[0] : axis === "T" ? words[1] : axis === "1" ? [""] : null;
      const [columnAxis, rowAxis = "1"] = [...list].reverse();
      const lead = list.slice(0, -2);
      const across = extent("column", axisSize(columnAxis, sizes), named(columnAxis));
      const down = extent("row", axisSize(rowAxis, sizes), named(rowAxis));
      const { left, top } = room;
      const marks = [];
      const sheets = lead.reduce((product, axis) => product * axisSize(axis, sizes), 1);
      const behind =
        sheets > 1 ? (lead.filter((axis) => axisSize(axis, sizes) > 1).length > 1 ? 3 : 2) : 0;
      for (let i = behind; i > 0; i -= 1) {
        marks.push(
          shape("rect", {
            x: left + 6 * i,
            y: top + 6 * i,
            width: across.length,
            height: down.length,
            class: "aw-wm-back",
          }),
        );
      }
      marks.push(
        shape("rect", {
          x: left,
          y: top,
          width: across.length,
          height: down.length,
          class: "aw-wm-front",
        }),
      );
      const text = (x, y, content, props) => shape("text", { x, y, ...props }, content);
      if (down.words) {
        down.words.forEach((word, r) => {
          const y = top + ROW * r;
          if (r)
            marks.push(shape("path", { d: `M${left} ${y}h${across.length}`, class: "aw-wm-rule" }));
          marks.push(text(left - 6, y + 11.5, word, { class: "aw-wm-word aw-wm-end" }));
        });
      } else {
        marks.push(
          text(
            left - 6,
            top + down.length / 2 + 4,
            `${shownAxis(rowAxis).replace("_", "")} = ${grouped(axisSize(rowAxis, sizes))}`,
            { class: "aw-wm-axis aw-wm-end", "data-key": rowAxis },
          ),
        );
      }
      if (across.words) {
        across.words.forEach((word, c) => {
          const x = left + COLUMN * c;
          if (c)
            marks.push(shape("path", { d: `M${x} ${top}v${down.length}`, class: "aw-wm-rule" }));
          marks.push(
            text(0, 0, word, {
              class: "aw-wm-word",
              transform: `translate(${x + 12} ${top - 6}) rotate(-52)`,
            }),
          );
        });
      } else {
        marks.push(
          shape("path", {
            d: `M${left} ${top - 10}h${across.length}m0 -4v8M${left} ${top - 14}v8`,
            class: "aw-wm-ruler",
          }),
        );
        marks.push(
          text(
            left + across.length / 2,
            top - 18,
            `${shownAxis(columnAxis).replace("_", "")} = ${grouped(axisSize(columnAxis, sizes))}`,
            { class: "aw-wm-axis aw-wm-mid", "data-key": columnAxis },
          ),
        );
      }
      if (hidesLater) {
        down.words.forEach((_, r) => {
          if (r + 1 < across.words.length)
            marks.push(
              shape("rect", {
                x: left + COLUMN * (r + 1),
                y: top + ROW * r,
                width: across.length - COLUMN * (r + 1),
                height: ROW,
                class: "aw-wm-hidden",
              }),
            );
        });
      }
      if (sheets > 1) {
        const said = lead
          .filter((axis) => axis !== "1")
          .map((axis) => `${axis} = ${axisSize(axis, sizes)}`)
          .join(", ");
        marks.push(
          text(
            left,
            top + down.length + 6 * behind + 17,
            `one of ${grouped(sheets)} sheets: ${said}`,
            { class: "aw-wm-axis" },
          ),
        );
      }
      svg.replaceChildren(...marks);
      const say = (axis) =>
        named(axis) && axis !== "1"
          ? `${axisSize(axis, sizes)} tokens`
          : `${grouped(axisSize(axis, sizes))}`;
      svg.setAttribute(
        "aria-label",
        `${name} drawn as ${grouped(sheets)} sheet${sheets > 1 ? "s" : ""} of ` +
          `${say(rowAxis)} by ${say(columnAxis)}${hidesLater ? ", later words hidden" : ""}.`,
      );
    },
  };
}
