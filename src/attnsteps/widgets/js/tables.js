// Tables of numbers, which can be walked through and scrolled by keyboard.
import { el, fmt } from "./ui.js";

/**
 * The head of a table: a corner, and the names of the columns.
 * @param {Child[]} columns @param {Child} [corner]
 */
export function tableHead(columns, corner = "") {
  const heads = columns.map((label) => el("th", { scope: "col" }, label));
  return el("thead", {}, el("tr", {}, el("td", { class: "aw-corner" }, corner), ...heads));
}

/** @param {Child} label @param {Child[]} cells */
export function tableRow(label, cells) {
  const head = el("th", { scope: "row" }, label);
  return el("tr", {}, head, ...cells.map((cell) => el("td", {}, cell)));
}

/**
 * A wide table in a box that scrolls by itself, by keyboard too.
 * @param {string} label @param {HTMLTableElement} table @param {Props} [props]
 */
export function scrollBox(label, table, props = {}) {
  const own = { class: "aw-scroll", role: "group", "aria-label": label, tabindex: 0 };
  return el("div", { ...own, ...props }, table);
}

/**
 * A matrix as a real table; cells are tinted by `tint(value)` in [−1, 1] (sign picks the hue).
 * `update` rewrites numbers in place, so that dragging a control repaints quickly.
 * @param {{caption: string, rows: string[], columns: Child[], digits?: number,
 *          tint?: ((value: number) => number) | null, corner?: string,
 *          onpick?: ((row: number, column: number) => void) | null}} options
 * @returns {MatrixTable}
 */
export function matrixTable({ caption, rows, columns, digits = 2, tint, corner = "", onpick }) {
  const cells = onpick
    ? pickableCells(rows.length, columns.length, onpick)
    : rows.map(() => columns.map(() => el("span", { class: "aw-cell" })));
  const table = el(
    "table",
    { class: "aw-matrix" },
    el("caption", {}, caption),
    tableHead(columns, corner),
    el("tbody", {}, ...rows.map((label, r) => tableRow(label, cells[r]))),
  );
  return {
    node: scrollBox(caption, table, { tabindex: onpick ? null : 0 }),
    table,
    cells,
    update(values) {
      values.forEach((line, r) => {
        Array.from(line).forEach((value, c) => {
          setCell(cells[r][c], fmt(value, digits), tint ? tint(value) : null);
        });
      });
    },
    /** Outline one cell (or none), for linking it to something else on screen. */
    mark(row, column) {
      cells.forEach((line, r) =>
        line.forEach((cell, c) => {
          cell.classList.toggle("aw-marked", r === row && c === column);
        }),
      );
    },
  };
}

/**
 * @param {HTMLElement} cell @param {string} text
 * @param {number | null} amount how strongly to tint it
 */
function setCell(cell, text, amount) {
  if (cell.textContent !== text) cell.textContent = text;
  if (amount === null) return;
  cell.style.setProperty("--amount", String(Math.min(1, Math.abs(amount) || 0)));
  cell.classList.toggle("aw-negative", amount < 0);
}

/** @type {Record<string, [number, number]>} */
export const ARROWS = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * The cells of a table as buttons, one of them in the tab order; arrow keys go on to the others.
 * @param {number} numRows @param {number} numColumns
 * @param {(row: number, column: number) => void} onpick
 */
function pickableCells(numRows, numColumns, onpick) {
  const cells = Array.from({ length: numRows }, (_, r) =>
    Array.from({ length: numColumns }, (__, c) => {
      const cell = el("button", { type: "button", class: "aw-cell", tabindex: r + c ? -1 : 0 });
      cell.addEventListener("click", () => pick(r, c));
      cell.addEventListener("focus", () => pick(r, c));
      cell.addEventListener("mousemove", () => onpick(r, c)); // not when a cell scrolls under it
      cell.addEventListener("keydown", (event) => move(event, r, c));
      return cell;
    }),
  );
  /** @param {number} r @param {number} c */
  function pick(r, c) {
    for (const line of cells) for (const cell of line) cell.tabIndex = -1;
    cells[r][c].tabIndex = 0;
    onpick(r, c);
  }
  /** @param {KeyboardEvent} event @param {number} r @param {number} c */
  function move(event, r, c) {
    const step = ARROWS[event.key];
    if (!step) return;
    event.preventDefault(); // at the edge, too: the page stays where it is
    cells[r + step[0]]?.[c + step[1]]?.focus();
  }
  return cells;
}
