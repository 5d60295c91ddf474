// Attention weights as a real table, in percent; the head of a row is a button that chooses it.
import { rove } from "./roving.js";
import { el, uid } from "./ui.js";

/** @param {(row: number) => void} onpick */
export function weightTable(onpick) {
  const id = uid();
  const caption = el("caption", { id });
  const [head, body] = [el("thead"), el("tbody")];
  const table = rove(el("table", { class: "aw-matrix" }, caption, head, body));
  const label = { role: "group", "aria-labelledby": id };
  let form = ""; // the labels that the cells were made for
  /** @type {{node: HTMLElement, pick: HTMLButtonElement, cells: HTMLElement[]}[]} */
  let rows = [];

  return {
    node: el("div", { class: "aw-scroll wt", tabindex: 0, ...label }, table),
    /** @param {WeightTableState} state */
    show(state) {
      const wanted = JSON.stringify([state.rows, state.columns]);
      if (form !== wanted) {
        rows = state.rows.map((_, r) => makeRow(state, r, () => onpick(r)));
        head.replaceChildren(makeHead(state));
        body.replaceChildren(...rows.map(({ node }) => node));
      }
      form = wanted;
      caption.textContent = state.caption;
      rows.forEach(({ node, pick, cells }, r) => {
        state.values[r].forEach((value, c) => setWeight(cells[c], value));
        pick.setAttribute("aria-pressed", String(r === state.marked));
        node.classList.toggle("wt-marked", r === state.marked);
        node.classList.toggle("wt-later", r >= (state.shown ?? Infinity));
      });
    },
  };
}

/** @param {WeightTableState} state */
function makeHead({ columns, columnNames, columnLang: lang, columnGlosses = [] }) {
  const heads = columns.map((label, c) => {
    const title = columnNames[c] === label ? null : columnNames[c];
    const gloss = columnGlosses[c]
      ? el("span", { class: "wt-gloss", lang: "en" }, columnGlosses[c])
      : "";
    return el("th", { scope: "col", lang, title }, label, gloss);
  });
  return el("tr", {}, el("td", { class: "aw-corner" }), ...heads);
}

/** @param {WeightTableState} state @param {number} r @param {() => void} onclick */
function makeRow({ rows, rowNames, rowLang: lang, columns }, r, onclick) {
  const label = { lang, "aria-label": rowNames[r], "aria-pressed": "false" };
  const pick = el("button", { type: "button", class: "wt-pick", ...label, onclick }, rows[r]);
  const cells = columns.map(() => el("span", { class: "aw-cell" }));
  const entries = cells.map((cell) => el("td", {}, cell));
  return { node: el("tr", {}, el("th", { scope: "row" }, pick), ...entries), pick, cells };
}

/** @param {HTMLElement} cell @param {number | null} value */
function setWeight(cell, value) {
  cell.textContent = value === null ? "" : String(Math.round(100 * value));
  cell.style.setProperty("--amount", String(value ?? 0));
  cell.classList.toggle("wt-none", value === null);
}
