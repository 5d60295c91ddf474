// Two columns of words, the source and its translation, and between them a thread for every look.
import { shape } from "./drawing.js";
import { el } from "./ui.js";

/** Every attention that is drawn, and where it looks. */
export const LOOKS = { cross: "to the source", decoder: "to the words before", encoder: "within the source" };

const FAINTEST = 0.04; // weights below this are not drawn

/**
 * @param {{onsource: (n: number) => void, ontarget: (n: number) => void}} options
 */
export function loom({ onsource, ontarget }) {
  const source = el("ol", { class: "lo-words lo-source", "aria-label": "The source: words, how they are read, what they mean" });
  const target = el("ol", { class: "lo-words lo-target", "aria-label": "The translation, with the probability of each word" });
  const threads = shape("svg", { class: "lo-threads", "aria-hidden": "true" }); // the table of weights says the same
  const node = el("div", { class: "lo" }, source, target, threads);
  const start = el("li", { class: "lo-start" }, el("span", {}, "start"));
  let last = null; // what update was given
  let [sourceButtons, targetButtons] = [[], []];

  function word(onclick, n, ...children) {
    return el("button", { type: "button", class: "lo-word", "aria-pressed": "false", onclick: () => onclick(n) }, ...children);
  }

  /**
   * @param {{word: string, pinyin: string, gloss: string, isUnknown: boolean}[]} sources
   * @param {{word: string, note: string, share: number, isForced: boolean, isEnd: boolean}[]} targets
   */
  function setWords(sources, targets) {
    const hadFocus = [sourceButtons, targetButtons].map((buttons) => buttons.indexOf(document.activeElement));
    sourceButtons = sources.map(({ word: zh, pinyin, gloss, isUnknown }, n) => {
      const made = word(onsource, n, el("span", { class: "lo-main", lang: "zh" }, zh),
        el("span", { class: "lo-sub", lang: "zh-Latn" }, pinyin || " "), el("span", { class: "lo-sub" }, gloss || " "));
      made.classList.toggle("lo-unknown", isUnknown);
      return made;
    });
    targetButtons = targets.map(({ word: en, note, share, isForced, isEnd }, n) => {
      const made = word(ontarget, n, el("span", { class: "lo-main" }, en),
        el("span", { class: "lo-sub lo-share" }, isForced ? el("span", { role: "img", "aria-label": "your word," }, "✎ ") : "", note));
      made.style.setProperty("--share", String(share));
      made.classList.toggle("lo-forced", isForced);
      made.classList.toggle("lo-end", isEnd);
      return made;
    });
    source.replaceChildren(...sourceButtons.map((made) => el("li", {}, made)));
    target.replaceChildren(start, ...targetButtons.map((made) => el("li", {}, made)));
    (sourceButtons[hadFocus[0]] ?? targetButtons[hadFocus[1]])?.focus();
  }

  /** Give the target words that are there other probabilities. */
  function setShares(targets) {
    targets.forEach(({ note, share }, n) => {
      targetButtons[n].querySelector(".lo-share").lastChild.data = note;
      targetButtons[n].style.setProperty("--share", String(share));
    });
  }

  /**
   * @param {{kind: keyof LOOKS, shown: number, place: number|null, sourcePlace: number|null, rows: number[][]}} state
   *        kind: which attention; shown: how many target words are there; place, sourcePlace: the chosen
   *        words; rows: the weights of every query
   */
  function update(state) {
    last = state;
    const { kind, shown, place, sourcePlace } = state;
    targetButtons.forEach((made, n) => {
      made.classList.toggle("lo-hidden", n >= shown);
      made.disabled = n >= shown;
      made.setAttribute("aria-pressed", String(n === place));
    });
    sourceButtons.forEach((made, n) => made.setAttribute("aria-pressed", String(n === sourcePlace)));
    node.dataset.kind = kind;
    draw();
  }

  function draw() {
    if (!last || !node.clientWidth) return;
    const { kind, shown, place, sourcePlace, rows } = last;
    const frame = node.getBoundingClientRect();
    const middle = (made) => made.getBoundingClientRect().top + made.offsetHeight / 2 - frame.top;
    const left = source.offsetLeft + source.offsetWidth;
    const right = target.offsetLeft;
    const sources = sourceButtons.map((made) => [left, middle(made)]);
    const targets = targetButtons.map((made) => [right, middle(made)]);
    const keys = { cross: sources, encoder: sources, decoder: [[right, middle(start.firstChild)], ...targets] }[kind];
    const queries = kind === "encoder" ? sources : targets;
    const chosen = kind === "encoder" ? sourcePlace : place;
    const paths = [];
    const touched = keys.map(() => 0);
    rows.forEach((row, i) => {
      if (kind !== "encoder" && i >= shown) return;
      if (kind !== "cross" && i !== chosen) return; // arcs of all words at once would be a thicket
      row.forEach((weight, j) => {
        if (i === chosen) touched[j] = weight;
        if (weight < FAINTEST) return;
        const path = shape("path", {
          d: kind === "cross" ? thread(queries[i], keys[j]) : arc(queries[i], keys[j], kind === "encoder" ? 1 : -1, right - left),
          class: chosen === null || i === chosen ? "lo-thread" : "lo-thread lo-far",
        });
        path.style.strokeWidth = `${(0.6 + 6 * weight).toFixed(2)}px`;
        path.style.strokeOpacity = (0.15 + 0.8 * weight).toFixed(2);
        paths.push(path);
      });
    });
    paths.sort((a, b) => b.classList.contains("lo-far") - a.classList.contains("lo-far"));
    threads.replaceChildren(...paths);
    const seen = { cross: sourceButtons, encoder: sourceButtons, decoder: [start.firstChild, ...targetButtons] }[kind];
    for (const made of [...sourceButtons, start.firstChild, ...targetButtons]) made.style.removeProperty("--seen");
    if (chosen !== null) touched.forEach((weight, j) => seen[j].style.setProperty("--seen", String(weight)));
  }

  const resized = new ResizeObserver(draw);
  resized.observe(node);
  return {
    node, setWords, setShares, update,
    /** How far down the chosen target word stands, in pixels. */
    topOf: (n) => targetButtons[n].offsetTop,
    close: () => resized.disconnect(),
  };
}

function thread([x1, y1], [x2, y2]) {
  const dx = (x2 - x1) / 2;
  return `M${x1},${y1} C${x1 + dx},${y1} ${x2 - dx},${y2} ${x2},${y2}`;
}

/** From word to word of the same column, bulging into the space between the columns. */
function arc([x, y1], [, y2], side, room) {
  const bulge = side * Math.min(room, 24 + Math.abs(y2 - y1) / 2);
  return `M${x},${y1} C${x + bulge},${y1} ${x + bulge},${y2} ${x},${y2}`;
}
