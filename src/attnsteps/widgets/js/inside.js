// A trained model with switches: turn off any head or edge of its attention, and see what it says.
import { edgeCutter } from "./edge_cutter.js";
import { serveJobs } from "./engine.js";
import { intervening, isHead, isWholeHead } from "./intervening.js";
import { LiveModel } from "./live.js";
import { PARTS_OF_ATTENTION } from "./looks.js";
import { LOOKS, loom } from "./loom.js";
import { silencesHead } from "./maths/model/multi_head.js";
import { averageHeads } from "./maths/time_machine.js";
import { rove } from "./roving.js";
import { PARTS, switchboard } from "./switchboard.js";
import { tableHead } from "./tables.js";
import { asPercent, button, choice, el } from "./ui.js";

serveJobs(intervening);

const NUM_CANDIDATES = 5;

class Interventions {
  /**
   * What is shown; written: ids of the whole model's translation; rewritten: of what it says now.
   * @type {{sentence: Sentence, written: number[], whole: Reading, cut: Reading,
   *         rewritten: number[], screen: Record<Part, number[][]> | null} | null}
   */
  answer = null;
  place = 0; // the word of the translation that is asked about
  sourcePlace = 0;
  pair = 0; // the minimal pair on the two buttons
  /** @type {Part} */
  kind = "cross";
  /** @type {HTMLButtonElement[]} */
  chipButtons = [];

  /** @param {Host} host */
  constructor(host) {
    /** @type {{text: string, word: string}[][]} */
    this.pairs = host.model.get("pairs");
    /** @type {string[]} */
    this.pronouns = host.model.get("pronouns");
    this.live = new LiveModel(host, {
      jobs: intervening,
      title: "Interventions",
      classes: ["tr", "in"],
      files: ["weights"],
      loading: "Loading the model …",
      empty: "There is nothing to translate yet. Type a word, or pick a pair.",
      load: ([buffer], { engine, key }) => engine.run("load", { key, buffer }),
      onload: () => this.begin(),
      onhide: () => this.forget(),
      onsentence: (text) => this.setText(text),
    });
    this.twins = [0, 1].map((n) =>
      button(
        this.pairs[0]?.[n].word ?? "", // until the model has come, which knows the gloss
        () => this.setText(this.pairs[this.pair][n].text),
        { "aria-pressed": "false" },
      ),
    );
    this.restore = button("Restore everything", () => this.live.set({ knockouts: [] }));
    this.output = el("p", { class: "tr-output" });
    this.threads = loom({ onsource: (n) => this.pickSource(n), ontarget: (n) => this.ask(n) });
    this.kindChoice = choice({
      label: "Threads:",
      options: Object.values(LOOKS),
      selected: 0,
      onchange: (n) => this.chooseKind(PARTS_OF_ATTENTION[n]),
    });
    this.hint = el("p", { class: "aw-note" });
    this.table = el("table", { class: "in-table" });
    this.board = switchboard({
      onhead: (part, layer, head) => this.toggle({ part, layer, head }),
      onlayer: (part, layer) => this.toggleLayer(part, layer),
    });
    this.cutter = edgeCutter((edge) => this.toggle(edge));
    this.chips = rove(el("ul", { class: "in-chips", "aria-label": "What is cut" }));
    this.lay();
    this.live.start({ text: () => this.translate(), knockouts: () => this.update() });
  }

  lay() {
    const { live } = this;
    const picture = el("div", {}, this.threads.node, this.kindChoice.node);
    const panel = el("div", { class: "tr-panel" }, this.table, this.hint);
    const scene = el("div", { class: "tr-scene" }, picture, panel);
    const heading = el(
      "p",
      { class: "tr-heading" },
      "Heads: press one to turn it off, or on again",
    );
    const note = el(
      "p",
      { class: "aw-note" },
      "While the threads go to the source, pressing a word there stops the chosen word of the " +
        "translation from attending to it, in all layers and heads.",
    );
    const { grids, note: gridNote } = this.board;
    const switches = [heading, grids, gridNote, this.cutter.node, this.chips, note];
    const look = el("div", { class: "tr-look" }, ...switches);
    live.root.append(live.line.node, this.buttons(), live.complaint.node, live.news.node);
    live.root.append(this.output, scene, look);
    live.parts = [this.output, scene, look];
  }

  buttons() {
    const label = el("span", { class: "in-label" }, "Minimal pair:");
    const another = button("Another pair", () => {
      this.pair = (this.pair + 1) % this.pairs.length;
      this.setText(this.pairs[this.pair][0].text);
    });
    return el(
      "div",
      { class: "aw-row tr-buttons" },
      ...(this.pairs.length ? [label, ...this.twins] : []),
      this.pairs.length > 1 ? another : "",
      this.restore,
    );
  }

  // ── What is off ──────────────────────────────────────────────────────────────────────────────

  /** @returns {Block[]} */
  get blocks() {
    return this.live.model.get("knockouts");
  }

  /** @param {Part} part @param {number} layer @param {number} head */
  isOff(part, layer, head) {
    const own = this.blocks.filter(
      (block) => block.part === part && (block.layer == null || block.layer === layer),
    );
    return silencesHead(own, head);
  }

  /** @param {Block} block */
  toggle(block) {
    const others = this.blocks.filter((other) => !isSame(other, block));
    const isThere = others.length < this.blocks.length;
    this.live.set({ knockouts: isThere ? others : [...this.blocks, block] });
  }

  /** @param {Part} part @param {number} layer */
  toggleLayer(part, layer) {
    const { num_heads: numHeads } = this.live.vocabulary.config;
    const heads = Array.from({ length: numHeads }, (_, head) => head);
    const others = this.blocks.filter(
      (block) => !heads.some((head) => isHead(block, part, layer, head)),
    );
    const areOff = heads.every((head) => this.isOff(part, layer, head));
    const own = areOff ? [] : heads.map((head) => ({ part, layer, head }));
    this.live.set({ knockouts: [...others, ...own] });
  }

  // ── What the reader does ─────────────────────────────────────────────────────────────────────

  /**
   * Edges are between places: they stay for the twin, which differs in a word, and go with the
   * sentence.
   * @param {string} text
   */
  setText(text) {
    const { model } = this.live;
    const isTwin = this.pairs.some((pair) => isOf(pair, text) && isOf(pair, model.get("text")));
    const heads = this.blocks.filter(isWholeHead);
    if (!isTwin && heads.length < this.blocks.length) model.set("knockouts", heads);
    this.live.set({ text });
  }

  /** @param {number} n */
  pickSource(n) {
    this.sourcePlace = n;
    if (this.kind === "cross") this.toggle({ part: "cross", query: this.place, key: n });
    else if (this.kind === "encoder") this.refresh();
  }

  /** @param {number} place */
  ask(place) {
    this.place = place;
    this.update();
  }

  /** @param {Part} kind */
  chooseKind(kind) {
    this.kind = kind;
    this.refresh();
  }

  // ── Asking ───────────────────────────────────────────────────────────────────────────────────

  begin() {
    this.board.make(this.live.vocabulary.config);
    return this.translate();
  }

  async translate() {
    const { live } = this;
    const sentence = live.read();
    if (live.loaded) this.showTwins();
    if (!sentence) return;
    const { ids, words } = sentence;
    const found = await live.ask(async () => {
      const written = await this.write(ids, []);
      const reading = { key: live.key, ids, written, blocks: [] };
      return { written, whole: await live.engine.run("read", reading) };
    });
    if (!found) return;
    const { written, whole } = found;
    this.answer = { sentence, written, whole, cut: whole, rewritten: written, screen: null };
    const { tgtTokens } = live.vocabulary;
    const pronouns = this.pronouns.map((word) => tgtTokens.indexOf(word));
    this.place = Math.max(
      0,
      written.findLastIndex((id) => pronouns.includes(id)),
    );
    this.sourcePlace = Math.min(this.sourcePlace, words.length - 1);
    await this.update();
  }

  /**
   * The ids that the model writes with something turned off.
   * @param {number[]} ids @param {Block[]} blocks
   */
  async write(ids, blocks) {
    const { engine, key } = this.live;
    const maxLen = this.live.maxLen(ids.length);
    const given = { key, ids, forced: {}, maxLen, numAlternatives: 0, blocks };
    return (await engine.run("translate", given)).steps.map(({ id }) => id);
  }

  /** Read and write once more, with what is off now. */
  async update() {
    if (!this.answer) return;
    const { live, answer, blocks, place } = this;
    const { sentence, written } = answer;
    const { ids } = sentence;
    const reading = { key: live.key, ids, written, blocks };
    const found = await live.ask(
      async () => ({
        cut: await live.engine.run("read", reading),
        rewritten: await this.write(ids, blocks),
        screen: null,
      }),
      "reading",
    );
    if (!found) return;
    Object.assign(answer, found);
    live.reveal(sentence);
    this.threads.setWords(live.sourceWords(sentence), this.targetWords());
    this.cutter.show(this.edgeWords());
    this.refresh();
    live.set({ translation: live.textOf(found.rewritten) });
    const screen = await live.ask(
      () => live.engine.run("screen", { ...reading, place }),
      "reading",
    );
    if (!screen) return;
    answer.screen = screen;
    this.showSwitches();
    performance.mark("attnsteps:inside-ready");
  }

  /** Nothing is shown any more. */
  forget() {
    this.answer = null;
  }

  // ── Words ────────────────────────────────────────────────────────────────────────────────────

  /** @returns {TargetWord[]} */
  targetWords() {
    if (!this.answer) return [];
    const { written, cut } = this.answer;
    return written.map((id, n) => ({
      word: this.live.nameOf(id),
      note: asPercent(cut.probabilities[n][id]),
      share: cut.probabilities[n][id],
      isForced: false,
      isEnd: this.live.isEnd(id),
    }));
  }

  /** @returns {EdgeWords} */
  edgeWords() {
    const { live, place, answer } = this;
    const words = answer?.sentence.words.map(live.line.named) ?? [];
    const written = answer?.written.map((id) => live.nameOf(id)) ?? [];
    return {
      config: live.vocabulary.config,
      place,
      queriesOf: (part) => (part === "encoder" ? words : written),
      keysOf: (part) => (part === "decoder" ? ["start", ...written.slice(0, -1)] : words),
    };
  }

  /** What a block turns off, in words. @param {Block} block */
  describe({ part = "cross", layer, head, query, key }) {
    const words = this.answer?.sentence.words ?? [];
    const { queriesOf, keysOf } = this.edgeWords();
    const layers = layer == null ? "all layers" : `layer ${layer + 1}`;
    const where = `${PARTS[part]}, ${layers}${head == null ? "" : `, head ${head + 1}`}`;
    if (query == null && key == null) return where;
    const queries = part === "encoder" ? words : queriesOf(part);
    const keys = part === "decoder" ? keysOf(part) : words;
    const from = query == null ? "every word" : (queries[query] ?? `place ${query + 1}`);
    const to = key == null ? "anything" : (keys[key] ?? `place ${key + 1}`);
    return `${from} → ${to} (${where})`;
  }

  // ── Showing ──────────────────────────────────────────────────────────────────────────────────

  showTwins() {
    const { line, model } = this.live;
    if (this.pairs.length === 0) return;
    const at = this.pairs.findIndex((pair) => isOf(pair, model.get("text")));
    if (at >= 0) this.pair = at;
    this.pairs[this.pair].forEach(({ text, word }, n) => {
      this.twins[n].textContent = line.gloss(word) ? `${word} ${line.gloss(word)}` : word;
      this.twins[n].setAttribute("aria-pressed", String(text === model.get("text")));
    });
  }

  refresh() {
    if (!this.answer) return;
    const { live, kind, place } = this;
    const { written, cut, rewritten } = this.answer;
    const isEncoder = kind === "encoder";
    live.root.dataset.kind = kind;
    this.threads.setShares(this.targetWords());
    this.threads.update({
      kind,
      shown: written.length,
      place: isEncoder ? null : place,
      sourcePlace: isEncoder ? this.sourcePlace : null,
      rows: this.meanLooks(),
    });
    this.showOutput();
    this.showCandidates();
    this.showSwitches();
    this.showChips();
    const count = this.blocks.length;
    const switches = count
      ? `${count} ${count === 1 ? "switch" : "switches"} off`
      : "Nothing is off";
    const share = asPercent(cut.probabilities[place][written[place]]);
    const word = live.nameOf(written[place]);
    live.news.say(`${switches}. “${word}” has ${share}. It writes: ${live.textOf(rewritten)}`);
  }

  /** The mean of those heads that are on; nothing where none is. */
  meanLooks() {
    if (!this.answer) return [];
    const weights = this.answer.cut.weights[this.kind];
    const layers = weights.map((heads, layer) =>
      heads.filter((_, head) => !this.isOff(this.kind, layer, head)),
    );
    if (layers.flat().length) return averageHeads(layers);
    return weights[0][0].map((row) => Array.from(row, () => 0));
  }

  showOutput() {
    if (!this.answer) return;
    const { live, output } = this;
    const { written, rewritten } = this.answer;
    const isWhole = this.blocks.length === 0;
    const isSame = String(rewritten) === String(written);
    const title = isWhole ? "The whole model writes: " : "By itself, it now writes: ";
    const before = isSame ? " (as before)" : ` (before: ${live.textOf(written)})`;
    const words = live
      .tokensOf(rewritten)
      .flatMap(({ id, place, token, gap }) => [
        gap,
        el(id === written[place] ? "span" : "mark", {}, token),
      ]);
    output.replaceChildren(
      el("span", { class: "in-label" }, title),
      el("span", { lang: "en" }, ...words),
      isWhole ? "" : el("span", { class: "in-label" }, before),
    );
  }

  showCandidates() {
    if (!this.answer) return;
    const { live, place } = this;
    const { written, whole, cut } = this.answer;
    const [before, after] = [whole, cut].map(({ probabilities }) => probabilities[place]);
    const previous = place ? live.nameOf(written[place - 1]) : "start";
    const rows = this.candidates(written[place], after).map((id) =>
      el(
        "tr",
        { class: id === written[place] ? "in-wanted" : null },
        el("th", { scope: "row" }, live.nameOf(id)),
        shareCell(before[id]),
        shareCell(after[id]),
      ),
    );
    this.table.replaceChildren(
      el("caption", {}, `Word ${place + 1}, after “${previous}”, could be`),
      tableHead(["whole", "now"]),
      el("tbody", {}, ...rows),
    );
    this.hint.textContent =
      "Each word follows those that the whole model wrote before it. " +
      "Press another one to see its probability.";
  }

  /**
   * The words that are compared: all pronouns for a pronoun, else what is likeliest beside the
   * word.
   * @param {number} id @param {Float32Array} probabilities
   */
  candidates(id, probabilities) {
    const { tgtTokens } = this.live.vocabulary;
    const pronouns = this.pronouns.map((word) => tgtTokens.indexOf(word)).filter((at) => at >= 0);
    if (pronouns.includes(id)) return pronouns;
    const others = [...probabilities.keys()]
      .filter((other) => other !== id && probabilities[other] > 0)
      .sort((a, b) => probabilities[b] - probabilities[a]);
    return [id, ...others.slice(0, NUM_CANDIDATES - 1)];
  }

  showSwitches() {
    if (!this.answer) return;
    const { written, cut, screen } = this.answer;
    const id = written[this.place];
    this.board.show({
      word: this.live.nameOf(id),
      present: cut.probabilities[this.place][id],
      screen,
      isOff: (part, layer, head) => this.isOff(part, layer, head),
    });
  }

  /** What is cut beside single heads, which have switches: each a button that restores it. */
  showChips() {
    const isSwitch = /** @param {Block} block */ (block) =>
      isWholeHead(block) && block.layer != null && block.head != null;
    const cut = this.blocks.filter((block) => !isSwitch(block));
    const focused = this.chipButtons.findIndex((chip) => chip.matches(":focus"));
    this.chipButtons = cut.map((block) => {
      const text = this.describe(block);
      const label = { class: "in-chip", "aria-label": `Restore ${text}` };
      const onclick = () => this.toggle(block);
      const cross = el("span", { "aria-hidden": "true" }, " ✕");
      return el("button", { type: "button", ...label, onclick }, text, cross);
    });
    this.chips.replaceChildren(...this.chipButtons.map((chip) => el("li", {}, chip)));
    if (focused < 0) return;
    (this.chipButtons[Math.min(focused, cut.length - 1)] ?? this.restore).focus();
  }

  close() {
    this.threads.close();
    this.live.close();
  }
}

/**
 * Whether a sentence is one of a minimal pair.
 * @param {{text: string}[]} pair @param {string} text
 */
function isOf(pair, text) {
  return pair.some((twin) => twin.text === text);
}

/** @param {Block} one @param {Block} other */
function isSame(one, other) {
  /** @type {(keyof Block)[]} */
  const names = ["part", "layer", "head", "query", "key"];
  return names.every((name) => (one[name] ?? null) === (other[name] ?? null));
}

/** @param {number} probability */
function shareCell(probability) {
  const cell = el("td", {}, asPercent(probability));
  cell.style.setProperty("--share", String(probability));
  return cell;
}

/** @param {Host} host */
function render(host) {
  const interventions = new Interventions(host);
  return () => interventions.close();
}

export default { render };
