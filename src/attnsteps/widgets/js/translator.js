// The real model at work: type Chinese, watch the words come, and see where every head looked.
import { alternativesPanel } from "./alternatives.js";
import { AttentionFocus } from "./attention_focus.js";
import { serveJobs } from "./engine.js";
import { Everyday } from "./everyday.js";
import { LiveModel } from "./live.js";
import { allHeads, headLabel, headName, keysOf, lookOf, paddedTo } from "./looks.js";
import { OwnModel, withOwn } from "./own_model.js";
import { shuffler } from "./sentence_line.js";
import { asPercent, button, choice, el, reducedMotion, ticker } from "./ui.js";
import { weightTable } from "./weight_table.js";

serveJobs(withOwn);

const PACE = 110; // ms from one word to the next
const NUM_ALTERNATIVES = 5;
const SOON = 150; // ms within which a translation comes as a whole
const THREADS = {
  cross: "how much each word of the translation looked at each word of the source",
  decoder: "how much the chosen word looked at the words written before it",
  encoder: "how much the chosen word of the source looked at the others",
};

class Translator {
  /**
   * The translations of all sentences.
   * @type {SentenceAnswer[]}
   */
  answers = [];
  chosen = 0; // the sentence that is looked into
  numShown = 0;
  /**
   * Whether the next translation comes word by word, as far as where it stands at once, and the
   * words that it keeps.
   * @type {{isAnimated: boolean, from: number, kept: number[]}}
   */
  next = { isAnimated: true, from: 0, kept: [] };
  isVisible = true;
  isOwed = false; // the words came while nobody could see it
  pace = ticker(PACE);

  /** @param {Host} host */
  constructor(host) {
    this.live = new LiveModel(host, {
      jobs: withOwn,
      title: "Translator",
      classes: ["tr"],
      files: ["weights"],
      loading: "Loading the model …",
      empty: "There is nothing to translate yet. Type a word.",
      load: ([buffer], { engine, key }) => engine.run("load", { key, buffer }),
      onload: () => {
        this.showModel();
        return this.translate();
      },
      onhide: () => this.forget(),
      onsentence: (text) => this.setText(text),
    });
    this.everyday = new Everyday(this.live);
    this.own = new OwnModel(this.live, {
      onswitch: () => this.startAfresh(),
      onsearch: () => this.translate(),
    });
    this.output = el("p", { class: "tr-output", lang: "en" });
    this.sentences = el("div", { class: "tr-sentences" });
    this.focus = new AttentionFocus({
      numLayers: (kind) => this.answer?.result.weights[kind].length ?? 0,
      onchange: () => this.refresh(),
      canClear: true,
    });
    this.panel = alternativesPanel(NUM_ALTERNATIVES, {
      onpick: (n) => this.force(n),
      onrelease: () => this.release(),
    });
    this.legend = el("p", { class: "aw-note tr-legend" });
    this.cost = el("p", { class: "aw-note tr-cost" });
    this.heading = el("p", { class: "tr-heading" });
    this.byHead = weightTable((row) => this.chooseHead(row));
    this.byWord = weightTable((row) => this.focus.chooseRow(row));
    this.replay = button("Replay", () => this.play(), { title: "Watch the words come again" });
    this.row = this.buttons();
    this.lay();
    this.live.watch((isVisible) => this.see(isVisible), "-15% 0px");
    this.live.start({ text: () => this.translate(), forced: () => this.translate() });
  }

  lay() {
    const { live } = this;
    const picture = el("div", {}, this.focus.threads.node, this.legend);
    const scene = el("div", { class: "tr-scene" }, picture, this.panel.node);
    const tables = el("div", { class: "tr-tables" }, this.byHead.node, this.byWord.node);
    const look = el(
      "div",
      { class: "tr-panel tr-look" },
      this.heading,
      this.focus.kindChoice.node,
      tables,
    );
    this.everyday.invite(this.own);
    this.own.node.hidden = this.everyday.node.hidden; // it takes the place of the book's models
    if (!this.own.node.hidden) this.own.takeDrops(live.root);
    live.root.append(live.line.node, this.row, this.everyday.node, this.own.node);
    live.root.append(live.complaint.node, live.news.node);
    live.root.append(this.output, this.sentences, scene, look, this.cost);
    live.parts = [this.output, this.sentences, scene, look, this.cost];
    this.everyday.show();
  }

  /** Say which model speaks, and offer what fits its language. */
  showModel() {
    const { src, tgt } = this.live.languages;
    this.output.lang = tgt;
    for (const node of this.row.querySelectorAll("button"))
      if (node !== this.replay) node.hidden = src !== "zh";
    this.everyday.show();
  }

  /** Another model is about to speak, and what was chosen of this one's words isn't for it. */
  startAfresh() {
    this.everyday.giveWay();
    this.chosen = 0;
    this.focus.place = null;
    this.focus.head = undefined;
    this.next = { isAnimated: false, from: 0, kept: [] };
  }

  /** The model that speaks. */
  get speaker() {
    return this.own.isSpeaking ? this.own : this.everyday;
  }

  /** What is shown; null where there is no translation, or a copy. */
  get answer() {
    const { sentence, result, forced } = this.answers[this.chosen] ?? {};
    return sentence && result ? { words: sentence.words, result, forced } : null;
  }

  buttons() {
    const { line, model } = this.live;
    const examples = model.get("examples");
    const draw = shuffler(examples);
    const twins = line.twinsButton(
      (text) => this.setText(text, true),
      (words) =>
        words.flatMap((word, n) => [
          n ? " ↔ " : "",
          word,
          el("span", { class: "tr-wide" }, ` ${line.gloss(word)}`),
        ]),
    );
    const shuffle = button("Shuffle", () => this.setText(draw(model.get("text")), true), {
      title: "Another sentence, drawn from the corpus",
    });
    return el(
      "div",
      { class: "aw-row tr-buttons" },
      twins ?? "",
      examples.length ? shuffle : "",
      this.replay,
    );
  }

  // ── What the reader does ─────────────────────────────────────────────────────────────────────

  /** @param {string} text @param {boolean} [isAnimated] */
  setText(text, isAnimated = false) {
    const { model } = this.live;
    this.focus.place = null;
    this.chosen = 0;
    this.next.isAnimated = isAnimated;
    const isNew = text !== model.get("text");
    const wasForced = Object.keys(model.get("forced")).length > 0;
    if (isNew) model.set("text", text); // first, as each of the two is answered at once
    if (wasForced) model.set("forced", {});
    if (isNew || wasForced) model.save_changes();
    else this.translate();
  }

  /** Put one of the alternatives in the place of the chosen word. @param {number} n */
  force(n) {
    const place = this.lookedAt();
    if (!this.answer || place === null) return;
    this.pace.stop();
    this.focus.place = place;
    const { steps } = this.answer.result;
    const { id } = steps[place].alternatives[n];
    const before = Object.entries(this.live.model.get("forced"));
    const forced = Object.fromEntries(before.filter(([at]) => Number(at) < place));
    const isOwn = this.speaker.isGreedy && n === 0; // it would be chosen without being put
    if (!isOwn) forced[place] = this.live.vocabulary.tgtTokens[id];
    this.keepPlace(steps.slice(0, place).map((step) => step.id));
    this.live.set({ forced });
  }

  release() {
    this.keepPlace([]);
    this.live.set({ forced: {} });
  }

  /**
   * The next translation keeps the chosen word and those before it, and is written from there on.
   * @param {number[]} kept
   */
  keepPlace(kept) {
    this.next = { isAnimated: true, from: (this.focus.place ?? -1) + 1, kept };
  }

  /** Look into another sentence. @param {number} n */
  chooseSentence(n) {
    this.chosen = n;
    this.focus.place = null;
    this.next = { isAnimated: false, from: 0, kept: [] };
    if (Object.keys(this.live.model.get("forced")).length) this.live.set({ forced: {} });
    else this.showAnswer();
  }

  /** @param {number} row of the table of heads, whose first is their average */
  chooseHead(row) {
    if (!this.answer) return;
    const weights = this.answer.result.weights[this.focus.kind];
    this.focus.chooseHead([null, ...allHeads(weights)][row]);
  }

  // ── Translating ──────────────────────────────────────────────────────────────────────────────

  async translate() {
    const { live, next } = this;
    const sentences = live.readAll();
    if (!sentences.length) return;
    this.chosen = Math.min(this.chosen, sentences.length - 1);
    const start = performance.now();
    const answers = await live.ask(async (isLatest) => {
      /** @type {SentenceAnswer[]} */
      const found = [];
      for (const [n, sentence] of sentences.entries()) {
        const forced = n === this.chosen ? this.forcedIds() : {};
        /** @type {Tell} */
        const tell = (ids) => {
          const isLate = performance.now() - start > SOON;
          if (isLate && isLatest()) this.stream(found, /** @type {number[]} */ (ids));
        };
        const kept = { ...next.kept, ...forced };
        found.push({ sentence, forced, result: await this.ask(sentence, kept, tell) });
        if (!isLatest()) break;
      }
      return found;
    });
    if (!answers) return;
    performance.measure("attnsteps:translate", { start });
    this.answers = answers;
    const strange = [...new Set(sentences.flatMap((sentence) => sentence.strange))];
    live.reveal({ strange });
    this.showSentences();
    this.showAnswer();
    performance.mark("attnsteps:translator-ready");
    if (strange.length) this.everyday.offer();
  }

  /**
   * Ask the worker for one translation; there is none where there is nothing to read.
   * @param {Sentence} sentence @param {Record<number, number>} forced @param {Tell} tell
   * @returns {Promise<Translation | null>}
   */
  async ask({ ids }, forced, tell) {
    const { live } = this;
    if (!ids.length) return null;
    const given = {
      ids,
      forced,
      blocks: [],
      maxLen: live.maxLen(ids.length),
      numAlternatives: NUM_ALTERNATIVES,
    };
    return this.speaker.translate(given, tell);
  }

  /**
   * Show a translation that is not finished.
   * @param {SentenceAnswer[]} found those that are @param {number[]} ids
   */
  stream(found, ids) {
    const texts = found.map((answer) => this.textOf(answer));
    this.pace.stop();
    this.output.replaceChildren([...texts, `${this.live.textOf(ids)} …`].join(" "));
  }

  /** @param {SentenceAnswer} answer */
  textOf({ sentence, result }) {
    return result ? this.live.textOf(result.steps.map(({ id }) => id)) : sentence.text;
  }

  /** Offer each sentence, where there are several, to be looked into. */
  showSentences() {
    const options = this.answers.map((_, n) => String(n + 1));
    const { chosen: selected } = this;
    const onchange = (/** @type {number} */ n) => this.chooseSentence(n);
    const several = { label: "Look into sentence", options, selected, onchange };
    this.sentences.replaceChildren(...(options.length > 1 ? [choice(several).node] : []));
  }

  /** Show the chosen sentence's translation. */
  showAnswer() {
    const { live, focus, answer } = this;
    const { sentence } = this.answers[this.chosen];
    for (const part of live.parts.slice(2)) part.hidden = !answer;
    if (!answer) {
      this.sayAll();
      this.showOutput(null);
      return;
    }
    const { words, result } = answer;
    if (focus.head === undefined || !result.weights[focus.kind][focus.head?.[0] ?? 0])
      focus.head = mostDecided(result.weights[focus.kind]);
    focus.sourcePlace = Math.min(focus.sourcePlace, words.length - 1);
    focus.threads.setWords(live.sourceWords(sentence), this.targetWords());
    if (this.next.isAnimated) this.play(this.next.from);
    else this.finish();
    this.next = { isAnimated: false, from: 0, kept: [] };
  }

  /** What the reader has put, as ids; a word that the model does not have is left out. */
  forcedIds() {
    const { tgtTokens } = this.live.vocabulary;
    const entries = Object.entries(this.live.model.get("forced"));
    const ids = entries.map(([place, word]) => [place, tgtTokens.indexOf(word)]);
    return Object.fromEntries(ids.filter(([, id]) => Number(id) >= 0));
  }

  /** @returns {TargetWord[]} */
  targetWords() {
    if (!this.answer) return [];
    const { result, forced } = this.answer;
    const names = this.live.namesOf(result.steps.map(({ id }) => id));
    return result.steps.map(({ id, probability }, t) => ({
      word: names[t],
      note: asPercent(probability),
      share: probability,
      isForced: t in forced,
      isEnd: this.live.isEnd(id),
    }));
  }

  /** Nothing is shown any more. */
  forget() {
    this.pace.stop();
    this.answers = [];
  }

  // ── The words come ───────────────────────────────────────────────────────────────────────────

  /** @param {number} [from] the words before this place stand at once */
  play(from = 0) {
    if (!this.answer) return;
    const { steps } = this.answer.result;
    this.pace.stop();
    this.isOwed = !this.isVisible && !reducedMotion();
    if (reducedMotion() || document.hidden || !this.isVisible) {
      this.finish();
      return;
    }
    this.numShown = Math.min(from, steps.length);
    this.pace.start(() => {
      this.numShown += 1;
      if (this.numShown >= steps.length || !this.isVisible) this.finish();
      else this.refresh();
    });
    this.refresh();
  }

  finish() {
    if (!this.answer) return;
    const { live, focus } = this;
    const ids = this.answer.result.steps.map(({ id }) => id);
    this.pace.stop();
    this.numShown = ids.length;
    if (focus.place === null || focus.place >= this.numShown) {
      const looked = live.tokensOf(ids).find(({ token }) => token === live.model.get("look_at"));
      focus.place = looked?.place ?? null;
    }
    this.sayAll();
    this.refresh();
  }

  /** The whole translation is there. */
  sayAll() {
    const translation = this.answers.map((answer) => this.textOf(answer)).join(" ");
    this.live.set({ translation });
    this.live.news.say("Translation: ", translation);
  }

  /** @param {boolean} isVisible */
  see(isVisible) {
    this.isVisible = isVisible;
    if (isVisible && this.isOwed) this.play();
  }

  /** The output word that is looked at: the newest while the words come, then the chosen one. */
  lookedAt() {
    if (!this.pace.isRunning()) return this.focus.place;
    return this.numShown > 0 ? this.numShown - 1 : null;
  }

  // ── Showing ──────────────────────────────────────────────────────────────────────────────────

  refresh() {
    if (!this.answer) return;
    const { words, result } = this.answer;
    const { kind, isEncoder, head = null } = this.focus;
    const place = this.lookedAt();
    this.live.root.dataset.kind = kind;
    const queries = isEncoder ? words : result.steps;
    const rows = queries.map((_, n) => lookOf(result.weights[kind], head, n));
    this.focus.draw(rows, this.numShown, place);
    this.legend.textContent = `Threads: ${THREADS[kind]}, through ${headName(head)}.`;
    this.showOutput(place);
    this.showAlternatives(place);
    this.showTables(place);
    const { steps, multiplications } = result.counts;
    const milliseconds = Math.max(1, Math.round(result.milliseconds));
    this.cost.textContent =
      `${steps} ${steps === 1 ? "pass" : "passes"} through the decoder, ` +
      `${(multiplications / 1e6).toFixed(1)} million multiplications, ${milliseconds} ms ` +
      `on this machine${this.live.engine.isWorker() ? "" : " (in the page itself)"}.`;
  }

  /** @param {number | null} chosen */
  showOutput(chosen) {
    /** @param {number} place */
    const state = (place) => {
      if (place >= this.numShown) return "tr-later";
      return place === chosen && !this.focus.isEncoder ? "tr-here" : null;
    };
    const sentences = this.answers.map((answer, n) => {
      if (n !== this.chosen || !answer.result) return [this.textOf(answer)];
      return this.live
        .tokensOf(answer.result.steps.map(({ id }) => id))
        .flatMap(({ token, gap, place }) => [gap, el("span", { class: state(place) }, token)]);
    });
    this.output.replaceChildren(...sentences.flatMap((parts, n) => (n ? [" ", ...parts] : parts)));
  }

  /** @param {number | null} place */
  showAlternatives(place) {
    if (!this.answer) return;
    const { result, forced } = this.answer;
    const { live } = this;
    const { threads } = this.focus;
    const step = place === null ? null : result.steps[place];
    const before = result.steps.slice(Math.max(0, (place ?? 0) - 1), place ?? 0);
    /** @param {number} id */
    const nameOf = (id) => String(live.namesOf([...before.map((each) => each.id), id]).at(-1));
    this.panel.show({
      place: place ?? 0,
      chosen: step?.id ?? null,
      alternatives: (step?.alternatives ?? []).map(({ id, probability }) => ({
        id,
        word: live.isEnd(id) ? "(end)" : nameOf(id),
        probability,
      })),
      isForced: Object.keys(forced).length > 0,
      isReady: !this.pace.isRunning(),
    });
    const lowest = threads.node.offsetHeight - this.panel.node.offsetHeight;
    const wanted = place === null ? 0 : threads.topOf(place) - 60; // beside its word
    this.panel.node.style.setProperty("--at", `${Math.max(0, Math.min(lowest, wanted))}px`);
  }

  /** @param {number | null} place */
  showTables(place) {
    if (!this.answer) return;
    const { words, result } = this.answer;
    const { live, focus } = this;
    const { kind, head = null, isEncoder } = focus;
    const weights = result.weights[kind];
    const outputs = live.namesOf(result.steps.map(({ id }) => id));
    const queries = isEncoder ? words : outputs;
    const query = isEncoder ? focus.sourcePlace : place;
    const { src, tgt } = live.languages;
    const keys = {
      ...keysOf(kind, words, outputs, live.line.named),
      columnLang: kind === "decoder" ? tgt : src,
    };
    const heads = [null, ...allHeads(weights)];
    this.heading.textContent =
      query === null
        ? "Where each word looked, in percent"
        : `Where “${queries[query]}” looked, in percent`;
    this.byHead.node.hidden = query === null;
    if (query !== null) {
      this.byHead.show({
        ...keys,
        caption: `“${queries[query]}” through every head (press one)`,
        rows: heads.map(headLabel),
        rowNames: heads.map(headName),
        rowLang: "en",
        values: heads.map((each) => paddedTo(lookOf(weights, each, query), keys.columns.length)),
        marked: heads.findIndex((each) => String(each) === String(head)),
      });
    }
    this.byWord.show({
      ...keys,
      caption: `Every word through ${headName(head)}`,
      ...focus.queriesOf(words, outputs, live.line.named),
      rowLang: isEncoder ? src : tgt,
      values: queries.map((_, n) => paddedTo(lookOf(weights, head, n), keys.columns.length)),
      marked: query ?? -1,
      shown: isEncoder ? words.length : this.numShown,
    });
  }

  close() {
    this.pace.stop();
    this.everyday.close();
    this.focus.threads.close();
    this.live.close();
  }
}

/** The head whose queries put most of their weight on one word. @param {HeadWeights} weights */
function mostDecided(weights) {
  /** @param {[number, number]} head */
  const sureness = ([l, h]) => weights[l][h].reduce((sum, row) => sum + Math.max(...row), 0);
  return allHeads(weights).reduce((best, each) => (sureness(each) > sureness(best) ? each : best));
}

/** @param {Host} host */
function render(host) {
  const translator = new Translator(host);
  return () => translator.close();
}

export default { render };
