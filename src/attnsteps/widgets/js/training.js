// One training run, saved at several moments: what the model said, how sure it was, and where its
// heads looked.
import { AttentionFocus } from "./attention_focus.js";
import { serveJobs } from "./engine.js";
import { headTiles } from "./head_tiles.js";
import { LiveModel } from "./live.js";
import { allHeads, headLabel, keysOf, looksOf, paddedTo } from "./looks.js";
import { lossCurve } from "./loss_curve.js";
import { sentenceLoss } from "./maths/time_machine.js";
import { rove } from "./roving.js";
import { shuffler } from "./sentence_line.js";
import { translating } from "./translating.js";
import { asPercent, button, el, fmt, reducedMotion, ticker } from "./ui.js";
import { weightTable } from "./weight_table.js";

serveJobs(translating);

const PACE = 900; // ms from one moment to the next
const LONGEST = 14; // words of a translation that are shown

class TimeMachine {
  /**
   * What is shown; wanted: ids of the last moment's translation.
   * @type {{words: string[], wanted: number[], moments: Moment[]} | null}
   */
  answer = null;
  pace = ticker(PACE);

  /** @param {Host} host */
  constructor(host) {
    const { model } = host;
    this.steps = /** @type {number[]} */ (model.get("steps"));
    this.losses = /** @type {number[]} */ (model.get("losses"));
    this.last = this.steps.length - 1;
    this.live = new LiveModel(host, {
      jobs: translating,
      title: "Time-machine",
      classes: ["tr", "tm"],
      files: ["weights"],
      loading: `Loading ${this.steps.length} models …`,
      empty: "There is nothing to translate yet. Type a word, or press “Shuffle”.",
      isPatient: true, // a dozen models, and twice as many translations
      load: ([files], { engine, key }) => this.loadAll(files, engine, key),
      onload: () => this.translate(),
      onhide: () => this.forget(),
      onsentence: (text) => this.live.set({ text }),
    });
    this.curve = lossCurve({
      steps: this.steps,
      losses: this.losses,
      moment: this.moment,
      onpick: (n) => this.goTo(n),
    });
    this.playing = button("Play", () => (this.pace.isRunning() ? this.stop() : this.play()));
    this.playing.hidden = reducedMotion();
    this.rows = this.steps.map((step, n) => momentRow(step, this.losses[n], () => this.goTo(n)));
    this.output = el("p", { class: "tr-output", lang: "en" });
    this.heading = el("p", { class: "tr-heading" });
    this.focus = new AttentionFocus({
      numLayers: (kind) => this.answer?.moments[this.last].weights[kind].length ?? 0,
      onchange: (isOtherKind) => {
        if (isOtherKind) this.makeTiles();
        this.refresh();
      },
    });
    this.focus.place = 0;
    this.tiles = headTiles((head) => this.focus.chooseHead(head));
    this.table = weightTable((row) => this.focus.chooseRow(row));
    this.numbers = el(
      "details",
      { ontoggle: () => this.refresh() },
      el("summary", {}, "The weights as numbers"),
      this.table.node,
    );
    this.lay();
    this.live.watch((isVisible) => isVisible || this.stop());
    this.live.start({ text: () => this.translate(), moment: () => this.refresh() });
    this.refresh();
  }

  lay() {
    const { live } = this;
    const note = el(
      "p",
      { class: "aw-note" },
      "Each picture is a head: a row for each query, a column for each key, and the stronger the " +
        "colour, the larger the weight. The number is the largest weight of a row, averaged over " +
        "the rows.",
    );
    const pictures = el("div", {}, this.tiles.node, note);
    const scene = el("div", { class: "tm-scene" }, this.focus.threads.node, pictures);
    const look = el(
      "div",
      { class: "tr-look" },
      this.heading,
      this.focus.kindChoice.node,
      scene,
      this.numbers,
    );
    const list = momentList(this.rows.map(({ node }) => node));
    const when = el("div", { class: "tm-when" }, this.curve.node, this.playing);
    live.root.append(live.line.node, this.buttons(), live.complaint.node, live.news.node, when);
    live.root.append(this.output, look, list);
    live.parts = [this.output, look, list];
  }

  buttons() {
    const { live } = this;
    const examples = live.model.get("examples");
    const draw = shuffler(examples);
    const shuffle = button("Shuffle", () => live.set({ text: draw(live.model.get("text")) }), {
      title: "Another sentence, drawn from the corpus",
    });
    const twins = live.line.twinsButton((text) => live.set({ text }));
    return el("div", { class: "aw-row tr-buttons" }, twins ?? "", examples.length ? shuffle : "");
  }

  /**
   * The models lie in one file, one after the other.
   * @param {ArrayBuffer} files @param {Engine<typeof translating>} engine @param {string} key
   * @returns {Promise<Vocabulary>}
   */
  async loadAll(files, engine, key) {
    const vocabularies = [];
    let start = 0;
    for (const [n, size] of this.live.model.get("sizes").entries()) {
      const buffer = files.slice(start, start + size);
      vocabularies.push(await engine.run("load", { key: `${key}/${n}`, buffer }));
      start += size;
    }
    return vocabularies[vocabularies.length - 1];
  }

  // ── What the reader does ─────────────────────────────────────────────────────────────────────

  get moment() {
    return Math.max(0, Math.min(this.last, this.live.model.get("moment")));
  }

  /** @param {number} moment */
  goTo(moment) {
    this.stop();
    this.live.set({ moment });
  }

  play() {
    if (this.moment === this.last) this.live.set({ moment: 0 });
    this.playing.textContent = "Stop";
    this.pace.start(() => {
      if (this.moment === this.last || document.hidden) this.stop();
      else this.live.set({ moment: this.moment + 1 });
    });
  }

  stop() {
    this.pace.stop();
    this.playing.textContent = "Play";
  }

  // ── Translating ──────────────────────────────────────────────────────────────────────────────

  async translate() {
    const { live } = this;
    const sentence = live.read();
    if (!sentence) return;
    const found = await live.ask((isLatest) => this.translateAtAll(sentence, isLatest));
    if (!found) return;
    const { words } = sentence;
    const { wanted, moments } = found;
    this.answer = { words, ...found };
    this.rows.forEach((row, n) => row.show(shortened(moments[n].text)));
    const lookedAt = live.model.get("look_at");
    const looked = live.tokensOf(wanted).find(({ token }) => token === lookedAt);
    const { focus } = this;
    focus.place = looked?.place ?? Math.min(focus.place ?? 0, wanted.length - 1);
    focus.sourcePlace = Math.min(focus.sourcePlace, words.length - 1);
    live.reveal(sentence);
    this.focus.threads.setWords(live.sourceWords(sentence), this.targetWords());
    this.makeTiles();
    this.refresh();
    performance.mark("attnsteps:time-machine-ready");
  }

  /**
   * What the model says at every moment, and how sure it was of what it says at last.
   * @param {Sentence} sentence @param {() => boolean} isLatest
   */
  async translateAtAll({ ids, words }, isLatest) {
    const { engine, key } = this.live;
    const request = {
      ids,
      blocks: [],
      numAlternatives: 1,
      forced: {},
      maxLen: this.live.maxLen(words.length),
    };
    const final = await engine.run("translate", { ...request, key: `${key}/${this.last}` });
    const wanted = final.steps.map(({ id }) => id);
    const forcing = {
      ...request,
      forced: Object.fromEntries(wanted.entries()),
      maxLen: wanted.length,
    };
    const moments = [];
    for (let n = 0; n < this.last && isLatest(); n += 1) {
      const free = await engine.run("translate", { ...request, key: `${key}/${n}` });
      moments.push(
        this.momentOf(free, await engine.run("translate", { ...forcing, key: `${key}/${n}` })),
      );
    }
    return { wanted, moments: [...moments, this.momentOf(final, final)] };
  }

  /**
   * @param {Translation} free what the model says, left to itself
   * @param {Translation} taught the last moment's translation, as it reads it
   * @returns {Moment}
   */
  momentOf(free, taught) {
    return {
      text: this.live.textOf(free.steps.map(({ id }) => id)),
      probabilities: taught.steps.map(({ probability }) => probability),
      weights: taught.weights,
    };
  }

  /** @returns {TargetWord[]} */
  targetWords() {
    if (!this.answer) return [];
    const { wanted, moments } = this.answer;
    const { probabilities } = moments[this.moment];
    return wanted.map((id, n) => ({
      word: this.live.nameOf(id),
      note: asPercent(probabilities[n]),
      share: probabilities[n],
      isForced: false,
      isEnd: this.live.isEnd(id),
    }));
  }

  /** Nothing is shown any more. */
  forget() {
    this.stop();
    this.answer = null;
  }

  // ── Showing ──────────────────────────────────────────────────────────────────────────────────

  makeTiles() {
    if (!this.answer) return;
    const { words, wanted, moments } = this.answer;
    const { kind, isEncoder } = this.focus;
    const weights = moments[this.last].weights[kind];
    const numQueries = isEncoder ? words.length : wanted.length;
    const numKeys = kind === "decoder" ? wanted.length : words.length;
    this.tiles.make([null, ...allHeads(weights)], numQueries, numKeys);
  }

  refresh() {
    const { moment, live, focus } = this;
    const { kind, head = null } = focus;
    this.curve.show(moment);
    this.rows.forEach((row, n) => row.mark(n === moment));
    if (!this.answer) return;
    const { wanted, moments } = this.answer;
    const { text, probabilities, weights } = moments[moment];
    const rows = looksOf(weights[kind], head);
    live.root.dataset.kind = kind;
    this.focus.threads.setShares(this.targetWords());
    focus.draw(rows, wanted.length);
    this.output.textContent = shortened(text);
    const loss = fmt(sentenceLoss(probabilities));
    const task = "Teacher forcing with the last moment’s translation";
    this.heading.textContent = `${task}: loss ${loss}`;
    this.tiles.show((each) => looksOf(weights[kind], each), head);
    if (this.numbers.open) this.showTable();
    live.set({ translation: text });
    live.news.say(`After ${this.steps[moment]} updates: ${shortened(text)}`);
  }

  showTable() {
    if (!this.answer) return;
    const { words, wanted, moments } = this.answer;
    const { kind, head = null, isEncoder, sourcePlace, place } = this.focus;
    const { named } = this.live.line;
    const outputs = wanted.map((id) => this.live.nameOf(id));
    const keys = keysOf(kind, words, outputs, named);
    const rows = looksOf(moments[this.moment].weights[kind], head);
    this.table.show({
      ...keys,
      caption:
        `Every word through ${head ? headLabel(head) : "the average of all heads"}, in ` +
        "percent",
      ...this.focus.queriesOf(words, outputs, named),
      values: rows.map((row) => paddedTo(row, keys.columns.length)),
      marked: (isEncoder ? sourcePlace : place) ?? -1,
    });
  }

  close() {
    this.pace.stop();
    this.focus.threads.close();
    this.live.close();
  }
}

/** @param {HTMLElement[]} rows */
function momentList(rows) {
  const heads = ["updates", "loss", "translation"].map((name) => el("th", { scope: "col" }, name));
  return el(
    "table",
    { class: "tm-list" },
    el("caption", {}, "All moments: what the model writes by itself"),
    el("thead", {}, el("tr", {}, ...heads)),
    rove(el("tbody", {}, ...rows)),
  );
}

/** @param {number} step @param {number} loss @param {() => void} onclick */
function momentRow(step, loss, onclick) {
  const label = { "aria-pressed": "false", "aria-label": `after ${step} updates` };
  const pick = el("button", { type: "button", class: "tm-pick", ...label, onclick }, String(step));
  const output = el("td", { class: "tm-said", lang: "en" });
  const number = el("td", { class: "tm-loss" }, fmt(loss));
  const node = el("tr", {}, el("th", { scope: "row" }, pick), number, output);
  return {
    node,
    /** @param {string} text */
    show(text) {
      output.textContent = text;
    },
    /** @param {boolean} isChosen */
    mark(isChosen) {
      pick.setAttribute("aria-pressed", String(isChosen));
      node.classList.toggle("tm-here", isChosen);
    },
  };
}

/** @param {string} text */
function shortened(text) {
  const words = text.split(" ");
  if (words.length <= LONGEST) return text || "(nothing)";
  return `${words.slice(0, LONGEST - 5).join(" ")} … (${words.length} words)`;
}

/** @param {Host} host */
function render(host) {
  const machine = new TimeMachine(host);
  return () => machine.close();
}

export default { render };
