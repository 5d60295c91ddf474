// Attention weights as a real table, in percent; the head of a row is a button that chooses it.
import { el, uid } from "./ui.js";

/** @param {(row: number) => void} onpick */
export function weightTable(onpick) {
  const id = uid();
  const caption = el("caption", { id });
  const [head, body] = [el("thead"), el("tbody")];
  const node = el("div", { class: "aw-scroll wt", tabindex: 0, role: "group", "aria-labelledby": id }, el("table", { class: "aw-matrix" }, caption, head, body));
  let form = ""; // the labels that the cells were made for
  let [picks, cells] = [[], []];

  function make({ rows, columns, rowLang, columnLang, rowNames, columnNames }) {
    head.replaceChildren(el("tr", {}, el("td", { class: "aw-corner" }), ...columns.map((label, c) => el("th", { scope: "col", lang: columnLang, title: columnNames[c] === label ? null : columnNames[c] }, label))));
    picks = rows.map((label, r) => el("button", { type: "button", class: "wt-pick", lang: rowLang, "aria-label": rowNames[r], "aria-pressed": "false", onclick: () => onpick(r) }, label));
    cells = rows.map(() => columns.map(() => el("span", { class: "aw-cell" })));
    body.replaceChildren(...picks.map((pick, r) => el("tr", {}, el("th", { scope: "row" }, pick), ...cells[r].map((cell) => el("td", {}, cell)))));
  }
  return {
    node,
    /**
     * @param {{caption: string, rows: string[], columns: string[], rowNames: string[], columnNames: string[],
     *          rowLang: string, columnLang: string, values: (number|null)[][], marked: number, shown?: number}} state
     *        the names say more than the labels; a value of null: not to be seen from there; shown: how
     *        many rows are there by now
     */
    show(state) {
      const wanted = JSON.stringify([state.rows, state.columns]);
      if (form !== wanted) make(state);
      form = wanted;
      caption.textContent = state.caption;
      state.values.forEach((row, r) => row.forEach((value, c) => {
        const cell = cells[r][c];
        cell.textContent = value === null ? "" : String(Math.round(100 * value));
        cell.style.setProperty("--amount", String(value ?? 0));
        cell.classList.toggle("wt-none", value === null);
      }));
      picks.forEach((pick, r) => {
        pick.setAttribute("aria-pressed", String(r === state.marked));
        pick.closest("tr").classList.toggle("wt-marked", r === state.marked);
        pick.closest("tr").classList.toggle("wt-later", r >= (state.shown ?? Infinity));
      });
    },
  };
}
