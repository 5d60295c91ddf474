// How much of a sentence survives in one vector, and what attention keeps.
import { setAttributes, setText, shape } from "./drawing.js";
import {
  attendTo,
  largest,
  readBack,
  signs,
  similarities,
  squeeze,
  unsqueeze,
} from "./maths/bottleneck.js";
import { rove } from "./roving.js";
import { followTraits, setTraits } from "./traits.js";
import { asPercent, button, el, fmt, frame, slider, status } from "./ui.js";

const TRAITS = ["count", "width", "seed", "asked"];
const WIDTHS = [8, 16, 32, 64, 128, 256];
const LENGTHS = [1, 6, 12, 18, 24]; // numbers of words that the curve's axis names
const DRAWS = 12; // the curve is the mean of so many draws
const LEGEND =
  `Share of words read back correctly (mean of ${DRAWS} draws). Solid: one vector. ` +
  "Dashed: attention.";
const TOP = 4; // so many candidates are shown
const BOX = { width: 320, height: 130, left: 50, right: 8, top: 10, floor: 96 };

/** @typedef {{attended: number, squeezed: number}} Shares */

/**
 * The share of words that is read back right, against their number.
 * @param {number} most words in a sentence
 */
function curve(most) {
  const { width, height, left, right, top, floor } = BOX;
  /** @param {number} n */
  const x = (n) => left + ((n - 1) / (most - 1)) * (width - left - right);
  /** @param {number} share */
  const y = (share) => floor - share * (floor - top);
  /** @type {(shares: number[]) => string} */
  const path = (shares) =>
    shares
      .map((share, n) => `${n ? "L" : "M"}${x(n + 1).toFixed(1)} ${y(share).toFixed(1)}`)
      .join("");
  const lengths = LENGTHS.filter((n) => n <= most);
  const attended = shape("path", { class: "aw-cb-attended" });
  const squeezed = shape("path", { class: "aw-cb-squeezed" });
  const here = shape("line", { y1: top, y2: floor, class: "aw-cb-here" });
  const tick = { y: floor + 15, class: "aw-cb-tick" };
  const middle = { x: (left + width) / 2, y: height - 4, class: "aw-cb-tick" };
  const node = shape(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": LEGEND },
    here,
    shape("line", { x1: left, x2: width - right, y1: floor, y2: floor, class: "aw-cb-axis" }),
    attended,
    squeezed,
    ...lengths.map((n) => shape("text", { x: x(n), ...tick }, String(n))),
    ...[0, 0.5, 1].map((share) => {
      const props = { x: left - 5, y: y(share) + 4, class: "aw-cb-side" };
      return shape("text", props, `${100 * share} %`);
    }),
    shape("text", middle, "words in the sentence"),
  );
  return {
    node,
    /** @param {Shares[]} shares */
    draw(shares) {
      attended.setAttribute("d", path(shares.map((share) => share.attended)));
      squeezed.setAttribute("d", path(shares.map((share) => share.squeezed)));
      const parts = lengths.map((n) => `${asPercent(shares[n - 1].squeezed)} of ${n}`);
      node.setAttribute(
        "aria-label",
        `Words read back correctly, mean of ${DRAWS} draws. One vector: ${parts.join(", ")}. ` +
          `Attention: ${asPercent(shares[most - 1].attended)} of ${most}.`,
      );
    },
    /** @param {number} n words in the sentence */
    mark(n) {
      setAttributes(here, { x1: x(n), x2: x(n) });
    },
  };
}

/**
 * The likeliest words, with their similarity as a bar.
 * @param {string} heading @param {string[]} vocabulary
 */
function candidates(heading, vocabulary) {
  const rows = Array.from({ length: TOP }, () => {
    const word = el("span", {});
    const fill = el("span", { class: "aw-cb-fill" });
    const number = el("span", { class: "aw-cb-number" });
    const track = el("span", { class: "aw-cb-track", "aria-hidden": true }, fill);
    return { word, fill, number, node: el("li", {}, word, track, number) };
  });
  const summary = el("p", {});
  return {
    node: el(
      "div",
      { class: "aw-cb-panel" },
      el("p", { class: "aw-cb-heading" }, heading),
      summary,
      el("ol", { class: "aw-cb-list" }, ...rows.map(({ node }) => node)),
    ),
    /** @type {(values: Float64Array, right: number, text: string) => void} */
    update(values, right, text) {
      const order = Array.from(values.keys()).sort((a, b) => values[b] - values[a] || a - b);
      rows.forEach(({ word, fill, number, node }, i) => {
        const value = values[order[i]];
        setText(word, vocabulary[order[i]]);
        setText(number, fmt(value));
        fill.style.width = `${Math.max(0, Math.min(1, value)) * 100}%`;
        node.classList.toggle("aw-cb-true", order[i] === right);
      });
      setText(summary, text);
    },
  };
}

/** @type {(ids: number[], read: number[]) => number} */
const countRight = (ids, read) => read.filter((id, t) => id === ids[t]).length;

/**
 * The share of a sentence's words that is read back right, mean of the draws.
 * @param {number[]} ids @param {number} width @param {number} vocabularySize
 * @returns {Shares}
 */
function sharesOf(ids, width, vocabularySize) {
  const total = { squeezed: 0, attended: 0 };
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const { squeezed, attended } = readBack(ids, 1000 + draw, width, vocabularySize);
    total.squeezed += countRight(ids, squeezed) / ids.length / DRAWS;
    total.attended += countRight(ids, attended) / ids.length / DRAWS;
  }
  return total;
}

class Bottleneck {
  /** @type {Map<number, Shares[]>} */
  curves = new Map(); // by the width of the vectors
  shownWidth = 0;

  /** @param {Host} host */
  constructor({ model, el: host }) {
    this.model = model;
    /** @type {string[]} */
    const sentence = model.get("sentence");
    /** @type {string[]} */
    this.vocabulary = model.get("vocabulary");
    this.ids = sentence.map((word) => this.vocabulary.indexOf(word));
    this.count = slider({
      label: "Words in the sentence",
      min: 1,
      max: sentence.length,
      step: 1,
      value: model.get("count"),
      oninput: (count) => setTraits(model, { count }),
    });
    this.width = slider({
      label: "Numbers in a vector",
      min: 0,
      max: WIDTHS.length - 1,
      step: 1,
      value: WIDTHS.indexOf(model.get("width")),
      format: (i) => String(WIDTHS[i]),
      oninput: (i) => setTraits(model, { width: WIDTHS[i] }),
    });
    this.cards = sentence.map((word, t) => {
      const back = el("span", { class: "aw-cb-back" });
      const onclick = () => setTraits(model, { asked: t });
      const props = { type: "button", class: "aw-cb-word", onclick };
      return { back, node: el("button", props, el("span", {}, word), back) };
    });
    this.squeezed = candidates("From one vector", this.vocabulary);
    this.attended = candidates("By attention to all words", this.vocabulary);
    this.curve = curve(sentence.length);
    this.summary = status();
    this.lay(frame(host, "One vector for a sentence, or attention to all of it"));
  }

  /** @param {HTMLElement} root */
  lay(root) {
    const { model, count, width, squeezed, attended } = this;
    const again = button("Draw other vectors", () =>
      setTraits(model, { seed: model.get("seed") + 1 }),
    );
    const note = /** @param {string} text */ (text) => el("p", { class: "aw-note" }, text);
    root.append(
      el("div", { class: "aw-cb-controls" }, count.node, width.node, again),
      note("Below each word: what is read back from the one vector. Press a word to choose it."),
      rove(el("div", { class: "aw-cb-words" }, ...this.cards.map(({ node }) => node))),
      this.summary.node,
      el("div", { class: "aw-cb-panels" }, squeezed.node, attended.node),
      note(LEGEND),
      this.curve.node,
    );
  }

  refresh() {
    const [count, width, seed, asked] = TRAITS.map((trait) => this.model.get(trait));
    const place = Math.min(asked, count - 1);
    const ids = this.ids.slice(0, count);
    const { squeezed, attended } = readBack(ids, seed, width, this.vocabulary.length);
    this.showWords(ids, squeezed, place);
    this.showCandidates(ids, seed, width, place);
    this.summary.say(
      `Words that are right. One vector: ${countRight(ids, squeezed)} of ${count}. ` +
        `Attention: ${countRight(ids, attended)} of ${count}.`,
    );
    if (this.shownWidth !== width) this.showCurve(width);
    this.curve.mark(count);
    this.count.set(count);
    this.width.set(WIDTHS.indexOf(width));
  }

  /** Work the curve out length by length, so that no input waits. @param {number} width */
  async showCurve(width) {
    this.shownWidth = width;
    const shares = this.curves.get(width) ?? [];
    this.curves.set(width, shares);
    while (shares.length < this.ids.length) {
      await new Promise((go) => setTimeout(go));
      if (this.shownWidth !== width) return; // it goes on when this width is chosen again
      if (shares.length === this.ids.length) break;
      const first = this.ids.slice(0, shares.length + 1);
      shares.push(sharesOf(first, width, this.vocabulary.length));
    }
    this.curve.draw(shares);
  }

  /**
   * @param {number[]} ids
   * @param {number[]} read what is read back from the one vector
   * @param {number} place
   */
  showWords(ids, read, place) {
    this.cards.forEach(({ back, node }, t) => {
      node.hidden = t >= ids.length;
      node.setAttribute("aria-pressed", String(t === place));
      if (node.hidden) return;
      const isRight = read[t] === ids[t];
      setText(back, `${isRight ? "✓" : "✗"} ${this.vocabulary[read[t]]}`);
      back.classList.toggle("aw-bad", !isRight);
      back.classList.toggle("aw-good", isRight);
    });
  }

  /** @param {number[]} ids @param {number} seed @param {number} width @param {number} place */
  showCandidates(ids, seed, width, place) {
    const size = this.vocabulary.length;
    const drawn = signs(seed, size + ids.length, width);
    const [vectors, tags] = [drawn.slice(0, size), drawn.slice(size)];
    const words = ids.map((id) => vectors[id]);
    const one = similarities(unsqueeze(squeeze(words, tags), tags[place]), vectors);
    const { weights, found } = attendTo(words, tags, place);
    const all = similarities(found, vectors);
    const right = ids[place];
    /** @param {Float64Array} values */
    const verdict = (values) =>
      `Place ${place + 1}: ${largest(values) === right ? "right" : "wrong"}.`;
    const weight = `${asPercent(weights[place])} of the weight here`;
    const kept = `${ids.length * width} numbers kept, ${weight}.`;
    this.squeezed.update(one, right, [verdict(one), `${width} numbers kept.`].join(" "));
    this.attended.update(all, right, [verdict(all), kept].join(" "));
  }
}

/** @param {Host} host */
function render(host) {
  const bottleneck = new Bottleneck(host);
  return followTraits(host.model, TRAITS, () => bottleneck.refresh());
}

export default { render };
