// How much of a sentence survives in one vector, and what attention keeps.
import { setText, shape } from "./drawing.js";
import {
  attendTo,
  largest,
  readBack,
  signs,
  similarities,
  squeeze,
  unsqueeze,
} from "./maths/bottleneck.js";
import { asPercent, button, el, fmt, frame, slider, status } from "./ui.js";

const WIDTHS = [8, 16, 32, 64, 128, 256];
const DRAWS = 12; // the curve is the mean of so many draws
const TOP = 4; // so many candidates are shown
const BOX = { width: 320, height: 120, left: 40, right: 8, top: 8, floor: 94 };

/** The share read back right, against the number of words. */
function curve(most) {
  const { width, height, left, right, top, floor } = BOX;
  const x = (n) => left + ((n - 1) / (most - 1)) * (width - left - right);
  const y = (share) => floor - share * (floor - top);
  const paths = ["aw-cb-attended", "aw-cb-squeezed"].map((name) => shape("path", { class: name }));
  const here = shape("line", { y1: top, y2: floor, class: "aw-cb-here" });
  const ticks = [1, 6, 12, 18, 24]
    .filter((n) => n <= most)
    .map((n) => shape("text", { x: x(n), y: floor + 14, class: "aw-cb-tick" }, String(n)));
  const sides = [0, 0.5, 1].map((share) =>
    shape("text", { x: left - 5, y: y(share) + 4, class: "aw-cb-side" }, `${100 * share} %`),
  );
  const node = shape(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img" },
    here,
    shape("line", { x1: left, x2: width - right, y1: floor, y2: floor, class: "aw-cb-axis" }),
    ...paths,
    ...ticks,
    ...sides,
    shape(
      "text",
      { x: (left + width) / 2, y: height - 1, class: "aw-cb-tick" },
      "words in the sentence",
    ),
  );
  return {
    node,
    draw(shares) {
      ["attended", "squeezed"].forEach((name, i) =>
        paths[i].setAttribute(
          "d",
          shares
            .map(
              (share, n) => `${n ? "L" : "M"}${x(n + 1).toFixed(1)} ${y(share[name]).toFixed(1)}`,
            )
            .join(""),
        ),
      );
    },
    mark(n, shares) {
      here.setAttribute("x1", x(n));
      here.setAttribute("x2", x(n));
      node.setAttribute(
        "aria-label",
        "Words read back right, mean of 12 draws. One vector: " +
          [1, 6, 12, 18, 24]
            .filter((m) => m <= most)
            .map((m) => `${asPercent(shares[m - 1].squeezed)} of ${m}`)
            .join(", ") +
          `. Attention: ${asPercent(shares[most - 1].attended)} of ${most}.`,
      );
    },
  };
}

/** The likeliest words, with their similarity as a bar. */
function candidates(heading) {
  const rows = Array.from({ length: TOP }, () => {
    const parts = {
      word: el("span", {}),
      fill: el("span", { class: "aw-cb-fill" }),
      number: el("span", { class: "aw-cb-number" }),
    };
    return {
      ...parts,
      node: el(
        "li",
        {},
        parts.word,
        el("span", { class: "aw-cb-track", "aria-hidden": true }, parts.fill),
        parts.number,
      ),
    };
  });
  const found = el("p", {});
  return {
    node: el(
      "div",
      { class: "aw-cb-panel" },
      el("p", { class: "aw-cb-heading" }, heading),
      found,
      el("ol", { class: "aw-cb-list" }, ...rows.map(({ node }) => node)),
    ),
    update(values, vocabulary, right, note) {
      const order = Array.from(values.keys()).sort((a, b) => values[b] - values[a] || a - b);
      rows.forEach(({ word, fill, number, node }, i) => {
        setText(word, vocabulary[order[i]]);
        setText(number, fmt(values[order[i]]));
        fill.style.width = `${Math.max(0, Math.min(1, values[order[i]])) * 100}%`;
        node.classList.toggle("aw-cb-true", order[i] === right);
      });
      setText(found, note);
    },
  };
}

function render({ model, el: host }) {
  const root = frame(host, "One vector for a sentence, or attention to all of it");
  const sentence = model.get("sentence");
  const vocabulary = model.get("vocabulary");
  const ids = sentence.map((word) => vocabulary.indexOf(word));
  let shares = [];
  let drawnFor = "";

  function set(name, value) {
    model.set(name, value);
    model.save_changes();
  }
  const count = slider({
    label: "Words in the sentence",
    min: 1,
    max: sentence.length,
    step: 1,
    value: model.get("count"),
    oninput: (n) => set("count", n),
  });
  const width = slider({
    label: "Numbers in a vector",
    min: 0,
    max: WIDTHS.length - 1,
    step: 1,
    value: WIDTHS.indexOf(model.get("width")),
    format: (i) => String(WIDTHS[i]),
    oninput: (i) => set("width", WIDTHS[i]),
  });
  const again = button("Draw other vectors", () => set("seed", model.get("seed") + 1));
  const cards = sentence.map((word, t) => {
    const back = el("span", { class: "aw-cb-back" });
    const node = el(
      "button",
      { type: "button", class: "aw-cb-word", onclick: () => set("asked", t) },
      el("span", {}, word),
      back,
    );
    return { back, node };
  });
  const words = el("div", { class: "aw-cb-words" }, ...cards.map(({ node }) => node));
  const squeezed = candidates("From one vector");
  const attended = candidates("By attention to all words");
  const chart = curve(sentence.length);
  const said = status();
  root.append(
    el("div", { class: "aw-cb-controls" }, count.node, width.node, again),
    el(
      "p",
      { class: "aw-note" },
      "Beneath each word: what is read back from the one vector. Press a word to ask for it.",
    ),
    words,
    said.node,
    el("div", { class: "aw-cb-panels" }, squeezed.node, attended.node),
    el(
      "p",
      { class: "aw-note" },
      "Share of words read back right (mean of 12 draws). Solid: one vector. Dashed: attention.",
    ),
    chart.node,
  );

  function paint() {
    const n = model.get("count");
    const d = model.get("width");
    const seed = model.get("seed");
    const asked = Math.min(model.get("asked"), n - 1);
    const shown = ids.slice(0, n);
    const back = readBack(shown, seed, d, vocabulary.length);
    const right = (read) => read.filter((id, t) => id === shown[t]).length;
    cards.forEach(({ back: text, node }, t) => {
      node.hidden = t >= n;
      node.setAttribute("aria-pressed", String(t === asked));
      if (t >= n) return;
      const good = back.squeezed[t] === shown[t];
      setText(text, `${good ? "✓" : "✗"} ${vocabulary[back.squeezed[t]]}`);
      text.classList.toggle("aw-bad", !good);
      text.classList.toggle("aw-good", good);
    });
    const drawn = signs(seed, vocabulary.length + n, d);
    const vectors = drawn.slice(0, vocabulary.length);
    const tags = drawn.slice(vocabulary.length);
    const kept = shown.map((id) => vectors[id]);
    const one = similarities(unsqueeze(squeeze(kept, tags), tags[asked]), vectors);
    const { weights, found } = attendTo(kept, tags, asked);
    const all = similarities(found, vectors);
    const read = (values) => (largest(values) === shown[asked] ? "right" : "wrong");
    squeezed.update(
      one,
      vocabulary,
      shown[asked],
      `Place ${asked + 1}: ${read(one)}. ${d} numbers kept.`,
    );
    attended.update(
      all,
      vocabulary,
      shown[asked],
      `Place ${asked + 1}: ${read(all)}. ${n * d} numbers kept, ` +
        `${asPercent(weights[asked])} of the weight here.`,
    );
    said.say(
      `One vector: ${right(back.squeezed)} of ${n} ${n === 1 ? "word" : "words"} right. ` +
        `Attention: ${right(back.attended)} of ${n}.`,
    );
    if (drawnFor !== `${d}`) {
      drawnFor = `${d}`;
      shares = sentence.map((_, i) => {
        const some = ids.slice(0, i + 1);
        const total = { squeezed: 0, attended: 0 };
        for (let draw = 0; draw < DRAWS; draw += 1) {
          const result = readBack(some, 1000 + draw, d, vocabulary.length);
          for (const name of ["squeezed", "attended"]) {
            total[name] +=
              result[name].filter((id, t) => id === some[t]).length / some.length / DRAWS;
          }
        }
        return total;
      });
      chart.draw(shares);
    }
    chart.mark(n, shares);
    count.set(n);
    width.set(WIDTHS.indexOf(d));
  }
  const names = ["count", "width", "seed", "asked"].map((name) => `change:${name}`);
  for (const name of names) model.on(name, paint);
  paint();
  return () => {
    for (const name of names) model.off(name, paint);
  };
}

export default { render };
