// One training, saved at several moments: what it said then, how sure it was, where its heads looked.
import { shape } from "./drawing.js";
import { fileOf, serveJobs, startEngine } from "./engine.js";
import { LOOKS, loom } from "./loom.js";
import { averageHeads, decidedness, sentenceLoss } from "./maths/time_machine.js";
import { joinWords } from "./maths/words.js";
import { sentenceLine, shuffler, strangeNote } from "./sentence_line.js";
import { translating } from "./translating.js";
import { asPercent, button, choice, el, fmt, frame, reducedMotion, slider, status, uid } from "./ui.js";
import { weightTable } from "./weight_table.js";

serveJobs(translating);

const PACE = 900; // ms from one moment to the next
const LONGEST = 14; // words of a translation that are shown
const KINDS = Object.keys(LOOKS);
const HIDDEN = { preserveAspectRatio: "none", "aria-hidden": "true" }; // a picture whose numbers stand beside it

function render({ model, el: host }) {
  const key = uid();
  const engine = startEngine(translating, model.get("_esm"), import.meta.url);
  const [steps, losses] = [model.get("steps"), model.get("losses")];
  const last = steps.length - 1;
  const root = frame(host, "Time-machine");
  root.classList.add("tr", "tm");
  let known = null; // {config, srcTokens, tgtTokens, …} once the models are there
  let now = null; // {words, wanted: ids of the last moment's translation, moments: […]}
  let asked = 0;
  let [place, sourcePlace] = [0, 0]; // the chosen words
  let kind = "cross";
  let head = null; // [layer, head], or null for the average of all
  let timer = null;

  const ask = (trait, value) => { model.set(trait, value); model.save_changes(); };
  const present = () => Math.max(0, Math.min(last, model.get("moment")));
  const nameOf = (id) => (id === known.config.eos_id ? "end" : known.tgtTokens[id]);

  // ── The sentence ─────────────────────────────────────────────────────────────────────────────
  const line = sentenceLine({ model, onchange: (text) => ask("text", text) });
  const examples = model.get("examples");
  const draw = shuffler(examples);
  const buttons = el("div", { class: "aw-row tr-buttons" },
    line.twinsButton((text) => ask("text", text)) ?? "",
    examples.length ? button("Shuffle", () => ask("text", draw(model.get("text"))), { title: "Another sentence, drawn from the corpus" }) : "");
  const said = status(); // what there is to complain of
  const heard = status(); // the translation, for who cannot see the list
  heard.node.classList.add("tr-heard");

  // ── The moments: a curve of losses over the slider, and what was said at each ────────────────
  const top = 1.06 * Math.max(...losses);
  const across = (n) => (100 * n) / last;
  const down = (loss) => 100 * (1 - loss / top);
  const curve = shape("svg", { ...HIDDEN, viewBox: "0 0 100 100" },
    shape("polyline", { points: losses.map((loss, n) => `${across(n)},${down(loss)}`).join(" ") }));
  const dots = losses.map((loss, n) => el("span", { class: "tm-dot", style: `left:${across(n)}%;top:${down(loss)}%` }));
  const tag = el("span", { class: "tm-tag" });
  const ticks = steps.map((step, n) => el("span", { class: "tm-tick", style: `left:${across(n)}%` }, String(step)));
  const plot = el("div", { class: "tm-plot", "aria-hidden": "true", onclick: (event) => { // the slider does the same
    const box = plot.getBoundingClientRect();
    ask("moment", Math.max(0, Math.min(last, Math.round((last * (event.clientX - box.left)) / box.width))));
  } }, curve, ...dots, tag);
  const dial = slider({
    label: "Moment", min: 0, max: last, step: 1, value: present(), format: (n) => `after ${steps[n]} updates: loss ${fmt(losses[n])}`,
    oninput: (n) => { stop(); ask("moment", n); },
  });
  dial.node.classList.add("tm-dial");
  dial.input.before(plot);
  dial.node.append(el("div", { class: "tm-ticks", "aria-hidden": "true" }, ...ticks));
  const playing = button("Play", () => (timer === null ? play() : stop()));
  playing.hidden = reducedMotion();

  const rows = steps.map((step, n) => {
    const pick = el("button", { type: "button", class: "tm-pick", "aria-pressed": "false", "aria-label": `after ${step} updates`, onclick: () => { stop(); ask("moment", n); } }, String(step));
    const text = el("td", { class: "tm-said", lang: "en" });
    return { pick, text, node: el("tr", {}, el("th", { scope: "row" }, pick), el("td", { class: "tm-loss" }, fmt(losses[n])), text) };
  });
  const list = el("table", { class: "tm-list" }, el("caption", {}, "All moments: what it says, left to itself"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "updates"), el("th", { scope: "col" }, "loss"), el("th", { scope: "col" }, "translation"))),
    el("tbody", {}, ...rows.map(({ node }) => node)));

  // ── The sentence, word by word, and every head ───────────────────────────────────────────────
  const output = el("p", { class: "tr-output", lang: "en" });
  const heading = el("p", { class: "tr-heading" });
  const picture = loom({
    onsource: (n) => { sourcePlace = n; if (kind !== "encoder") choose("encoder"); else refresh(); },
    ontarget: (n) => { place = n; if (kind === "encoder") choose("cross"); else refresh(); },
  });
  const kindChoice = choice({ label: "Attention:", options: Object.values(LOOKS), selected: 0, onchange: (n) => choose(KINDS[n]) });
  const grid = el("div", { class: "tm-tiles", role: "group", "aria-label": "The heads" });
  const note = el("p", { class: "aw-note" }, "Each picture is a head: a row for each word that asks, a column for each word asked, the stronger its colour, the more. "
    + "The number is the largest weight of a row, averaged over the rows.");
  const scene = el("div", { class: "tm-scene" }, picture.node, el("div", {}, grid, note));
  const table = weightTable((row) => { if (kind === "encoder") sourcePlace = row; else place = row; refresh(); });
  const numbers = el("details", { ontoggle: () => refresh() }, el("summary", {}, "The weights as numbers"), table.node);
  const lookPanel = el("div", { class: "tr-look" }, heading, kindChoice.node, scene, numbers);
  root.append(line.node, buttons, said.node, heard.node, el("div", { class: "tm-when" }, dial.node, playing), output, lookPanel, list);
  const parts = [output, lookPanel, list];
  let tiles = []; // {head, node, cells, share}

  function choose(next) {
    kind = next;
    kindChoice.set(KINDS.indexOf(kind));
    head = head && head[0] < now.moments[last].weights[kind].length ? head : null;
    makeTiles();
    refresh();
  }
  /** The rows of a head at the present moment, or the average of all. */
  function rowsOf(which) {
    const layers = now.moments[present()].weights[kind];
    return which ? layers[which[0]][which[1]] : averageHeads(layers);
  }
  const labelOf = (which) => (which ? `L${which[0] + 1} H${which[1] + 1}` : "all");
  const isChosen = (which) => String(which) === String(head);

  function makeTiles() {
    const [numQueries, numKeys] = kind === "encoder" ? [now.words.length, now.words.length] : [now.wanted.length, kind === "cross" ? now.words.length : now.wanted.length];
    const all = now.moments[last].weights[kind].flatMap((layer, l) => layer.map((_, h) => [l, h]));
    tiles = [null, ...all].map((which) => {
      const cells = Array.from({ length: numQueries }, (_, r) => Array.from({ length: numKeys }, (__, c) =>
        shape("rect", { x: c, y: r, width: 1, height: 1, opacity: 0 })));
      const svg = shape("svg", { ...HIDDEN, viewBox: `0 0 ${numKeys} ${numQueries}` }, ...cells.flat());
      const share = el("span", { class: "tr-share" });
      const name = which ? `layer ${which[0] + 1}, head ${which[1] + 1}` : "all heads, averaged";
      const node = el("button", { type: "button", class: "tm-tile", "aria-pressed": "false", onclick: () => { head = which; refresh(); } },
        svg, el("span", { title: name }, labelOf(which)), share);
      return { which, node, cells, share };
    });
    grid.replaceChildren(...tiles.map(({ node }) => node));
  }

  // ── Asking and showing ───────────────────────────────────────────────────────────────────────
  async function translate() {
    if (!known) return;
    line.show();
    const number = asked += 1;
    const { words, ids, isUnknown, strange } = line.read(known);
    const most = model.get("max_words");
    if (words.length === 0 || words.length > most) {
      hide();
      said.say(words.length ? `That makes ${words.length} words and marks; at most ${most} fit.` : "There is nothing to translate yet. Type a word, or press “Shuffle”.");
      return;
    }
    const given = { ids, blocks: [], numAlternatives: 1 };
    const { positions, max_len: longest } = known.config;
    const maxLen = Math.min(2 * words.length + 10, positions === "learned" ? longest : Infinity);
    const found = [];
    try {
      const final = await engine.run("translate", { ...given, key: `${key}/${last}`, forced: {}, maxLen });
      const wanted = final.steps.map(({ id }) => id);
      const forced = Object.fromEntries(wanted.entries());
      for (let n = 0; n <= last; n += 1) {
        const free = n === last ? final : await engine.run("translate", { ...given, key: `${key}/${n}`, forced: {}, maxLen });
        const taught = n === last ? final : await engine.run("translate", { ...given, key: `${key}/${n}`, forced, maxLen: wanted.length });
        if (number !== asked) return; // the reader has gone on meanwhile
        found.push({ said: sentenceOf(free.steps), probabilities: taught.steps.map(({ probability }) => probability), weights: taught.weights });
      }
      now = { words, wanted, moments: found };
    } catch (error) {
      if (number !== asked) return;
      hide();
      said.say(error.message);
      return;
    }
    for (const part of parts) part.hidden = false;
    said.say(strangeNote(strange, known));
    for (const [n, row] of rows.entries()) row.text.textContent = shortened(found[n].said);
    const it = now.wanted.map(nameOf).indexOf(model.get("look_at"));
    place = it >= 0 ? it : Math.min(place, now.wanted.length - 1);
    sourcePlace = Math.min(sourcePlace, words.length - 1);
    picture.setWords(words.map((word, n) => ({ word, pinyin: line.reading(word), gloss: isUnknown[n] ? "unknown" : line.gloss(word), isUnknown: isUnknown[n] })),
      targets());
    makeTiles();
    refresh();
    performance.mark("attnsteps:time-machine-ready");
  }
  function sentenceOf(steps) {
    const tokens = steps.map(({ id }) => id).filter((id) => id !== known.config.eos_id).map((id) => known.tgtTokens[id]);
    return known.joiner.kind === "Characters" ? tokens.join("") : joinWords(tokens, known.joiner.known);
  }
  function shortened(text) {
    const words = text.split(" ");
    return words.length > LONGEST ? `${words.slice(0, LONGEST - 5).join(" ")} … (${words.length} words)` : text || "(nothing)";
  }
  function targets() {
    return now.wanted.map((id, n) => {
      const probability = now.moments[present()].probabilities[n];
      return { word: nameOf(id), note: asPercent(probability), share: probability, isForced: false, isEnd: id === known.config.eos_id };
    });
  }

  function refresh() {
    const at = present();
    dial.set(at);
    tag.textContent = fmt(losses[at]);
    tag.style.left = `${across(at)}%`;
    tag.style.top = `${down(losses[at])}%`;
    tag.classList.toggle("tm-low", losses[at] < 0.35 * top);
    tag.classList.toggle("tm-first", at === 0);
    tag.classList.toggle("tm-last", at === last);
    for (const [n, { pick, node }] of rows.entries()) {
      pick.setAttribute("aria-pressed", String(n === at));
      node.classList.toggle("tm-here", n === at);
      dots[n].classList.toggle("tm-here", n === at);
      ticks[n].classList.toggle("tm-here", n === at);
    }
    if (!now) return;
    const { words, wanted, moments } = now;
    const isEncoder = kind === "encoder";
    picture.setShares(targets());
    picture.update({ kind, shown: wanted.length, place: isEncoder ? null : place, sourcePlace: isEncoder ? sourcePlace : null, rows: rowsOf(head) });
    output.textContent = shortened(moments[at].said);
    heading.textContent = `The words of the last moment, each given those before it: loss ${fmt(sentenceLoss(moments[at].probabilities))}`;
    root.dataset.kind = kind;
    for (const { which, node, cells, share } of tiles) {
      const weights = rowsOf(which);
      weights.forEach((row, r) => row.forEach((weight, c) => cells[r][c].setAttribute("opacity", weight.toFixed(2))));
      share.textContent = asPercent(decidedness(weights));
      node.setAttribute("aria-pressed", String(isChosen(which)));
    }
    if (numbers.open) showTable();
    ask("translation", moments[at].said);
    heard.say(`After ${steps[at]} updates: ${shortened(moments[at].said)}`);
  }

  function showTable() {
    const { words, wanted } = now;
    const isEncoder = kind === "encoder";
    const outputs = wanted.map(nameOf);
    const keys = kind === "decoder" ? ["start", ...outputs.slice(0, -1)] : words;
    table.show({
      caption: `Every word through ${head ? labelOf(head) : "the average of all heads"}, in percent`,
      rows: isEncoder ? words : outputs, rowNames: isEncoder ? words.map(line.named) : outputs, rowLang: isEncoder ? "zh" : "en",
      columns: keys, columnNames: kind === "decoder" ? keys : words.map(line.named), columnLang: kind === "decoder" ? "en" : "zh",
      values: rowsOf(head).map((row) => [...row, ...Array(keys.length - row.length).fill(null)]), marked: isEncoder ? sourcePlace : place,
    });
  }

  // ── Life ─────────────────────────────────────────────────────────────────────────────────────
  function play() {
    if (present() === last) ask("moment", 0);
    playing.textContent = "Stop";
    timer = setInterval(() => {
      if (present() === last || document.hidden) stop();
      else ask("moment", present() + 1);
    }, PACE);
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    playing.textContent = "Play";
  }
  const watcher = new IntersectionObserver((seen) => { if (!seen.at(-1).isIntersecting) stop(); });
  watcher.observe(root);

  async function load() {
    const weights = model.get("weights");
    if (!weights) {
      said.say(`Loading ${steps.length} models …`);
      return;
    }
    try {
      const files = fileOf(weights);
      let [start, loaded] = [0, null];
      for (const [n, size] of model.get("sizes").entries()) {
        loaded = await engine.run("load", { key: `${key}/${n}`, buffer: files.slice(start, start + size) });
        start += size;
      }
      known = loaded; // all of them: from now on they can be asked
    } catch (error) {
      known = null;
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
  refresh();
  load();
  const listeners = { text: translate, moment: refresh, weights: load };
  for (const [trait, listener] of Object.entries(listeners)) model.on(`change:${trait}`, listener);
  return () => {
    stop();
    watcher.disconnect();
    picture.close();
    engine.close();
    for (const n of steps.keys()) translating.unload({ key: `${key}/${n}` });
    for (const [trait, listener] of Object.entries(listeners)) model.off(`change:${trait}`, listener);
  };
}

export default { render };
