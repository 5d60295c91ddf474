// Every head of the trained encoder on the reader's sentence; and how a tensor is cut into heads,
// attended and merged, with the memory beneath it.
import { setText, shape } from "./drawing.js";
import { fileOf, serveJobs, startEngine } from "./engine.js";
import { looking } from "./looking.js";
import { headSteps, pieceOf, runsOf } from "./maths/heads.js";
import { describePiece, pieces } from "./pieces.js";
import { sentenceLine, strangeNote } from "./sentence_line.js";
import { asPercent, button, choice, el, frame, matrixTable, status, uid } from "./ui.js";
import { weightTable } from "./weight_table.js";

serveJobs(looking);

const FAINT = 0.02; // weights below this are not drawn
const STATE = ["text", "layer", "head", "place", "step"];
const NUM_STEPS = 7;

/** One head at a glance: a square for every look. */
function headCard(onclick) {
  const picture = shape("svg", { "aria-hidden": "true" });
  const [name, most, gloss] = ["mh-name", "mh-most", "mh-more"].map((kind) => el("span", { class: kind }));
  const node = el("button", { type: "button", class: "mh-card", onclick }, name, most, gloss);
  node.prepend(picture);
  const line = shape("rect", { class: "mh-row", x: 0, height: 1 });
  return {
    node,
    setWeights(rows) {
      picture.setAttribute("viewBox", `-0.1 -0.1 ${rows.length + 0.2} ${rows.length + 0.2}`);
      line.setAttribute("width", rows.length);
      const squares = rows.flatMap((row, y) => [...row].flatMap((weight, x) => (weight < FAINT ? []
        : [shape("rect", { x, y, width: 1, height: 1, "fill-opacity": weight.toFixed(3) })])));
      picture.replaceChildren(shape("rect", { class: "mh-ground", width: rows.length, height: rows.length }), ...squares, line);
    },
    show({ title, short, place, word, share, meaning, isChosen }) {
      name.textContent = short;
      most.textContent = `${word} ${share}`;
      gloss.textContent = meaning;
      node.setAttribute("aria-label", `${title} looks most at ${word} ${meaning}, ${share}`);
      line.setAttribute("y", place);
      node.setAttribute("aria-pressed", String(isChosen));
    },
  };
}

function render({ model, el: host }) {
  const key = uid();
  const engine = startEngine(looking, model.get("_esm"), import.meta.url);
  const examples = model.get("examples");
  const root = frame(host, "Heads");
  root.classList.add("tr", "mh");
  let known = null; // {config, srcTokens, splitter} once the model is there
  let now = null; // {words, weights, layers}
  let asked = 0;
  let cards = []; // [layer][head]
  let wordButtons = [];
  let addressTable = null;

  function ask(values) {
    for (const [trait, value] of Object.entries(values)) model.set(trait, value);
    model.save_changes();
  }
  const within = (value, count) => Math.max(0, Math.min(count - 1, value));

  // ── The sentence ─────────────────────────────────────────────────────────────────────────────
  const line = sentenceLine({ model, onchange: (text) => ask({ text }) });
  const named = (word) => [word, line.gloss(word)].filter(Boolean).join(" ");
  const said = status();
  let nextExample = 0;
  function another() {
    const text = examples[nextExample % examples.length];
    nextExample += 1;
    if (text === model.get("text")) another();
    else ask({ text });
  }
  const buttons = el("div", { class: "aw-row tr-buttons" },
    line.twinsButton((text) => ask({ text })) ?? "",
    examples.length > 1 ? button("Another sentence", another) : "");

  // ── Every head ───────────────────────────────────────────────────────────────────────────────
  const chips = el("div", { class: "mh-chips", role: "group", "aria-label": "The word that asks" });
  const grid = el("div", { class: "mh-grid", role: "group", "aria-label": "Every head" });
  const byHeadTable = weightTable((row) => ask({ layer: allHeads()[row][0], head: allHeads()[row][1] }));
  const byWordTable = weightTable((row) => ask({ place: row }));
  const tables = el("div", { class: "tr-tables" }, byHeadTable.node, byWordTable.node);
  const allHeads = () => now.weights.flatMap((layer, l) => layer.map((_, h) => [l, h]));
  const headLabel = (l, h) => `L${l + 1} H${h + 1}`;
  const headTitle = (l, h) => `layer ${l + 1}, head ${h + 1}`;

  // ── In memory ────────────────────────────────────────────────────────────────────────────────
  const stepChoice = choice({ label: "One step after the other:", options: Array(NUM_STEPS).fill(""), selected: 0, onchange: (step) => ask({ step }) });
  stepChoice.node.classList.add("aw-stack", "mh-steps");
  const stepLabels = [...stepChoice.node.querySelectorAll("label")];
  const drawing = pieces((place, head) => ask({ place, head }));
  const facts = el("p", { class: "mh-facts" });
  const explained = status();
  const holder = el("div", {});
  const details = el("details", {}, el("summary", {}, "Where each piece begins, as a table"), holder);
  const caption = (text) => el("p", { class: "mh-caption" }, text);
  const shapeCaption = caption("");
  const memory = el("div", { class: "mh-layout" },
    el("div", {}, stepChoice.node, explained.node),
    el("div", {}, facts, shapeCaption, drawing.shapePicture,
      caption("As the numbers lie in memory, one after another. At the left of each line: how many come before it."), drawing.memoryPicture, details));
  const heading = (text) => el("p", { class: "tr-heading" }, text);
  const memoryHeading = heading("");
  const parts = [
    el("div", { class: "mh-ask" }, heading("The word that asks"), chips),
    el("p", { class: "aw-note" }, "Each square below is one head. A row is a word that asks, a column a word that is looked at, both in the order of the sentence; the stronger the colour, the more weight. The row of the chosen word is outlined, and below each head stands what that word looks at most. L1 H2 is head 2 of layer 1. Press a head to choose it."),
    grid, tables,
    el("div", { class: "tr-look" }, memoryHeading, memory),
  ];
  root.append(line.node, buttons, said.node, ...parts);

  // ── Asking and showing ───────────────────────────────────────────────────────────────────────
  async function look() {
    if (!known) return;
    line.show();
    const { words, ids, strange } = line.read(known);
    const most = model.get("max_words");
    const number = asked += 1;
    if (words.length === 0 || words.length > most) {
      hide();
      said.say(words.length ? `That makes ${words.length} words and marks; this model has learned from short sentences, so at most ${most} fit.`
        : "There is nothing to look at yet. Type a word.");
      return;
    }
    let result;
    try {
      result = await engine.run("look", { key, ids });
    } catch (error) {
      hide();
      said.say(error.message);
      return;
    }
    if (number !== asked) return; // the reader has gone on meanwhile
    said.say(strangeNote(strange, known));
    now = { ...result, words };
    makeWords(words);
    makeCards();
    for (const part of parts) part.hidden = false;
    refresh();
    performance.mark("attnsteps:heads-ready");
  }

  function makeWords(words) {
    const hadFocus = wordButtons.indexOf(document.activeElement);
    wordButtons = words.map((word, place) => el("button", { type: "button", class: "mh-chip", onclick: () => ask({ place }) },
      el("span", { lang: "zh", class: "mh-zh" }, word), el("span", { class: "mh-gloss" }, line.gloss(word) || " ")));
    chips.replaceChildren(...wordButtons);
    wordButtons[hadFocus]?.focus();
  }
  function makeCards() {
    if (cards.length !== now.weights.length || cards[0].length !== now.weights[0].length) {
      cards = now.weights.map((layer, l) => layer.map((_, h) => headCard(() => ask({ layer: l, head: h }))));
      grid.replaceChildren(...cards.flat().map((card) => card.node));
      grid.style.setProperty("--heads", String(Math.min(8, now.weights[0].length)));
    }
    cards.forEach((layer, l) => layer.forEach((card, h) => card.setWeights(now.weights[l][h])));
  }

  function refresh() {
    if (!now) return;
    const { words, weights, layers } = now;
    const layer = within(model.get("layer"), weights.length);
    const head = within(model.get("head"), weights[layer].length);
    const place = within(model.get("place"), words.length);
    const stepNumber = within(model.get("step"), NUM_STEPS);
    const numHeads = weights[layer].length;
    const width = known.config.d_model / numHeads;
    wordButtons.forEach((chip, n) => chip.setAttribute("aria-pressed", String(n === place)));
    cards.forEach((row, l) => row.forEach((card, h) => {
      const looks = weights[l][h][place];
      const most = looks.indexOf(Math.max(...looks));
      card.show({ title: `Layer ${l + 1}, head ${h + 1}`, short: headLabel(l, h), place, isChosen: l === layer && h === head,
        word: words[most], meaning: line.gloss(words[most]), share: asPercent(looks[most]) });
    }));
    const columns = { columns: words, columnLang: "zh", columnNames: words.map(named) };
    byHeadTable.show({
      ...columns, caption: `“${words[place]}” through every head, in percent`, rowLang: "en", marked: allHeads().findIndex(([l, h]) => l === layer && h === head),
      rows: allHeads().map(([l, h]) => headLabel(l, h)), rowNames: allHeads().map(([l, h]) => headTitle(l, h)), values: allHeads().map(([l, h]) => [...weights[l][h][place]]),
    });
    byWordTable.show({
      ...columns, caption: `Every word through ${headTitle(layer, head)}`, rows: words, rowNames: words.map(named), rowLang: "zh",
      values: weights[layer][head].map((row) => [...row]), marked: place,
    });

    const steps = headSteps(words.length, numHeads, width);
    const step = steps[stepNumber];
    memoryHeading.textContent = `Split, attend, merge: layer ${layer + 1}, with its memory`;
    stepChoice.set(stepNumber);
    stepLabels.forEach((label, n) => setText(label, steps[n].code));
    drawing.show({ words, names: words.map(named), numHeads, width, step, rows: layers[layer][step.holds], word: place, head });
    facts.replaceChildren(el("code", {}, step.holds), ` shape (${step.shape.join(", ")}), strides (${step.strides.join(", ")})`, el("br"),
      el("strong", {}, { new: "new memory", same: "the same memory", copied: "copied into new memory" }[step.memory]));
    shapeCaption.textContent = `As the shape says: ${{ ti: "a row for each word", thi: "for each word a piece for each head", hti: "for each head a table, with a row for each word" }[step.axes]}`;
    const runs = runsOf(step, words.length, head, width);
    const note = (steps[5].memory === "same" && ALONE[stepNumber]) || NOTES[stepNumber];
    explained.say(`${note} ${describePiece(step, place, head, width, named(words[place]))} The head’s ${words.length * width} numbers lie in ${runs === 1 ? "one piece" : `${runs} pieces, ${known.config.d_model} numbers from start to start`}.`);
    showAddresses(words, numHeads, width, step);
  }
  function showAddresses(words, numHeads, width, step) {
    const form = JSON.stringify([words, numHeads]);
    if (addressTable?.form !== form) {
      addressTable = { form, ...matrixTable({ caption: "Place in memory, counted from 0", rows: words, columns: Array.from({ length: numHeads }, (_, h) => `head ${h + 1}`), digits: 0 }) };
      holder.replaceChildren(addressTable.node);
    }
    addressTable.update(words.map((_, t) => Array.from({ length: numHeads }, (__, h) => pieceOf(step, t, h, width).address)));
    addressTable.mark(within(model.get("place"), words.length), within(model.get("head"), numHeads));
  }

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
      known = null;
      said.node.classList.add("aw-bad");
      said.say(error.message);
      return;
    }
    said.node.classList.remove("aw-bad");
    line.offer(known.srcTokens);
    await look();
  }
  /** Nothing to show; an answer that is still on its way comes too late. */
  function hide() {
    asked += 1;
    now = null;
    for (const part of parts) part.hidden = true;
  }

  const listeners = STATE.map((trait) => [`change:${trait}`, trait === "text" ? look : refresh]);
  hide();
  line.show();
  load();
  for (const [type, listener] of listeners) model.on(type, listener);
  model.on("change:weights", load);
  return () => {
    engine.close();
    looking.unload({ key });
    for (const [type, listener] of listeners) model.off(type, listener);
    model.off("change:weights", load);
  };
}

const NOTES = [
  "A row of q holds the queries of all heads, side by side.",
  "Each row is cut; not one number has moved.",
  "The heads stand in front now, and each is a table of its own. Still, not one number has moved: the strides alone have changed places.",
  "The products have written a new tensor, head by head: each head’s numbers lie together.",
  "The words are in front again, and the memory is still in the order of the heads. A view that joins the heads is refused here.",
  "Now the numbers move: this is the one copy. Each word’s pieces lie together.",
  "Two axes have become one: the heads’ contexts side by side, ready for W_o.",
];
const ALONE = { // where there is a single word, or a single head
  4: "The words are in front again. With a single word, or a single head, the memory is in order already, and a view may join the heads.",
  5: "Nothing has to move here: the memory is in order already.",
};

export default { render };
