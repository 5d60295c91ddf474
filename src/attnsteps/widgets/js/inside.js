// A trained model with switches: turn any head or edge of its attention off, and see what it says then.
import { fileOf, serveJobs, startEngine } from "./engine.js";
import { intervening, isHead } from "./intervening.js";
import { LOOKS, loom } from "./loom.js";
import { silencesHead } from "./maths/model/multi_head.js";
import { averageHeads } from "./maths/time_machine.js";
import { joinWords } from "./maths/words.js";
import { sentenceLine, strangeNote } from "./sentence_line.js";
import { asPercent, button, choice, el, frame, status, uid } from "./ui.js";

serveJobs(intervening);

const PARTS = { encoder: "encoder", decoder: "decoder, its own words", cross: "decoder, to the source" };
const KINDS = Object.keys(LOOKS);
const TRAITS = ["text", "knockouts"];

/** A row of options under a label. */
function select(label, onchange) {
  const id = uid();
  const input = el("select", { id, class: "in-select", onchange });
  return {
    node: el("span", { class: "in-field" }, el("label", { for: id }, label), input),
    get value() { return Number(input.value); },
    fill(names) {
      const chosen = Math.min(Math.max(0, this.value), names.length - 1);
      input.replaceChildren(...names.map((name, n) => el("option", { value: n, selected: n === chosen }, name)));
    },
    choose(n) { input.value = String(n); },
  };
}

function render({ model, el: host }) {
  const key = uid();
  const engine = startEngine(intervening, model.get("_esm"), import.meta.url);
  const root = frame(host, "Interventions");
  root.classList.add("tr", "in");
  let known = null; // {config, srcTokens, tgtTokens, …} once the model is there
  let now = null; // {words, written: ids of the whole model's translation, whole, cut, said: ids}
  let sought = 0; // the sentences that were asked for
  let asked = 0; // the readings of one sentence
  let place = null; // the word of the translation that is asked about
  let sourcePlace = 0;
  let kind = "cross";

  const ask = (trait, value) => { model.set(trait, value); model.save_changes(); };
  const nameOf = (id) => (id === known.config.eos_id ? "end" : known.tgtTokens[id]);
  const blocks = () => model.get("knockouts");
  const isOff = (part, layer, head) => silencesHead(blocks().filter((block) => block.part === part && (block.layer == null || block.layer === layer)), head);

  // ── The sentence and its twin ────────────────────────────────────────────────────────────────
  const line = sentenceLine({ model, onchange: (text) => setText(text) });
  const pairs = model.get("pairs");
  const isOf = (both, text) => both.some((twin) => twin.text === text);
  let pair = 0; // the one on the two buttons
  const twins = [0, 1].map((n) => button("", () => setText(pairs[pair][n].text), { "aria-pressed": "false" }));
  const restore = button("Restore everything", () => ask("knockouts", []));
  const buttons = el("div", { class: "aw-row tr-buttons" },
    ...(pairs.length ? [el("span", { class: "in-label" }, "Minimal pair:"), ...twins] : []),
    pairs.length > 1 ? button("Another pair", () => { pair = (pair + 1) % pairs.length; setText(pairs[pair][0].text); }) : "",
    restore);
  const said = status(); // what there is to complain of
  const heard = status(); // what has changed, for who cannot see it
  heard.node.classList.add("tr-heard");

  /** Edges are between places: they stay for the twin, which differs in a word, and go with the sentence. */
  function setText(text) {
    const isTwin = pairs.some((both) => isOf(both, text) && isOf(both, model.get("text")));
    const heads = blocks().filter(({ query, key: looked }) => query == null && looked == null);
    if (!isTwin && heads.length < blocks().length) model.set("knockouts", heads);
    ask("text", text);
  }
  function showTwins() {
    if (pairs.length === 0) return;
    const at = pairs.findIndex((both) => isOf(both, model.get("text")));
    if (at >= 0) pair = at;
    for (const [n, { text, word }] of pairs[pair].entries()) {
      twins[n].textContent = line.gloss(word) ? `${word} ${line.gloss(word)}` : word;
      twins[n].setAttribute("aria-pressed", String(text === model.get("text")));
    }
  }

  // ── What it says ─────────────────────────────────────────────────────────────────────────────
  const output = el("p", { class: "tr-output", lang: "en" });
  const picture = loom({
    onsource: (n) => {
      sourcePlace = n;
      if (kind === "cross") toggle({ part: "cross", query: place, key: n });
      else if (kind === "encoder") refresh();
    },
    ontarget: (n) => { place = n; update(); },
  });
  const kindChoice = choice({ label: "Threads:", options: Object.values(LOOKS), selected: 0, onchange: (n) => { kind = KINDS[n]; refresh(); } });
  const hint = el("p", { class: "aw-note" });
  const table = el("table", { class: "in-table" });
  const panel = el("div", { class: "tr-panel" }, table, hint);
  const scene = el("div", { class: "tr-scene" }, el("div", {}, picture.node, kindChoice.node), panel);

  // ── The switches ─────────────────────────────────────────────────────────────────────────────
  const grids = el("div", { class: "in-grids" });
  const gridNote = el("p", { class: "aw-note" });
  const heading = el("p", { class: "tr-heading" }, "Heads: press one to turn it off, or on again");
  let switches = []; // {part, layer, head, node, share}
  let layerSwitches = []; // {part, layer, node}
  function makeSwitches() {
    const { num_heads: numHeads, num_encoder_layers: numEncoder, num_decoder_layers: numDecoder } = known.config;
    [switches, layerSwitches] = [[], []];
    grids.replaceChildren(...Object.entries(PARTS).map(([part, title]) => {
      const rows = Array.from({ length: part === "encoder" ? numEncoder : numDecoder }, (_, layer) => {
        const whole = el("button", { type: "button", class: "in-layer", "aria-label": `${title}, layer ${layer + 1}: all heads`, onclick: () => toggleLayer(part, layer) }, `layer ${layer + 1}`);
        layerSwitches.push({ part, layer, node: whole });
        const cells = Array.from({ length: numHeads }, (__, head) => {
          const share = el("span", { class: "in-share" });
          const state = el("span", { class: "in-state" });
          const node = el("button", {
            type: "button", class: "in-head", "aria-pressed": "false", onclick: () => toggle({ part, layer, head }),
          }, el("span", {}, `H${head + 1}`), state, share);
          switches.push({ part, layer, head, node, share, state, name: `${title}, layer ${layer + 1}, head ${head + 1}` });
          return el("td", {}, node);
        });
        return el("tr", {}, el("th", { scope: "row" }, whole), ...cells);
      });
      return el("div", { class: "aw-scroll" }, el("table", { class: "in-grid" }, el("caption", {}, title), el("tbody", {}, ...rows)));
    }));
  }
  function toggle(block) {
    const same = (other) => ["part", "layer", "head", "query", "key"].every((name) => (other[name] ?? null) === (block[name] ?? null));
    ask("knockouts", blocks().some(same) ? blocks().filter((other) => !same(other)) : [...blocks(), block]);
  }
  function toggleLayer(part, layer) {
    const heads = Array.from({ length: known.config.num_heads }, (_, head) => head);
    const others = blocks().filter((block) => !heads.some((head) => isHead(block, part, layer, head)));
    ask("knockouts", heads.every((head) => isOff(part, layer, head)) ? others : [...others, ...heads.map((head) => ({ part, layer, head }))]);
  }

  const parts = Object.keys(PARTS);
  const partField = select("In", () => fillFields());
  partField.fill(Object.values(PARTS));
  partField.choose(parts.indexOf("cross"));
  const layerField = select("layer", () => {});
  const queryField = select("from", () => fillKeys());
  const keyField = select("to", () => {});
  const cutButton = button("Cut this edge", () => toggle({
    part: parts[partField.value], layer: layerField.value ? layerField.value - 1 : null, head: null, query: queryField.value, key: keyField.value,
  }));
  const edges = el("fieldset", { class: "in-edges" }, el("legend", { class: "tr-heading" }, "Edges: who may not look at whom"),
    partField.node, layerField.node, queryField.node, keyField.node, cutButton);
  let chipButtons = [];
  const chips = el("ul", { class: "in-chips", "aria-label": "What is cut" });
  const quiet = el("p", { class: "aw-note" }, "Pressing a word of the source cuts the chosen word of the translation off from it, in all layers and heads, while the threads go to the source.");
  const lookPanel = el("div", { class: "tr-look" }, heading, grids, gridNote, edges, chips, quiet);
  root.append(line.node, buttons, said.node, heard.node, output, scene, lookPanel);
  const hidden = [output, scene, lookPanel];

  const numLayers = (part) => known.config[part === "encoder" ? "num_encoder_layers" : "num_decoder_layers"];
  const writtenNames = () => now.written.map(nameOf);
  const queriesOf = (part) => (part === "encoder" ? now.words : writtenNames());
  const keysOf = (part) => (part === "decoder" ? ["start", ...writtenNames().slice(0, -1)] : now.words);
  function fillFields() {
    const part = parts[partField.value];
    layerField.fill(["all", ...Array.from({ length: numLayers(part) }, (_, n) => String(n + 1))]);
    queryField.fill(queriesOf(part).map((word, n) => `${n + 1} ${part === "encoder" ? line.named(word) : word}`));
    if (part !== "encoder") queryField.choose(place);
    fillKeys();
  }
  function fillKeys() {
    const part = parts[partField.value];
    const visible = part === "decoder" ? keysOf(part).slice(0, queryField.value + 1) : keysOf(part);
    keyField.fill(visible.map((word, n) => `${n + 1} ${part === "decoder" ? word : line.named(word)}`));
  }
  function describe({ part, layer, head, query, key: looked }) {
    const where = `${PARTS[part]}, ${layer == null ? "all layers" : `layer ${layer + 1}`}${head == null ? "" : `, head ${head + 1}`}`;
    if (query == null && looked == null) return where;
    const from = query == null ? "every word" : queriesOf(part)[query] ?? `place ${query + 1}`;
    const to = looked == null ? "anything" : keysOf(part)[looked] ?? `place ${looked + 1}`;
    return `${from} → ${to} (${where})`;
  }

  // ── Asking and showing ───────────────────────────────────────────────────────────────────────
  async function translate() {
    if (!known) return;
    line.show();
    showTwins();
    const { words, ids, isUnknown, strange } = line.read(known);
    const most = model.get("max_words");
    if (words.length === 0 || words.length > most) {
      hide();
      said.say(words.length ? `That makes ${words.length} words and marks; at most ${most} fit.` : "There is nothing to translate yet. Type a word, or pick a pair.");
      return;
    }
    const number = sought += 1;
    const { positions, max_len: longest } = known.config;
    const maxLen = Math.min(2 * words.length + 10, positions === "learned" ? longest : Infinity);
    const given = { key, ids, forced: {}, maxLen, numAlternatives: 0 };
    try {
      const free = await engine.run("translate", { ...given, blocks: [] });
      const written = free.steps.map(({ id }) => id);
      const whole = await engine.run("read", { key, ids, written, blocks: [] });
      if (number !== sought) return; // the reader has gone on meanwhile
      now = { words, ids, isUnknown, given, written, whole, cut: whole, said: written };
    } catch (error) {
      if (number !== sought) return;
      hide();
      said.say(error.message);
      return;
    }
    said.say(strangeNote(strange, known));
    const pronouns = model.get("pronouns");
    place = now.written.findLastIndex((id) => pronouns.includes(nameOf(id)));
    if (place < 0) place = 0;
    sourcePlace = Math.min(sourcePlace, words.length - 1);
    await update();
  }

  /** Read and write once more, with what is off now. */
  async function update() {
    if (!now) return;
    const number = asked += 1;
    const { ids, given, written } = now;
    const asking = { key, ids, written, blocks: blocks() };
    try {
      const cut = await engine.run("read", asking);
      const free = await engine.run("translate", { ...given, blocks: blocks() });
      if (number !== asked) return;
      Object.assign(now, { cut, said: free.steps.map(({ id }) => id), screen: null });
    } catch (error) {
      if (number === asked) said.say(error.message);
      return;
    }
    for (const part of hidden) part.hidden = false;
    picture.setWords(now.words.map((word, n) => ({ word, pinyin: line.reading(word), gloss: now.isUnknown[n] ? "unknown" : line.gloss(word), isUnknown: now.isUnknown[n] })), targets());
    fillFields();
    refresh();
    ask("translation", sentenceOf(now.said));
    try {
      const screen = await engine.run("screen", { ...asking, place });
      if (number !== asked) return;
      now.screen = screen;
    } catch (error) {
      if (number === asked) said.say(error.message);
      return;
    }
    showSwitches();
    performance.mark("attnsteps:inside-ready");
  }
  function sentenceOf(ids) {
    const tokens = ids.filter((id) => id !== known.config.eos_id).map((id) => known.tgtTokens[id]);
    return known.joiner.kind === "Characters" ? tokens.join("") : joinWords(tokens, known.joiner.known);
  }
  function targets() {
    return now.written.map((id, n) => {
      const probability = now.cut.probabilities[n][id];
      return { word: nameOf(id), note: asPercent(probability), share: probability, isForced: false, isEnd: id === known.config.eos_id };
    });
  }
  /** The mean of those heads that are on; nothing where none is. */
  function rows() {
    const layers = now.cut.weights[kind].map((heads, layer) => heads.filter((_, head) => !isOff(kind, layer, head)));
    return layers.flat().length ? averageHeads(layers) : now.cut.weights[kind][0][0].map((row) => Array(row.length).fill(0));
  }

  function refresh() {
    if (!now) return;
    const isEncoder = kind === "encoder";
    picture.setShares(targets());
    picture.update({ kind, shown: now.written.length, place: isEncoder ? null : place, sourcePlace: isEncoder ? sourcePlace : null, rows: rows() });
    root.dataset.kind = kind;
    const isWhole = blocks().length === 0;
    const isSame = String(now.said) === String(now.written);
    output.replaceChildren(el("span", { class: "in-label" }, isWhole ? "The whole model says: " : "Left to itself, it now says: "),
      ...now.said.filter((id) => id !== known.config.eos_id).flatMap((id, n) => [n && /[\p{L}\p{N}]/u.test(nameOf(id)[0]) ? " " : "",
        el(id === now.written[n] ? "span" : "mark", {}, nameOf(id))]),
      isWhole ? "" : el("span", { class: "in-label" }, isSame ? " (as before)" : ` (before: ${sentenceOf(now.written)})`));
    showCandidates();
    showSwitches();
    const cut = blocks().filter((block) => !(block.layer != null && block.head != null && block.query == null && block.key == null));
    const at = chipButtons.indexOf(document.activeElement);
    chipButtons = cut.map((block) => el("button", {
      type: "button", class: "in-chip", "aria-label": `Restore ${describe(block)}`, onclick: () => toggle(block),
    }, describe(block), el("span", { "aria-hidden": "true" }, " ✕")));
    chips.replaceChildren(...chipButtons.map((chip) => el("li", {}, chip)));
    if (at >= 0) (chipButtons[Math.min(at, cut.length - 1)] ?? restore).focus();
    const word = nameOf(now.written[place]);
    heard.say(`${isWhole ? "Nothing is off" : `${blocks().length} ${blocks().length === 1 ? "switch" : "switches"} off`}. “${word}” has ${asPercent(now.cut.probabilities[place][now.written[place]])}. It says: ${sentenceOf(now.said)}`);
  }

  function showCandidates() {
    const id = now.written[place];
    const pronouns = model.get("pronouns").map((word) => known.tgtTokens.indexOf(word)).filter((at) => at >= 0);
    const [before, after] = [now.whole, now.cut].map(({ probabilities }) => probabilities[place]);
    const likely = [...after.keys()].filter((at) => at !== id && after[at] > 0).sort((a, b) => after[b] - after[a]);
    const shown = pronouns.includes(id) ? pronouns : [id, ...likely.slice(0, 4)];
    const cell = (value) => {
      const made = el("td", {}, asPercent(value));
      made.style.setProperty("--share", String(value));
      return made;
    };
    table.replaceChildren(el("caption", {}, `Word ${place + 1}, after “${place ? nameOf(now.written[place - 1]) : "start"}”, could be`),
      el("thead", {}, el("tr", {}, ...["", "whole", "now"].map((name) => el(name ? "th" : "td", name ? { scope: "col" } : {}, name)))),
      el("tbody", {}, ...shown.map((at) => el("tr", { class: at === id ? "in-wanted" : null }, el("th", { scope: "row" }, nameOf(at)), cell(before[at]), cell(after[at])))));
    hint.textContent = "Each word is judged after the words that the whole model wrote before it. Press another one to ask about it.";
  }

  function showSwitches() {
    const word = now.written[place];
    const present = now.cut.probabilities[place][word];
    for (const { part, layer, head, node, share, state, name } of switches) {
      const off = isOff(part, layer, head);
      const would = now.screen?.[part][layer][head];
      node.setAttribute("aria-pressed", String(off));
      state.textContent = off ? "off" : "on";
      share.textContent = would === undefined ? "…" : asPercent(would);
      node.setAttribute("aria-label", `${name}: ${off ? "off" : "on"}${would === undefined ? "" : `; ${asPercent(would)} if switched`}`);
      node.style.setProperty("--amount", String(would === undefined ? 0 : Math.min(1, Math.abs(would - present))));
    }
    for (const { part, layer, node } of layerSwitches) {
      node.setAttribute("aria-pressed", String(switches.every((each) => each.part !== part || each.layer !== layer || isOff(part, layer, each.head))));
    }
    gridNote.textContent = `The number says how probable “${nameOf(word)}” would be if you switched this head too, off or on again. Now it is ${asPercent(present)}.`;
  }

  // ── Life ─────────────────────────────────────────────────────────────────────────────────────
  async function load() {
    const weights = model.get("weights");
    if (!weights) {
      said.say("Loading the model …");
      return;
    }
    try {
      known = await engine.run("load", { key, buffer: fileOf(weights) });
    } catch (error) {
      known = null;
      hide();
      said.node.classList.add("aw-bad");
      said.say(error.message);
      return;
    }
    said.node.classList.remove("aw-bad");
    line.offer(known.srcTokens);
    makeSwitches();
    await translate();
  }
  /** Nothing to show; an answer that is still on its way comes too late. */
  function hide() {
    sought += 1;
    asked += 1;
    now = null;
    for (const part of hidden) part.hidden = true;
    heard.say("");
  }

  hide();
  line.show();
  load();
  const listeners = { text: translate, knockouts: update, weights: load };
  for (const [trait, listener] of Object.entries(listeners)) model.on(`change:${trait}`, listener);
  return () => {
    picture.close();
    engine.close();
    intervening.unload({ key });
    for (const [trait, listener] of Object.entries(listeners)) model.off(`change:${trait}`, listener);
  };
}

export default { render };
