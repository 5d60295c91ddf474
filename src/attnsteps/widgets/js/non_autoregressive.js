// Five ways to translate one sentence, side by side: step after step, and what each of them costs.
import { serveJobs } from "./engine.js";
import { LiveModel } from "./live.js";
import { wordEdits } from "./maths/word_edits.js";
import { racing } from "./racing.js";
import { shuffler } from "./sentence_line.js";
import { scrollBox, tableHead } from "./tables.js";
import { button, el, fmt, reducedMotion, slider, ticker } from "./ui.js";

serveJobs(racing);

const PACE = 320; // ms from one step to the next
const NAMES = ["Greedy, no cache", "Greedy, with cache", "Beam of", "All at once", "Mask-predict"];
const COLUMNS = ["words", "steps", "million multi\u00adplications", "ms", "errors"];
const TRAITS = ["text", "length_factor", "iterations"];

class Race {
  /** What each of the five did. @type {RaceRun[]} */
  runs = [];
  step = 0; // after how many steps they are shown
  isVisible = true;
  pace = ticker(PACE);

  /** @param {Host} host */
  constructor(host) {
    const { model } = host;
    this.references = model.get("references");
    this.beamWidth = model.get("beam_width");
    this.names = NAMES.map((name, n) => (n === 2 ? `${name} ${this.beamWidth}` : name));
    this.live = new LiveModel(host, {
      jobs: racing,
      title: "The race",
      classes: ["tr", "ra"],
      files: ["weights", "one_shot", "mask_predict"],
      loading: "Loading the models …",
      empty: "There is nothing to translate yet. Type a word, or press “Shuffle”.",
      load: ([writer, oneShot, refiner], { engine, key }) =>
        engine.run("load", { key, writer, oneShot, refiner }),
      onload: () => this.race(),
      onhide: () => this.forget(),
      onsentence: (text) => this.live.set({ text }),
    });
    this.meaning = el("p", { class: "aw-note ra-meaning" });
    this.factor = slider({
      label: "Length",
      min: 0.5,
      max: 1.5,
      step: 0.1,
      value: model.get("length_factor"),
      format: asFactor,
      oninput: (value) => this.live.set({ length_factor: value }),
    });
    this.iterations = slider({
      label: "Passes of mask-predict",
      min: 1,
      max: 10,
      step: 1,
      value: model.get("iterations"),
      oninput: (value) => this.live.set({ iterations: value }),
    });
    this.clock = slider({
      label: "Step",
      min: 0,
      max: 1,
      step: 1,
      value: 0,
      oninput: (value) => {
        this.pace.stop();
        this.goTo(value);
      },
    });
    this.lanes = this.names.map(lane);
    this.table = costTable(this.names);
    this.lay();
    this.live.watch((isVisible) => {
      this.isVisible = isVisible;
    });
    this.live.start(Object.fromEntries(TRAITS.map((trait) => [trait, () => this.race()])));
  }

  lay() {
    const { live, clock } = this;
    const draw = shuffler(Object.keys(this.references));
    const shuffle = button("Shuffle", () => {
      const text = draw(live.model.get("text"));
      if (text === live.model.get("text")) this.race();
      else live.set({ text });
    });
    const start = button("Start the race", () => this.play());
    const scene = el(
      "div",
      {},
      el("div", { class: "ra-dials" }, this.factor.node, this.iterations.node),
      el("div", { class: "ra-clock" }, start, clock.node),
      el("ol", { class: "ra-lanes" }, ...this.lanes.map(({ node }) => node)),
      this.table.node,
    );
    const buttons = el("div", { class: "aw-row tr-buttons" }, shuffle);
    live.root.append(live.line.node, buttons, this.meaning, live.complaint.node, scene);
    live.parts = [scene];
  }

  async race() {
    const { live } = this;
    const { model, engine, key } = live;
    const text = model.get("text");
    this.factor.set(model.get("length_factor"));
    this.iterations.set(model.get("iterations"));
    const sentence = live.read();
    if (!sentence) return;
    const { words, ids, isUnknown } = sentence;
    this.meaning.textContent = words
      .map((word, n) => live.line.gloss(word) || (isUnknown[n] ? "?" : word))
      .join(" · ");
    const runs = await live.ask(() =>
      engine.run("race", {
        key,
        ids,
        maxLen: live.maxLen(words.length),
        beamWidth: this.beamWidth,
        iterations: model.get("iterations"),
        lengthFactor: model.get("length_factor"),
      }),
    );
    if (!runs) return;
    this.pace.stop();
    this.runs = runs;
    live.reveal(sentence);
    this.clock.input.max = String(Math.max(...runs.map((run) => run.frames.length)));
    this.score(text);
    this.goTo(this.numSteps);
    performance.mark("attnsteps:race-ready");
  }

  get numSteps() {
    return Number(this.clock.input.max);
  }

  /** @param {string} text */
  score(text) {
    const { live, runs, references } = this;
    /** @param {number[]} ids */
    const wordsOf = (ids) => live.tokensOf(ids).map(({ token }) => token);
    const isKnown = Object.hasOwn(references, text);
    /** @type {string[][]} */
    const right = isKnown ? references[text] : [wordsOf(runs[1].ids)];
    const costs = runs.map((run) => {
      const words = wordsOf(run.ids);
      const errors = Math.min(...right.map((each) => wordEdits(words, each)));
      const millions = fmt(run.multiplications / 1e6, 1);
      return [words.length, run.frames.length, millions, fmt(run.milliseconds, 1), errors];
    });
    this.table.show(costs, isKnown ? "a correct translation" : "greedy’s translation");
    const texts = runs.map((run, n) => [this.names[n], live.textOf(run.ids)]);
    live.set({ translations: Object.fromEntries(texts) });
  }

  /** @param {number} step */
  goTo(step) {
    this.step = step;
    this.clock.set(step);
    this.runs.forEach((run, n) => this.lanes[n].show(run, step, this.live));
  }

  play() {
    this.pace.stop();
    if (this.runs.length === 0) return;
    if (reducedMotion()) {
      this.goTo(this.numSteps);
      return;
    }
    this.goTo(0);
    this.pace.start(() => {
      this.goTo(this.isVisible ? this.step + 1 : this.numSteps);
      if (this.step >= this.numSteps) this.pace.stop();
    });
  }

  /** Nothing is shown any more. */
  forget() {
    this.pace.stop();
    this.runs = [];
    this.meaning.textContent = "";
  }

  close() {
    this.pace.stop();
    this.live.close();
  }
}

/** @param {number} value */
function asFactor(value) {
  const isTenth = Number.isInteger(Number((10 * value).toFixed(6)));
  return `× ${fmt(value, isTenth ? 1 : 2)}`;
}

/** @param {string} name */
function lane(name) {
  const words = el("p", { class: "ra-words", lang: "en" });
  const state = el("span", { class: "ra-state" });
  const title = el("span", { class: "ra-name" }, name);
  const node = el("li", { class: "ra-lane" }, title, state, words);
  return {
    node,
    /**
     * How far this run has come.
     * @param {RaceRun} run @param {number} step @param {LiveModel<typeof racing>} live
     */
    show({ frames, length }, step, live) {
      const at = Math.min(step, frames.length);
      const isDone = step >= frames.length;
      const { ids, fresh } = at ? frames[at - 1] : { ids: [], fresh: /** @type {number[]} */ ([]) };
      const planned = length ? `, length ${length}` : "";
      const progress = isDone ? `done in ${frames.length}` : `step ${at} of ${frames.length}`;
      node.classList.toggle("ra-done", isDone);
      state.textContent = `${progress}${planned}`;
      words.replaceChildren(
        ...live
          .tokensOf(ids)
          .flatMap(({ token, gap, place }) => [
            gap,
            el(fresh.includes(place) && !isDone ? "mark" : "span", {}, token),
          ]),
      );
    },
  };
}

/** @param {string[]} names */
function costTable(names) {
  const cells = names.map(() => COLUMNS.map(() => el("td")));
  const caption = el("caption");
  const rows = names.map((name, n) => el("tr", {}, el("th", { scope: "row" }, name), ...cells[n]));
  const table = el(
    "table",
    { class: "aw-matrix ra-table" },
    caption,
    tableHead(COLUMNS),
    el("tbody", {}, ...rows),
  );
  return {
    node: scrollBox("What it cost", table),
    /**
     * @param {(string | number)[][]} costs
     * @param {string} right what the errors are counted against
     */
    show(costs, right) {
      caption.textContent =
        `Errors: insertions, deletions and replacements that turn it into ${right}. ` +
        "A length includes the end token.";
      costs.forEach((row, n) =>
        row.forEach((value, c) => {
          cells[n][c].textContent = String(value);
        }),
      );
    },
  };
}

/** @param {Host} host */
function render(host) {
  const race = new Race(host);
  return () => race.close();
}

export default { render };
