// A map of word vectors before and after learning, the nearest words, and the look-up by a one-hot
// vector.
import { setText, shape } from "./drawing.js";
import { matmul } from "./maths/linear.js";
import { cosine, nearest, oneHot } from "./maths/neighbours.js";
import { choice, el, fmt, frame, matrixTable, status } from "./ui.js";

const BOX = { width: 640, height: 400, pad: 26 };
const NEAR = 8;
const SHOWN = 6; // so many rows and columns of the table are written out

/** Every word as a point; the chosen one and its neighbours are written out. */
function map(words, onpick) {
  const marks = words.map(() => shape("circle", { r: 3.5, class: "aw-em-point" }));
  const names = words.map((word) => shape("text", { class: "aw-em-name" }, word));
  const links = Array.from({ length: NEAR }, () => shape("line", { class: "aw-em-link" }));
  const node = shape(
    "svg",
    { viewBox: `0 0 ${BOX.width} ${BOX.height}`, role: "img", class: "aw-em-map" },
    ...links,
    ...marks,
    ...names,
  );
  let places = [];
  let order = []; // the words by how much their names matter
  /** Write a name beside, above or below its point, where it covers no name that matters more. */
  function label() {
    names.forEach((name) => name.setAttribute("display", "inline"));
    const sizes = names.map((name) => name.getBBox()); // all at once: one layout of the page
    const taken = [];
    for (const i of order) {
      const { width: w, height: h, y: above } = sizes[i];
      const [x, y] = places[i];
      const spot = [
        [x + 7, y - h / 2],
        [x - 7 - w, y - h / 2],
        [x - w / 2, y - 7 - h],
        [x - w / 2, y + 7],
      ].find(
        ([left, top]) =>
          left >= 0 &&
          left + w <= BOX.width &&
          top >= 0 &&
          top + h <= BOX.height &&
          taken.every(([a, b, c, d]) => left > c || left + w < a || top > d || top + h < b),
      );
      if (!spot) {
        names[i].setAttribute("display", "none");
        continue;
      }
      const [left, top] = spot;
      names[i].setAttribute("x", left.toFixed(1));
      const ascent = Number(names[i].getAttribute("y")) - above;
      names[i].setAttribute("y", (top + ascent).toFixed(1));
      if (w) taken.push([left, top, left + w, top + h]);
    }
  }
  new ResizeObserver(() => order.length && label()).observe(node);
  node.addEventListener("click", (event) => {
    const box = node.getBoundingClientRect();
    const at = [
      ((event.clientX - box.left) / box.width) * BOX.width,
      ((event.clientY - box.top) / box.height) * BOX.height,
    ];
    const far = places.map(([x, y]) => Math.hypot(x - at[0], y - at[1]));
    onpick(far.indexOf(Math.min(...far)));
  });
  return {
    node,
    update(points, selected, near) {
      const low = [0, 1].map((axis) => Math.min(...points.map((point) => point[axis])));
      const high = [0, 1].map((axis) => Math.max(...points.map((point) => point[axis])));
      const { width, height, pad } = BOX;
      const scale = (value, axis, size) =>
        pad + ((value - low[axis]) / (high[axis] - low[axis] || 1)) * (size - 2 * pad);
      places = points.map(([x, y]) => [scale(x, 0, width), height - scale(y, 1, height)]);
      places.forEach(([x, y], i) => {
        marks[i].setAttribute("cx", x.toFixed(1));
        marks[i].setAttribute("cy", y.toFixed(1));
        const kind = i === selected ? " aw-em-chosen" : near.includes(i) ? " aw-em-near" : "";
        marks[i].setAttribute("class", `aw-em-point${kind}`);
        names[i].setAttribute("class", `aw-em-name${kind}`);
      });
      order = [...new Set([selected, ...near, ...words.keys()])];
      label();
      near.forEach((i, k) => {
        links[k].setAttribute("x1", places[selected][0]);
        links[k].setAttribute("y1", places[selected][1]);
        links[k].setAttribute("x2", places[i][0]);
        links[k].setAttribute("y2", places[i][1]);
      });
    },
  };
}

function render({ model, el: host }) {
  const root = frame(host, "Words as points");
  const words = model.get("words");
  const sets = [model.get("before"), model.get("after")];
  const maps = [model.get("map_before"), model.get("map_after")];

  function set(name, value) {
    model.set(name, value);
    model.save_changes();
  }
  const order = Array.from(words.keys()).sort((i, j) => words[i].localeCompare(words[j], "en"));
  const picker = el(
    "select",
    { class: "aw-em-select", onchange: () => set("selected", Number(picker.value)) },
    ...order.map((i) => el("option", { value: i }, words[i])),
  );
  const label = el("label", { class: "aw-em-label" }, "Word ", picker);
  const learned = choice({
    label: "Vectors",
    options: ["before learning", "after learning"],
    selected: Number(model.get("learned")),
    onchange: (i) => set("learned", i === 1),
  });
  const picture = map(words, (i) => set("selected", i));
  const rows = Array.from({ length: NEAR }, () => {
    const parts = {
      word: el("button", { type: "button", class: "aw-em-word" }),
      fill: el("span", { class: "aw-em-fill" }),
      number: el("span", { class: "aw-em-number" }),
    };
    const node = el(
      "li",
      {},
      parts.word,
      el("span", { class: "aw-em-track", "aria-hidden": true }, parts.fill),
      parts.number,
    );
    return { ...parts, node };
  });
  rows.forEach(({ word }) =>
    word.addEventListener("click", () => set("selected", Number(word.dataset.index))),
  );
  const said = status();
  const looked = el("div", {});
  const details = el(
    "details",
    {},
    el("summary", {}, "One-hot times matrix: how the vector is looked up"),
    looked,
  );
  root.append(
    el("div", { class: "aw-row" }, label, learned.node),
    picture.node,
    el(
      "p",
      { class: "aw-note" },
      "The map keeps two of the many directions, so words can look nearer than they are. " +
        "The list below uses all of them.",
    ),
    said.node,
    el("ol", { class: "aw-em-list" }, ...rows.map(({ node }) => node)),
    details,
  );
  let table = null;
  let result = null;
  let tableFor = "";

  function lookUp(vectors, selected) {
    // The chosen row in the middle of a few others, and the first few columns.
    const from = Math.max(0, Math.min(words.length - SHOWN, selected - 2));
    const rowsShown = Array.from({ length: SHOWN }, (_, i) => from + i);
    const names = rowsShown.map((i) => words[i]);
    const hot = oneHot(selected, words.length);
    const [row] = matmul([hot], vectors);
    const columns = Array.from({ length: SHOWN }, (_, i) => `${i + 1}`);
    const key = names.join(" ");
    if (tableFor !== key) {
      tableFor = key;
      table = matrixTable({
        caption:
          `${SHOWN} of ${words.length} rows and the first ${SHOWN} of ${vectors[0].length} ` +
          "columns; left of them the one-hot vector",
        rows: names,
        columns: ["one-hot", ...columns],
        tint: (value) => value,
      });
      result = matrixTable({
        caption: "their product",
        rows: ["sum"],
        columns,
        tint: (value) => value,
      });
      looked.replaceChildren(table.node, result.node);
    }
    table.update(rowsShown.map((i) => [hot[i], ...Array.from(vectors[i]).slice(0, SHOWN)]));
    table.mark(selected - from, 0);
    result.update([Array.from(row).slice(0, SHOWN)]);
  }

  function paint() {
    const selected = model.get("selected");
    const which = Number(model.get("learned"));
    const vectors = sets[which];
    const near = nearest(vectors, selected, NEAR);
    picture.update(maps[which], selected, near);
    picture.node.setAttribute(
      "aria-label",
      `Map of ${words.length} words ${which ? "after" : "before"} learning. Nearest to ` +
        `${words[selected]}: ${near.map((i) => words[i]).join(", ")}.`,
    );
    near.forEach((i, k) => {
      const similarity = cosine(vectors[selected], vectors[i]);
      setText(rows[k].word, words[i]);
      rows[k].word.dataset.index = String(i);
      setText(rows[k].number, fmt(similarity));
      rows[k].fill.style.width = `${100 * Math.max(0, similarity)}%`;
    });
    said.say(`Nearest to “${words[selected]}”, by cosine similarity:`);
    picker.value = String(selected);
    learned.set(which);
    lookUp(vectors, selected);
  }
  const names = ["selected", "learned"].map((name) => `change:${name}`);
  for (const name of names) model.on(name, paint);
  paint();
  return () => {
    for (const name of names) model.off(name, paint);
  };
}

export default { render };
