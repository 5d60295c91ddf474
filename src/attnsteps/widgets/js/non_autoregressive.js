// Five ways to translate one sentence, side by side: step after step, and what each of them costs.
import { fileOf, serveJobs, startEngine } from "./engine.js";
import { wordEdits } from "./maths/word_edits.js";
import { racing } from "./racing.js";
import { sentenceLine, shuffler } from "./sentence_line.js";
import { button, el, fmt, frame, reducedMotion, slider, status, uid } from "./ui.js";

serveJobs(racing);

const PACE = 320; // ms from one step to the next
const NAMES = ["Greedy, no cache", "Greedy, with cache", "Beam of", "All at once", "Mask-predict"];
const COLUMNS = ["words", "steps", "million multi\u00adplications", "ms", "errors"];
const FILES = { writer: "weights", oneShot: "one_shot", refiner: "mask_predict" };
const TRAITS = ["text", "length_factor", "iterations"];

function render({ model, el: host }) {
  const key = uid();
  const engine = startEngine(racing, model.get("_esm"), import.meta.url);
  const references = model.get("references");
  const width = model.get("beam_width");
  const names = NAMES.map((name, n) => (n === 2 ? `${name} ${width}` : name));
  const root = frame(host, "The race");
  root.classList.add("tr", "ra");
  let known = null; // {config, srcTokens, tgtTokens, splitter} once the models are there
  let runs = null; // what each of the five did
  let asked = 0;
  let step = 0; // after how many steps they are shown
  let timer = null;

  const ask = (trait, value) => { model.set(trait, value); model.save_changes(); };

  // ── The sentence and the dials ───────────────────────────────────────────────────────────────
  const line = sentenceLine({ model, onchange: (text) => ask("text", text) });
  const draw = shuffler(Object.keys(references));
  function shuffle() {
    const text = draw(model.get("text"));
    if (text === model.get("text")) race();
    else ask("text", text);
  }
  const meaning = el("p", { class: "aw-note ra-meaning" });
  const said = status();
  const factor = slider({
    label: "Length", min: 0.5, max: 1.5, step: 0.1, value: model.get("length_factor"),
    format: (value) => `× ${fmt(value, Number.isInteger(Number((10 * value).toFixed(6))) ? 1 : 2)}`, oninput: (value) => ask("length_factor", value),
  });
  const iterations = slider({
    label: "Passes of mask-predict", min: 1, max: 10, step: 1, value: model.get("iterations"),
    oninput: (value) => ask("iterations", value),
  });
  const clock = slider({ label: "Step", min: 0, max: 1, step: 1, value: 0, oninput: (value) => { stop(); step = value; show(); } });
  const start = button("Start the race", play);

  // ── Five lanes ───────────────────────────────────────────────────────────────────────────────
  const lanes = names.map((name) => {
    const [words, state] = [el("p", { class: "ra-words", lang: "en" }), el("span", { class: "ra-state" })];
    return { node: el("li", { class: "ra-lane" }, el("span", { class: "ra-name" }, name), state, words), words, state };
  });
  const cells = names.map(() => COLUMNS.map(() => el("td")));
  const measure = el("caption");
  const table = el("table", { class: "aw-matrix ra-table" }, measure,
    el("thead", {}, el("tr", {}, el("td"), ...COLUMNS.map((column) => el("th", { scope: "col" }, column)))),
    el("tbody", {}, ...names.map((name, n) => el("tr", {}, el("th", { scope: "row" }, name), ...cells[n]))));
  const scene = el("div", {},
    el("div", { class: "ra-dials" }, factor.node, iterations.node),
    el("div", { class: "ra-clock" }, start, clock.node),
    el("ol", { class: "ra-lanes" }, ...lanes.map(({ node }) => node)),
    el("div", { class: "aw-scroll", tabindex: 0, role: "group", "aria-label": "What it cost" }, table));
  root.append(line.node, el("div", { class: "aw-row tr-buttons" }, button("Shuffle", shuffle)), meaning, said.node, scene);

  async function race() {
    if (!known) return;
    const text = model.get("text");
    line.show();
    factor.set(model.get("length_factor"));
    iterations.set(model.get("iterations"));
    const { words, ids, isUnknown, strange } = line.read(known);
    const most = model.get("max_words");
    if (words.length === 0 || words.length > most) {
      hide();
      said.say(words.length ? `That makes ${words.length} words and marks; at most ${most} can race.` : "There is nothing to translate yet. Type a word, or press “Shuffle”.");
      return;
    }
    said.say(strange.length ? `Not among the words that these models know: ${strange.join(", ")}.` : "");
    meaning.textContent = words.map((word, n) => (line.gloss(word) || (isUnknown[n] ? "?" : word))).join(" · ");
    const number = asked += 1;
    const { positions, max_len: longest } = known.config;
    try {
      const found = await engine.run("race", {
        key, ids, maxLen: Math.min(2 * words.length + 10, positions === "learned" ? longest : Infinity),
        beamWidth: width, iterations: model.get("iterations"), lengthFactor: model.get("length_factor"),
      });
      if (number !== asked) return; // the reader has gone on meanwhile
      runs = found;
    } catch (error) {
      if (number !== asked) return;
      hide();
      said.say(error.message);
      return;
    }
    stop();
    scene.hidden = false;
    step = Math.max(...runs.map((run) => run.frames.length));
    clock.input.max = step;
    score(text);
    show();
    performance.mark("attnsteps:race-ready");
  }

  const wordsOf = (ids) => ids.filter((id) => id !== known.config.eos_id).map((id) => known.tgtTokens[id]);
  function score(text) {
    const isKnown = Object.hasOwn(references, text);
    const right = isKnown ? references[text] : [wordsOf(runs[1].ids)];
    measure.textContent = `Errors: words to put in, take out or replace until it is ${isKnown ? "a right translation" : "greedy’s translation"}. A length counts the end as well.`;
    runs.forEach((run, n) => {
      const words = wordsOf(run.ids);
      const errors = Math.min(...right.map((each) => wordEdits(words, each)));
      [words.length, run.frames.length, fmt(run.multiplications / 1e6, 1), fmt(run.milliseconds, 1), errors].forEach((value, c) => {
        cells[n][c].textContent = String(value);
      });
    });
    ask("translations", Object.fromEntries(runs.map((run, n) => [names[n], wordsOf(run.ids).join(" ")])));
  }

  function show() {
    if (!runs) return;
    clock.set(step);
    runs.forEach(({ frames, length }, n) => {
      const at = Math.min(step, frames.length);
      const isDone = step >= frames.length;
      const { ids, fresh } = at ? frames[at - 1] : { ids: [], fresh: [] };
      lanes[n].node.classList.toggle("ra-done", isDone);
      const planned = length ? `, length ${length}` : "";
      lanes[n].state.textContent = isDone ? `done in ${frames.length}${planned}` : `step ${at} of ${frames.length}${planned}`;
      lanes[n].words.replaceChildren(...ids.flatMap((id, t) => (id === known.config.eos_id ? [] : [
        t ? " " : "", el(fresh.includes(t) && !isDone ? "mark" : "span", {}, known.tgtTokens[id])])));
    });
  }
  function play() {
    stop();
    if (!runs) return;
    if (reducedMotion()) {
      step = Number(clock.input.max);
      show();
      return;
    }
    step = 0;
    show();
    timer = setInterval(() => {
      step = isVisible ? step + 1 : Number(clock.input.max);
      show();
      if (step >= Number(clock.input.max)) stop();
    }, PACE);
  }
  function stop() {
    clearInterval(timer);
    timer = null;
  }

  // ── Life ─────────────────────────────────────────────────────────────────────────────────────
  let isVisible = true;
  const watcher = new IntersectionObserver((seen) => { isVisible = seen.at(-1).isIntersecting; });
  watcher.observe(root);
  async function load() {
    const views = Object.entries(FILES).map(([name, trait]) => [name, model.get(trait)]);
    if (known) return;
    if (views.some(([, view]) => !view)) {
      said.say("Loading the models …");
      return;
    }
    try {
      known = await engine.run("load", { key, buffers: Object.fromEntries(views.map(([name, view]) => [name, fileOf(view)])) });
    } catch (error) {
      hide();
      said.node.classList.add("aw-bad");
      said.say(error.message);
      return;
    }
    line.offer(known.srcTokens);
    await race();
  }
  function hide() {
    stop();
    asked += 1;
    runs = null;
    scene.hidden = true;
    meaning.textContent = "";
  }

  hide();
  line.show();
  load();
  for (const trait of TRAITS) model.on(`change:${trait}`, race);
  for (const trait of Object.values(FILES)) model.on(`change:${trait}`, load);
  return () => {
    stop();
    watcher.disconnect();
    engine.close();
    racing.unload({ key });
    for (const trait of TRAITS) model.off(`change:${trait}`, race);
    for (const trait of Object.values(FILES)) model.off(`change:${trait}`, load);
  };
}

export default { render };
