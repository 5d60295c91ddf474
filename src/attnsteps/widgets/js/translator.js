// The real model at work: type Chinese, watch the words come, and see where every head looked.
import { fileOf, serveJobs, startEngine } from "./engine.js";
import { LOOKS, loom } from "./loom.js";
import { joinWords } from "./maths/words.js";
import { sentenceLine, shuffler, strangeNote } from "./sentence_line.js";
import { translating } from "./translating.js";
import { asPercent, button, choice, el, frame, reducedMotion, status, uid } from "./ui.js";
import { weightTable } from "./weight_table.js";

serveJobs(translating);

const PACE = 110; // ms from one word to the next
const NUM_ALTERNATIVES = 5;
const KINDS = Object.keys(LOOKS);
const THREADS = {
  cross: "how much each word of the translation looked at each word of the source",
  decoder: "how much the chosen word looked at the words written before it",
  encoder: "how much the chosen word of the source looked at the others",
};
const TRAITS = ["text", "forced"];

function render({ model, el: host }) {
  const key = uid();
  const engine = startEngine(translating, model.get("_esm"), import.meta.url);
  const root = frame(host, "Translator");
  root.classList.add("tr");
  let known = null; // {config, srcTokens, tgtTokens} once the model is there
  let now = null; // what is shown: {words, result, forced}
  let asked = 0;
  let place = null; // the chosen output word
  let sourcePlace = 0; // the chosen source word, for the encoder
  let kind = "cross";
  let head; // [layer, head], or null for the average of all; at first the most decided one
  let shown = 0; // how many output words are on the page
  let timer = null;

  const ask = (trait, value) => { model.set(trait, value); model.save_changes(); };
  const tokenOf = (id) => known.tgtTokens[id];
  const outputName = (id) => (id === known.config.eos_id ? "end" : tokenOf(id));

  // ── The sentence ─────────────────────────────────────────────────────────────────────────────
  const line = sentenceLine({ model, onchange: (text) => setText(text) });
  const said = status(); // what there is to complain of
  const heard = status(); // the translation, for who cannot see it grow
  heard.node.classList.add("tr-heard");
  const output = el("p", { class: "tr-output", lang: "en" });
  const examples = model.get("examples");
  const draw = shuffler(examples);
  const twins = line.twinsButton((text) => setText(text, true), (words) => words.flatMap(
    (word, n) => [n ? " ↔ " : "", word, el("span", { class: "tr-wide" }, ` ${line.gloss(word)}`)]));
  const buttons = el("div", { class: "aw-row tr-buttons" }, twins ?? "",
    examples.length ? button("Shuffle", () => setText(draw(model.get("text")), true), { title: "Another sentence, drawn from the corpus" }) : "",
    button("Replay", () => play(), { title: "Watch the words come again" }));

  function setText(text, animated = false) {
    place = null;
    isAnimated = animated;
    const isNew = text !== model.get("text");
    const wasForced = Object.keys(model.get("forced")).length > 0;
    if (isNew) model.set("text", text); // first, as each of the two is answered at once
    if (wasForced) model.set("forced", {});
    if (isNew || wasForced) model.save_changes();
    else translate();
  }
  let isAnimated = true; // the next translation comes word by word

  // ── The picture: two rows of words, and lines between them ───────────────────────────────────
  const picture = loom({
    onsource: (n) => { sourcePlace = n; if (kind !== "encoder") choose("encoder"); else refresh(); },
    ontarget: (n) => { place = place === n && kind !== "encoder" ? null : n; if (kind === "encoder") choose("cross"); else refresh(); },
  });

  // ── What is known of the chosen word ─────────────────────────────────────────────────────────
  const chosenTitle = el("p", { class: "tr-heading" });
  const alternatives = Array.from({ length: NUM_ALTERNATIVES }, (_, n) => {
    const bar = el("span", { class: "tr-bar", "aria-hidden": "true" });
    const [word, share] = [el("span", { class: "tr-alternative-word" }), el("span", { class: "tr-share" })];
    const node = el("button", { type: "button", class: "tr-alternative", "aria-pressed": "false", onclick: () => force(n) }, bar, word, share);
    return { node, bar, word, share };
  });
  const release = button("Let the model choose again", () => {
    alternatives[0].node.focus(); // the button goes
    keepPlace();
    ask("forced", {});
  });
  const hint = el("p", { class: "aw-note" });
  const wordPanel = el("div", { class: "tr-panel" }, chosenTitle,
    el("div", { class: "tr-alternatives", role: "group", "aria-label": "What it could say here" }, ...alternatives.map(({ node }) => node)),
    hint, release);

  function force(n) {
    place = lookedAt();
    stop();
    const { id } = now.result.steps[place].alternatives[n];
    const forced = Object.fromEntries(Object.entries(model.get("forced")).filter(([at]) => Number(at) < place));
    const before = now.result.steps[place];
    if (id !== before.alternatives[0].id) forced[place] = tokenOf(id);
    keepPlace();
    ask("forced", forced);
  }
  /** The next translation leaves the choice of words as it is, and is written from the chosen one on. */
  function keepPlace() {
    isAnimated = true;
    from = (place ?? -1) + 1;
  }
  let from = 0; // the next translation stands at once as far as this

  // ── Where it looked ──────────────────────────────────────────────────────────────────────────
  const kindChoice = choice({ label: "Attention:", options: Object.values(LOOKS), selected: 0, onchange: (n) => choose(KINDS[n]) });
  const looked = el("p", { class: "tr-heading" });
  const byHeadTable = weightTable((row) => { head = row === 0 ? null : heads()[row - 1]; refresh(); });
  const byWordTable = weightTable((row) => { if (kind === "encoder") sourcePlace = row; else place = row; refresh(); });
  const lookPanel = el("div", { class: "tr-panel tr-look" }, looked, kindChoice.node,
    el("div", { class: "tr-tables" }, byHeadTable.node, byWordTable.node));
  const legend = el("p", { class: "aw-note tr-legend" });
  const scene = el("div", { class: "tr-scene" }, el("div", {}, picture.node, legend), wordPanel);
  const cost = el("p", { class: "aw-note tr-cost" });
  root.append(line.node, buttons, said.node, heard.node, output, scene, lookPanel, cost);
  const parts = [output, scene, lookPanel, cost];

  function choose(next) {
    kind = next;
    kindChoice.set(KINDS.indexOf(kind));
    head = head && head[0] < now.result.weights[kind].length ? head : null;
    refresh();
  }
  function heads() {
    return now.result.weights[kind].flatMap((layer, l) => layer.map((_, h) => [l, h]));
  }
  /** The head whose queries put most of their weight on one word. */
  function mostDecided() {
    const sureness = ([l, h]) => now.result.weights[kind][l][h].reduce((sum, row) => sum + Math.max(...row), 0);
    return heads().reduce((best, each) => (sureness(each) > sureness(best) ? each : best));
  }
  /** The row of weights of a query, in one head or averaged over all. */
  function rowOf(which, query, of = kind) {
    const layers = now.result.weights[of];
    if (which) return [...layers[which[0]][which[1]][query]];
    const rows = layers.flatMap((layer) => layer.map((each) => each[query]));
    return Array.from(rows[0], (_, j) => rows.reduce((sum, row) => sum + row[j], 0) / rows.length);
  }
  const headName = (which) => (which ? `layer ${which[0] + 1}, head ${which[1] + 1}` : "the average of all heads");
  const headLabel = (which) => (which ? `L${which[0] + 1} H${which[1] + 1}` : "all");

  // ── Asking and showing ───────────────────────────────────────────────────────────────────────
  async function translate() {
    if (!known) return;
    line.show();
    const { words, ids, isUnknown, strange } = line.read(known);
    const most = model.get("max_words");
    if (words.length === 0 || words.length > most) {
      hide();
      said.say(words.length ? `That makes ${words.length} words and marks; this model has learned from short sentences, so at most ${most} fit.`
        : "There is nothing to translate yet. Type a word, or press “Shuffle”.");
      return;
    }
    const forced = Object.fromEntries(Object.entries(model.get("forced")).map(([at, word]) => [at, known.tgtTokens.indexOf(word)]).filter(([, id]) => id >= 0));
    const number = asked += 1;
    let result;
    const start = performance.now();
    try {
      result = await engine.run("translate", { key, ids, forced, blocks: [], maxLen: maxLenFor(words.length), numAlternatives: NUM_ALTERNATIVES });
    } catch (error) {
      if (number !== asked) return;
      hide();
      said.say(error.message);
      return;
    }
    performance.measure("attnsteps:translate", { start });
    if (number !== asked) return; // the reader has gone on meanwhile
    now = { words, result, forced };
    if (head === undefined) head = mostDecided();
    for (const part of parts) part.hidden = false;
    said.say(strangeNote(strange, known));
    sourcePlace = Math.min(sourcePlace, words.length - 1);
    picture.setWords(words.map((word, n) => ({ word, pinyin: line.reading(word), gloss: isUnknown[n] ? "unknown" : line.gloss(word), isUnknown: isUnknown[n] })),
      result.steps.map(({ id, probability }, t) => ({ word: outputName(id), note: asPercent(probability), share: probability, isForced: t in forced, isEnd: id === known.config.eos_id })));
    if (isAnimated) play(from);
    else finish();
    isAnimated = false;
    from = 0;
    performance.mark("attnsteps:translator-ready");
  }
  function maxLenFor(srcLen) {
    const { positions, max_len: most } = known.config;
    return Math.min(2 * srcLen + 10, positions === "learned" ? most : Infinity);
  }

  function play(first = 0) {
    if (!now) return;
    stop();
    isOwed = !isVisible && !reducedMotion();
    if (reducedMotion() || document.hidden || !isVisible) {
      finish();
      return;
    }
    shown = Math.min(first, now.result.steps.length);
    timer = setInterval(() => {
      shown += 1;
      if (shown >= now.result.steps.length || !isVisible) finish();
      else refresh();
    }, PACE);
    refresh();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
  }
  function finish() {
    stop();
    shown = now.result.steps.length;
    const tokens = now.result.steps.map(({ id }) => id).filter((id) => id !== known.config.eos_id).map(tokenOf);
    const translation = known.joiner.kind === "Characters" ? tokens.join("") : joinWords(tokens, known.joiner.known);
    if (place === null || place >= shown) {
      const it = tokens.indexOf(model.get("look_at"));
      place = it >= 0 ? it : null;
    }
    ask("translation", translation);
    heard.say(`Translation: ${translation}`);
    refresh();
  }

  /** The output word that is looked at: the newest while the words come, then the chosen one. */
  function lookedAt() {
    return timer === null ? place : shown > 0 ? shown - 1 : null;
  }

  function refresh() {
    if (!now) return;
    const { words, result } = now;
    const at = lookedAt();
    const isEncoder = kind === "encoder";
    picture.update({ kind, shown, place: isEncoder ? null : at, sourcePlace: isEncoder ? sourcePlace : null,
      rows: (isEncoder ? words : result.steps).map((_, n) => rowOf(head, n)) });

    output.replaceChildren(...result.steps.flatMap(({ id }, n) => {
      if (id === known.config.eos_id) return [];
      const state = n >= shown ? "tr-later" : n === at && !isEncoder ? "tr-here" : "";
      return [n && /[\p{L}\p{N}]/u.test(tokenOf(id)[0]) ? " " : "", el("span", { class: state || null }, tokenOf(id))];
    }));
    legend.textContent = `Threads: ${THREADS[kind]}, through ${headName(head)}.`;
    const step = at === null ? null : result.steps[at];
    chosenTitle.textContent = step ? `Word ${at + 1} could be` : "";
    hint.textContent = step ? "Press another one to put it there, and the rest is written anew."
      : "Press a word of the translation to see what else it could be, and where the model looked.";
    alternatives.forEach(({ node, bar, word, share }, n) => {
      const alternative = step?.alternatives[n];
      node.hidden = !alternative;
      if (!alternative) return;
      word.textContent = outputName(alternative.id) === "end" ? "(end)" : outputName(alternative.id);
      share.textContent = asPercent(alternative.probability);
      bar.style.width = `${100 * alternative.probability}%`;
      node.setAttribute("aria-pressed", String(alternative.id === step.id));
    });
    release.hidden = Object.keys(now.forced).length === 0;
    release.disabled = timer !== null;
    const lowest = picture.node.offsetHeight - wordPanel.offsetHeight; // the panel stands beside its word
    wordPanel.style.setProperty("--at", `${Math.max(0, Math.min(lowest, step ? picture.topOf(at) - 60 : 0))}px`);

    showTables(at);
    const { steps, multiplications } = result.counts;
    cost.textContent = `${steps} ${steps === 1 ? "pass" : "passes"} through the decoder, ${(multiplications / 1e6).toFixed(1)} million multiplications, `
      + `${Math.max(1, Math.round(result.milliseconds))} ms on this machine${engine.isWorker() ? "" : " (in the page itself)"}.`;
  }

  function showTables(at) {
    const { words, result } = now;
    const outputs = result.steps.map(({ id }) => outputName(id));
    const keys = kind === "decoder" ? ["start", ...outputs.slice(0, -1)] : words;
    const queries = kind === "encoder" ? words : outputs;
    const query = kind === "encoder" ? sourcePlace : at;
    const columns = { columns: keys, columnLang: kind === "decoder" ? "en" : "zh", columnNames: kind === "decoder" ? keys : words.map(line.named) };
    const pad = (row) => [...row, ...Array(keys.length - row.length).fill(null)];
    root.dataset.kind = kind;
    const all = [null, ...heads()];
    byHeadTable.node.hidden = query === null;
    if (query !== null) {
      byHeadTable.show({
        ...columns, caption: `“${queries[query]}” through every head (press one)`, rows: all.map(headLabel), rowNames: all.map(headName), rowLang: "en",
        values: all.map((which) => pad(rowOf(which, query))), marked: head ? 1 + heads().findIndex(([l, h]) => l === head[0] && h === head[1]) : 0,
      });
    }
    byWordTable.show({
      ...columns, caption: `Every word through ${headName(head)}`, rows: queries, rowNames: kind === "encoder" ? words.map(line.named) : queries,
      rowLang: kind === "encoder" ? "zh" : "en", values: queries.map((_, n) => pad(rowOf(head, n))), marked: query ?? -1,
      shown: kind === "encoder" ? words.length : shown,
    });
    looked.textContent = query === null ? "Where each word looked, in percent" : `Where “${queries[query]}” looked, in percent`;
  }
  // ── Life ─────────────────────────────────────────────────────────────────────────────────────
  let isVisible = true;
  let isOwed = false; // the words came while nobody could see it
  const watcher = new IntersectionObserver((entries) => {
    isVisible = entries.at(-1).isIntersecting;
    if (isVisible && isOwed) play();
  }, { rootMargin: "-15% 0px" });
  watcher.observe(root);

  async function load() {
    const weights = model.get("weights");
    if (!weights) {
      said.say("Loading the model …");
      return;
    }
    try {
      known = await engine.run("load", { key, buffer: fileOf(weights) });
    } catch (error) {
      hide();
      said.node.classList.add("aw-bad");
      said.say(error.message);
      return;
    }
    said.node.classList.remove("aw-bad");
    line.offer(known.srcTokens);
    await translate();
  }
  /** Nothing to show; an answer that is still on its way comes too late. */
  function hide() {
    stop();
    asked += 1;
    now = null;
    for (const part of parts) part.hidden = true;
    heard.say("");
  }

  hide();
  line.show();
  load();
  for (const trait of TRAITS) model.on(`change:${trait}`, translate);
  model.on("change:weights", load);
  return () => {
    stop();
    watcher.disconnect();
    picture.close();
    engine.close();
    translating.unload({ key });
    for (const trait of TRAITS) model.off(`change:${trait}`, translate);
    model.off("change:weights", load);
  };
}

export default { render };
