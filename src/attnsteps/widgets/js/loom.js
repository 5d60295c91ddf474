// Two columns of words, the source and its translation, and between them a thread for every weight.
import { shape } from "./drawing.js";
import { rove } from "./roving.js";
import { el } from "./ui.js";

/** Every attention that is drawn, and where it looks. */
export const LOOKS = {
  cross: "to the source",
  decoder: "to the words before",
  encoder: "within the source",
};

const FAINTEST = 0.04; // weights below this are not drawn

class Loom {
  source = el("ol", {
    class: "lo-words lo-source",
    "aria-label": "The source: words, pinyin, meanings",
  });
  target = el("ol", {
    class: "lo-words lo-target",
    "aria-label": "The translation, with the probability of each word",
  });
  // The table of weights says the same.
  threads = shape("svg", { class: "lo-threads", "aria-hidden": "true" });
  node = rove(el("div", { class: "lo" }, this.source, this.target, this.threads));
  start = el("span", {}, "start");
  startItem = el("li", { class: "lo-start" }, this.start);
  /** @type {LoomState | null} */
  last = null;
  /** @type {HTMLButtonElement[]} */
  sourceButtons = [];
  /** @type {{button: HTMLButtonElement, note: Text}[]} */
  targetButtons = [];

  /** @param {{onsource: (n: number) => void, ontarget: (n: number) => void}} options */
  constructor({ onsource, ontarget }) {
    this.onsource = onsource;
    this.ontarget = ontarget;
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.node);
  }

  get targets() {
    return this.targetButtons.map(({ button }) => button);
  }

  /** @param {SourceWord[]} sources @param {TargetWord[]} targets */
  setWords(sources, targets) {
    const focused = [this.sourceButtons, this.targets].map((buttons) =>
      buttons.findIndex((button) => button.matches(":focus")),
    );
    this.sourceButtons = sources.map((word, n) => sourceButton(word, () => this.onsource(n)));
    this.targetButtons = targets.map((word, n) => targetButton(word, () => this.ontarget(n)));
    this.source.replaceChildren(...this.sourceButtons.map((button) => el("li", {}, button)));
    const items = this.targets.map((button) => el("li", {}, button));
    this.target.replaceChildren(this.startItem, ...items);
    (this.sourceButtons[focused[0]] ?? this.targets[focused[1]])?.focus();
  }

  /** Give the target words that are there other probabilities. @param {TargetWord[]} targets */
  setShares(targets) {
    targets.forEach(({ note, share }, n) => {
      this.targetButtons[n].note.data = note;
      this.targetButtons[n].button.style.setProperty("--share", String(share));
    });
  }

  /** @param {LoomState} state */
  update(state) {
    this.last = state;
    const { kind, shown, place, sourcePlace } = state;
    this.targets.forEach((button, n) => {
      button.classList.toggle("lo-hidden", n >= shown);
      button.disabled = n >= shown;
      button.setAttribute("aria-pressed", String(n === place));
    });
    this.sourceButtons.forEach((button, n) =>
      button.setAttribute("aria-pressed", String(n === sourcePlace)),
    );
    this.node.dataset.kind = kind;
    this.draw();
  }

  draw() {
    if (!this.last || !this.node.clientWidth) return;
    const { kind, rows, place, sourcePlace } = this.last;
    const chosen = kind === "encoder" ? sourcePlace : place;
    const ends = this.ends();
    const paths = rows
      .flatMap((row, i) => (this.isDrawn(i, chosen) ? threadsOf(row, i) : []))
      .map((each) => this.path(each, ends, chosen));
    const isFar = /** @param {Element} path */ (path) => Number(path.classList.contains("lo-far"));
    this.threads.replaceChildren(...paths.sort((a, b) => isFar(b) - isFar(a)));
    this.markKeys(chosen === null || !this.isDrawn(chosen, chosen) ? [] : rows[chosen]);
  }

  /**
   * Whether the weights of a query are drawn.
   * @param {number} query @param {number | null} chosen
   */
  isDrawn(query, chosen) {
    if (!this.last) return false;
    const { kind, shown } = this.last;
    if (kind !== "encoder" && query >= shown) return false;
    return kind === "cross" || query === chosen; // arcs of all words at once would be a thicket
  }

  /** Where threads can begin and end. */
  ends() {
    const frame = this.node.getBoundingClientRect();
    const left = this.source.offsetLeft + this.source.offsetWidth;
    const right = this.target.offsetLeft;
    /** @type {(x: number) => (node: HTMLElement) => [number, number]} */
    const at = (x) => (node) => {
      return [x, node.getBoundingClientRect().top + node.offsetHeight / 2 - frame.top];
    };
    const sources = this.sourceButtons.map(at(left));
    const targets = this.targets.map(at(right));
    return { sources, targets, start: at(right)(this.start), room: right - left };
  }

  /**
   * @param {{weight: number, i: number, j: number}} thread from a query to a key
   * @param {ReturnType<Loom["ends"]>} ends @param {number | null} chosen
   */
  path({ weight, i, j }, { sources, targets, start, room }, chosen) {
    const kind = this.last?.kind ?? "cross";
    const from = (kind === "encoder" ? sources : targets)[i];
    const to = (kind === "decoder" ? [start, ...targets] : sources)[j];
    const d =
      kind === "cross" ? thread(from, to) : arc(from, to, kind === "encoder" ? 1 : -1, room);
    const isFar = chosen !== null && i !== chosen;
    const path = shape("path", { d, class: isFar ? "lo-thread lo-far" : "lo-thread" });
    path.style.strokeWidth = `${(0.6 + 6 * weight).toFixed(2)}px`;
    path.style.strokeOpacity = (0.15 + 0.8 * weight).toFixed(2);
    return path;
  }

  /**
   * Show on every key how much the chosen word looks at it.
   * @param {Vector} weights empty where no word is chosen
   */
  markKeys(weights) {
    for (const node of [...this.sourceButtons, this.start, ...this.targets]) {
      node.style.removeProperty("--weight");
    }
    const isDecoder = this.last?.kind === "decoder";
    const keys = isDecoder ? [this.start, ...this.targets] : this.sourceButtons;
    keys.slice(0, weights.length).forEach((node, j) => {
      node.style.setProperty("--weight", String(weights[j]));
    });
  }

  /** How far down a target word stands, in pixels. @param {number} n */
  topOf(n) {
    return this.targets[n].offsetTop;
  }

  close() {
    this.resized.disconnect();
  }
}

/** @param {{onsource: (n: number) => void, ontarget: (n: number) => void}} options */
export function loom(options) {
  return new Loom(options);
}

/** @param {() => void} onclick @param {...Child} children */
function wordButton(onclick, ...children) {
  const props = { type: "button", class: "lo-word", "aria-pressed": "false", onclick };
  return el("button", props, ...children);
}

/** @param {SourceWord} word @param {() => void} onclick */
function sourceButton({ word, pinyin, gloss, isUnknown, lang = "zh" }, onclick) {
  const button = wordButton(
    onclick,
    el("span", { class: "lo-main", lang }, word),
    el("span", { class: "lo-sub", lang: "zh-Latn" }, pinyin || " "),
    el("span", { class: "lo-sub" }, gloss || " "),
  );
  button.classList.toggle("lo-unknown", isUnknown);
  return button;
}

/** @param {TargetWord} word @param {() => void} onclick */
function targetButton({ word, note, share, isForced, isEnd }, onclick) {
  const text = document.createTextNode(note);
  const pen = isForced ? el("span", { role: "img", "aria-label": "your word," }, "✎ ") : "";
  const below = el("span", { class: "lo-sub lo-share" }, pen, text);
  const button = wordButton(onclick, el("span", { class: "lo-main" }, word), below);
  button.style.setProperty("--share", String(share));
  button.classList.toggle("lo-forced", isForced);
  button.classList.toggle("lo-end", isEnd);
  return { button, note: text };
}

/**
 * The threads of one query that are strong enough to be seen.
 * @param {Vector} row @param {number} i
 */
function threadsOf(row, i) {
  return Array.from(row, (weight, j) => ({ weight, i, j })).filter(
    ({ weight }) => weight >= FAINTEST,
  );
}

/** @param {[number, number]} from @param {[number, number]} to */
function thread([x1, y1], [x2, y2]) {
  const dx = (x2 - x1) / 2;
  return `M${x1},${y1} C${x1 + dx},${y1} ${x2 - dx},${y2} ${x2},${y2}`;
}

/**
 * From word to word of the same column, bulging into the space between the columns.
 * @param {[number, number]} from @param {[number, number]} to @param {number} side
 * @param {number} room
 */
function arc([x, y1], [, y2], side, room) {
  const bulge = side * Math.min(room, 24 + Math.abs(y2 - y1) / 2);
  return `M${x},${y1} C${x + bulge},${y1} ${x + bulge},${y2} ${x},${y2}`;
}
