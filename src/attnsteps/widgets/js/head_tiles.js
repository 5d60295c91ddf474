// Every head as a small picture: a row for each query, a column for each key.
import { shape } from "./drawing.js";
import { headLabel } from "./looks.js";
import { HIDDEN } from "./loss_curve.js";
import { decidedness } from "./maths/time_machine.js";
import { rove } from "./roving.js";
import { asPercent, el } from "./ui.js";

/** @param {(head: HeadPlace) => void} onpick */
export function headTiles(onpick) {
  const label = { role: "group", "aria-label": "The heads" };
  const node = rove(el("div", { class: "tm-tiles", ...label }));
  /** @type {ReturnType<typeof headTile>[]} */
  let tiles = [];
  return {
    node,
    /**
     * @param {HeadPlace[]} heads null stands for all of them
     * @param {number} numQueries @param {number} numKeys
     */
    make(heads, numQueries, numKeys) {
      tiles = heads.map((head) => headTile(head, numQueries, numKeys, () => onpick(head)));
      node.replaceChildren(...tiles.map((tile) => tile.node));
    },
    /** @param {(head: HeadPlace) => number[][]} weightsOf @param {HeadPlace} chosen */
    show(weightsOf, chosen) {
      for (const { head, show } of tiles) show(weightsOf(head), String(head) === String(chosen));
    },
  };
}

/**
 * @param {HeadPlace} head @param {number} numQueries @param {number} numKeys
 * @param {() => void} onclick
 */
function headTile(head, numQueries, numKeys, onclick) {
  const cells = Array.from({ length: numQueries }, (_, y) =>
    Array.from({ length: numKeys }, (__, x) =>
      shape("rect", { x, y, width: 1, height: 1, opacity: 0 }),
    ),
  );
  const picture = shape(
    "svg",
    { ...HIDDEN, viewBox: `0 0 ${numKeys} ${numQueries}` },
    ...cells.flat(),
  );
  const share = el("span", { class: "tr-share" });
  const title = head ? `layer ${head[0] + 1}, head ${head[1] + 1}` : "all heads, averaged";
  const props = { type: "button", class: "tm-tile", "aria-pressed": "false", onclick };
  const node = el("button", props, picture, el("span", { title }, headLabel(head)), share);
  return {
    head,
    node,
    /** @param {number[][]} weights @param {boolean} isChosen */
    show(weights, isChosen) {
      weights.forEach((row, r) =>
        row.forEach((weight, c) => cells[r][c].setAttribute("opacity", weight.toFixed(2))),
      );
      share.textContent = asPercent(decidedness(weights));
      node.setAttribute("aria-pressed", String(isChosen));
    },
  };
}
