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
 *          onpick?: PickCell | null}} options
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

/**
 * The cells of a table as buttons. What the pointer and the arrow keys come to is picked; a press
 * is told from both.
 * @param {number} numRows @param {number} numColumns @param {PickCell} onpick
 */
function pickableCells(numRows, numColumns, onpick) {
  return Array.from({ length: numRows }, (_, r) =>
    Array.from({ length: numColumns }, (__, c) => {
      const cell = el("button", { type: "button", class: "aw-cell" });
      cell.addEventListener("click", () => onpick(r, c, "press"));
      cell.addEventListener("focus", () => cell.matches(":focus-visible") && onpick(r, c, "key"));
      cell.addEventListener("mousemove", () => onpick(r, c, "point")); // not by scrolling
      return cell;
    }),
  );
}
