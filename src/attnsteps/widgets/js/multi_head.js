// Every head of the trained encoder on the reader's sentence; and how a tensor is cut into heads,
// attended and merged, with the memory beneath it.
import { serveJobs } from "./engine.js";
import { headCard } from "./head_card.js";
import { LiveModel } from "./live.js";
import { looking } from "./looking.js";
import { allHeads, headLabel, headName } from "./looks.js";
import { headSteps } from "./maths/heads.js";
import { memoryPanel, NUM_STEPS } from "./memory_panel.js";
import { rove } from "./roving.js";
import { asPercent, button, el } from "./ui.js";
import { weightTable } from "./weight_table.js";

serveJobs(looking);

const EXPLANATION =
  "Each square below is one head. A row is a query, a column a key, both in the order of the " +
  "sentence; the stronger the colour, the larger the weight. The row of the chosen word is " +
  "outlined, and below each head is the word that it attends to most. L1 H2 is head 2 of " +
  "layer 1. Press a head to choose it.";

class Heads {
  /** @type {{words: string[], reading: HeadReading} | null} */
  answer = null;
  /** [layer][head] @type {ReturnType<typeof headCard>[][]} */
  cards = [];
  /** @type {HTMLButtonElement[]} */
  wordButtons = [];
  nextExample = 0;

  /** @param {Host} host */
  constructor(host) {
    this.live = new LiveModel(host, {
      jobs: looking,
      title: "Heads",
      classes: ["tr", "mh"],
      files: ["weights"],
      loading: "Loading the model …",
      empty: "There is nothing to look at yet. Type a word.",
      load: ([buffer], { engine, key }) => engine.run("load", { key, buffer }),
      onload: () => this.look(),
      onhide: () => this.forget(),
      onsentence: (text) => this.live.set({ text }),
    });
    this.chips = rove(el("div", { class: "mh-chips", role: "group", "aria-label": "Query word" }));
    this.grid = rove(el("div", { class: "mh-grid", role: "group", "aria-label": "Every head" }));
    this.byHead = weightTable((row) => this.chooseHead(row));
    this.byWord = weightTable((place) => this.live.set({ place }));
    this.memoryHeading = el("summary", {});
    this.memory = memoryPanel({
      onstep: (step) => this.live.set({ step }),
      onpick: (place, head) => this.live.set({ place, head }),
    });
    this.lay();
    this.live.start({
      text: () => this.look(),
      layer: () => this.refresh(),
      head: () => this.refresh(),
      place: () => this.refresh(),
      step: () => this.refresh(),
    });
  }

  lay() {
    const { live } = this;
    const examples = live.model.get("examples");
    const buttons = el(
      "div",
      { class: "aw-row tr-buttons" },
      live.line.twinsButton((text) => live.set({ text })) ?? "",
      examples.length > 1 ? button("Another sentence", () => this.another(examples)) : "",
    );
    const heading = el("p", { class: "tr-heading" }, "Query word");
    live.parts = [
      el("div", { class: "mh-ask" }, heading, this.chips),
      el("p", { class: "aw-note" }, EXPLANATION),
      el("p", { class: "mh-axes", "aria-hidden": "true" }, "↓ queries, keys → in every square"),
      this.grid,
      el("div", { class: "tr-tables" }, this.byHead.node, this.byWord.node),
      el("details", { class: "mh-look" }, this.memoryHeading, this.memory.node),
    ];
    live.root.append(live.line.node, buttons, live.complaint.node, ...live.parts);
  }

  // ── What the reader does ─────────────────────────────────────────────────────────────────────

  /** @param {string[]} examples */
  another(examples) {
    const text = examples[this.nextExample % examples.length];
    this.nextExample += 1;
    if (text === this.live.model.get("text")) this.another(examples);
    else this.live.set({ text });
  }

  /** @param {number} row */
  chooseHead(row) {
    if (!this.answer) return;
    const [layer, head] = allHeads(this.answer.reading.weights)[row];
    this.live.set({ layer, head });
  }

  // ── Asking ───────────────────────────────────────────────────────────────────────────────────

  async look() {
    const { live } = this;
    const sentence = live.read();
    if (!sentence) return;
    const { words, ids } = sentence;
    const reading = await live.ask(() => live.engine.run("look", { key: live.key, ids }));
    if (!reading) return;
    this.answer = { words, reading };
    this.makeWords(words);
    this.makeCards(reading.weights);
    live.reveal(sentence);
    this.refresh();
    performance.mark("attnsteps:heads-ready");
  }

  /** Nothing is shown any more. */
  forget() {
    this.answer = null;
  }

  // ── Showing ──────────────────────────────────────────────────────────────────────────────────

  /** @param {string[]} words */
  makeWords(words) {
    const { line } = this.live;
    const focused = this.wordButtons.findIndex((chip) => chip.matches(":focus"));
    this.wordButtons = words.map((word, place) =>
      el(
        "button",
        { type: "button", class: "mh-chip", onclick: () => this.live.set({ place }) },
        el("span", { lang: "zh", class: "mh-zh" }, word),
        el("span", { class: "mh-gloss" }, line.gloss(word) || " "),
      ),
    );
    this.chips.replaceChildren(...this.wordButtons);
    this.wordButtons[focused]?.focus();
  }

  /** @param {HeadWeights} weights */
  makeCards(weights) {
    const numHeads = weights[0].length;
    if (this.cards.length !== weights.length || this.cards[0].length !== numHeads) {
      this.cards = weights.map((heads, layer) =>
        heads.map((_, head) => headCard(() => this.live.set({ layer, head }))),
      );
      this.grid.replaceChildren(...this.cards.flat().map((card) => card.node));
      this.grid.style.setProperty("--heads", String(Math.min(8, numHeads)));
    }
    this.cards.forEach((heads, l) => heads.forEach((card, h) => card.setWeights(weights[l][h])));
  }

  /**
   * The value of a trait, brought within what there is.
   * @param {string} trait @param {number} count
   */
  within(trait, count) {
    return Math.max(0, Math.min(count - 1, this.live.model.get(trait)));
  }

  /** A word with its meaning. @param {string} word */
  named(word) {
    return [word, this.live.line.gloss(word)].filter(Boolean).join(" ");
  }

  refresh() {
    if (!this.answer) return;
    const { words, reading } = this.answer;
    const layer = this.within("layer", reading.weights.length);
    const head = this.within("head", reading.weights[layer].length);
    const place = this.within("place", words.length);
    this.wordButtons.forEach((chip, n) => chip.setAttribute("aria-pressed", String(n === place)));
    this.showCards(words, reading.weights, [layer, head], place);
    this.showTables(words, reading.weights, [layer, head], place);
    const numHeads = reading.weights[layer].length;
    const width = this.live.vocabulary.config.d_model / numHeads;
    const stepNumber = this.within("step", NUM_STEPS);
    const step = headSteps(words.length, numHeads, width)[stepNumber];
    const names = words.map((word) => this.named(word));
    const rows = reading.layers[layer][step.holds];
    this.memoryHeading.textContent = `Split, attend, merge: layer ${layer + 1}, with its memory`;
    this.memory.show({ words, names, numHeads, width, step, stepNumber, rows, word: place, head });
  }

  /**
   * @param {string[]} words @param {HeadWeights} weights @param {[number, number]} chosen
   * @param {number} place
   */
  showCards(words, weights, chosen, place) {
    for (const [l, h] of allHeads(weights)) {
      const row = weights[l][h][place];
      const most = row.indexOf(Math.max(...row));
      this.cards[l][h].show({
        title: `Layer ${l + 1}, head ${h + 1}`,
        short: headLabel([l, h]),
        place,
        isChosen: l === chosen[0] && h === chosen[1],
        word: words[most],
        meaning: this.live.line.gloss(words[most]),
        share: asPercent(row[most]),
      });
    }
  }

  /**
   * @param {string[]} words @param {HeadWeights} weights @param {[number, number]} chosen
   * @param {number} place
   */
  showTables(words, weights, [layer, head], place) {
    const heads = allHeads(weights);
    const names = words.map((word) => this.named(word));
    const columnGlosses = words.map((word) => this.live.line.gloss(word) ?? "");
    const keys = { columns: words, columnLang: "zh", columnNames: names, columnGlosses };
    this.byHead.show({
      ...keys,
      caption: `“${words[place]}” through every head, in percent`,
      rows: heads.map(headLabel),
      rowNames: heads.map(headName),
      rowLang: "en",
      values: heads.map(([l, h]) => [...weights[l][h][place]]),
      marked: heads.findIndex(([l, h]) => l === layer && h === head),
    });
    this.byWord.show({
      ...keys,
      caption: `Every word through ${headName([layer, head])}`,
      rows: words,
      rowNames: names,
      rowLang: "zh",
      values: weights[layer][head].map((row) => [...row]),
      marked: place,
    });
  }
}

/** @param {Host} host */
function render(host) {
  const heads = new Heads(host);
  return () => heads.live.close();
}

export default { render };
