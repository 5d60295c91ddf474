// Sentences in; tokens, merges, ids and a padded batch out.
import { setText } from "./drawing.js";
import {
  applyMerges,
  BOS_ID,
  EOS_ID,
  foldText,
  learnMerges,
  mergedVocabulary,
  PAD_ID,
  padRows,
  SPECIAL_TOKENS,
  tokenIds,
  UNK_ID,
} from "./maths/byte_pairs.js";
import { splitWords } from "./maths/words.js";
import { scrollBox, tableHead, tableRow } from "./tables.js";
import { followTraits, setTraits } from "./traits.js";
import { button, checkbox, choice, disable, el, fmt, frame, slider, status, uid } from "./ui.js";

const TRAITS = ["sentences", "kind", "lesson", "num_merges", "ends", "folded"];
const KINDS = ["words", "characters", "character pairs"];
const OWN = "your sentences";
const MOST = 60; // merges
const LISTED = 6; // candidates and pieces that are listed
/** @type {[string, string[]][]} */
const EXAMPLES = [
  [
    "Running sentence",
    [
      "动物没有过马路，因为太累了",
      "动物没有过马路，因为太宽了",
      "the animal did not cross the street because it was too tired",
    ],
  ],
  [
    "Short and long",
    ["she is tall", "they did not cross the wide street because they were too tired", "谁累了？"],
  ],
  ["Unknown words", ["长颈鹿没有过马路", "the zebra was tired", "later, the water was wider"]],
  ["Full width", ["动物太累了,马路太宽了", "The Animal was TIRED", "ｔｈｅ　ａｎｉｍａｌ"]],
];

/** @typedef {ReturnType<typeof learnMerges>} Lesson */
/** @typedef {ReturnType<typeof batchOf>} Batch */

/** @param {string} token */
const visible = (token) => token.replaceAll(/\s/gu, "␣");

/**
 * Children of `parent`, as many as there are items; kept from one time to the next.
 * @template {{node: HTMLElement}} Made
 * @param {HTMLElement} parent @param {() => Made} make
 */
function pool(parent, make) {
  /** @type {Made[]} */
  const made = [];
  /**
   * @template Item
   * @param {Item[]} items @param {(made: Made, item: Item, i: number) => void} update
   */
  return (items, update) => {
    while (made.length < items.length) {
      const child = make();
      made.push(child);
      parent.append(child.node);
    }
    made.forEach((child, i) => {
      child.node.hidden = i >= items.length;
      if (i < items.length) update(child, items[i], i);
    });
  };
}

/** @param {string} label @param {(text: string) => void} oninput */
function sentenceField(label, oninput) {
  const id = uid();
  const input = el("input", {
    type: "text",
    id,
    maxlength: 80,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    oninput: () => oninput(input.value),
  });
  return { input, node: el("div", { class: "tk-line" }, el("label", { for: id }, label), input) };
}

/**
 * A table with a caption, in a box that scrolls by itself.
 * @param {string} caption @param {HTMLElement} head @param {HTMLElement} body
 */
function tableOf(caption, head, body) {
  const title = el("caption", {}, caption);
  const table = el("table", { class: "aw-matrix tk-table" }, title, head, body);
  return { node: scrollBox(caption, table), title };
}

/** A token above its id. */
function tokenCell() {
  const token = el("span", { class: "tk-token" });
  const id = el("span", { class: "tk-id" });
  const cell = el("span", { class: "aw-cell tk-cell" }, token, id);
  return { node: el("td", {}, cell), cell, token, id };
}

/** The ids: a row for each sentence, in each cell a token above its id. */
function batchTable() {
  const places = el("tr", {}, el("td"));
  const body = el("tbody");
  const { node, title } = tableOf("The batch", el("thead", {}, places), body);
  const showPlaces = pool(places, () => ({ node: el("th", { scope: "col" }) }));
  const showRows = pool(body, () => {
    const head = el("th", { scope: "row" });
    const line = el("tr", {}, head);
    const show = pool(line, tokenCell);
    return { node: line, head, show };
  });
  return {
    node,
    /** @param {Batch} batch */
    update({ tokens, ids, longest }) {
      const tokensEach = `${longest} ${longest === 1 ? "token" : "tokens"}`;
      setText(title, `The batch: ${ids.length} sentences × ${tokensEach}`);
      showPlaces([...ids[0].keys()], (cell, place) => setText(cell.node, String(place)));
      showRows(ids, (row, line, i) => {
        setText(row.head, String(i + 1));
        row.show(line, ({ cell, token, id: number }, id, t) => {
          setText(token, visible(tokens[i][t] ?? SPECIAL_TOKENS[PAD_ID]));
          setText(number, String(id));
          const special = id === PAD_ID ? "tk-pad" : id === UNK_ID ? "tk-unk" : "tk-end";
          const isPlain = id > EOS_ID && id !== UNK_ID;
          cell.className = `aw-cell tk-cell ${isPlain ? "" : special}`.trim();
        });
      });
    },
  };
}

/** The three ways to split, side by side. */
function comparison() {
  const names = ["tokens", "longest", "padding", "unknown", "vocabulary"];
  const cells = names.map(() => KINDS.map(() => el("span", { class: "aw-cell" })));
  const head = tableHead(KINDS);
  const rows = names.map((name, r) => tableRow(name, cells[r]));
  return {
    node: tableOf("Split in three ways", head, el("tbody", {}, ...rows)).node,
    /** @param {Batch[]} batches @param {number} chosen */
    update(batches, chosen) {
      batches.forEach(({ count, longest, padding, unknown, size }, k) => {
        [count, longest, `${fmt(100 * padding, 0)} %`, unknown.length, size].forEach((value, r) => {
          setText(cells[r][k], String(value));
          cells[r][k].classList.toggle("aw-marked", k === chosen);
        });
        head.rows[0].cells[k + 1].setAttribute("aria-current", String(k === chosen));
      });
    },
  };
}

/**
 * A list that grows and shrinks, under a heading.
 * @template {{node: HTMLElement}} Made
 * @param {string} text @param {HTMLElement} list @param {() => Made} make
 */
function listPanel(text, list, make) {
  const heading = el("p", { class: "tk-heading" }, text);
  return { node: el("div", {}, heading, list), heading, show: pool(list, make) };
}

/** How the merges are learned, one by one. */
class LessonPanel {
  pairs = listPanel("Pairs, the next one first", el("ol", { class: "tk-list" }), () => ({
    node: el("li"),
  }));
  text = listPanel("The text, in tokens", el("ul", { class: "tk-list" }), () => ({
    node: el("li"),
  }));

  /** @param {string[]} lessons @param {(traits: Record<string, unknown>) => void} set */
  constructor(lessons, set) {
    this.lessons = lessons;
    this.lesson = choice({
      label: "Learn from",
      options: lessons,
      selected: 0,
      onchange: (i) => set({ lesson: lessons[i] }),
    });
    this.count = slider({
      label: "Merges",
      min: 0,
      max: MOST,
      step: 1,
      value: 0,
      oninput: (n) => set({ num_merges: n }),
    });
    const move = /** @param {number} by */ (by) =>
      set({ num_merges: Number(this.count.input.value) + by });
    this.back = button("Undo merge", () => move(-1));
    this.next = button("Next merge", () => move(1));
    const label = { tabindex: 0, "aria-label": "Tokens made by merging, the latest first" };
    const chips = el("ol", { class: "tk-chips", reversed: true, ...label });
    this.made = listPanel("", chips, () => {
      const token = el("span", { class: "tk-token" });
      const times = el("span", { class: "tk-id" });
      return { node: el("li", {}, token, times), token, times };
    });
    const lists = [this.pairs.node, this.text.node, this.made.node];
    this.node = el(
      "div",
      { class: "tk-learn" },
      this.lesson.node,
      el("div", { class: "aw-row tk-steps" }, this.count.node, this.back, this.next),
      el("div", { class: "tk-panels" }, ...lists),
    );
  }

  /** @param {string} name @param {Lesson} lesson @param {number} n how many merges are made */
  update(name, { merges: all, rankings, pieces }, n) {
    const merges = all.slice(0, n);
    this.lesson.set(this.lessons.indexOf(name));
    this.count.input.max = String(all.length);
    this.count.set(n);
    disable(this.back, n === 0, this.next);
    disable(this.next, n === all.length, this.back);
    this.pairs.show(rankings[n].length ? rankings[n] : [null], ({ node }, pair, i) => {
      const text = pair && `${visible(pair[0])} + ${visible(pair[1])}  ${pair[2]}×`;
      setText(node, text ?? "nothing is left to merge");
      node.classList.toggle("tk-first", i === 0 && !this.next.disabled);
    });
    const listed = pieces
      .filter(([piece]) => [...piece].length > 1)
      .sort((a, b) => b[1] - a[1])
      .slice(0, LISTED);
    this.text.show(listed, ({ node }, [piece, times]) => {
      setText(node, `${applyMerges(piece, merges).map(visible).join(" · ")}  ${times}×`);
    });
    setText(this.made.heading, n ? "Made so far, the latest first" : "Nothing is merged yet");
    this.made.show([...merges].reverse(), ({ node, token, times }, pair, i) => {
      setText(token, visible(pair.join("")));
      setText(times, `${rankings[n - 1 - i][0][2]}×`);
      node.classList.toggle("tk-last", i === 0);
    });
  }
}

/**
 * What a way to split makes of some texts.
 * @param {string[]} texts @param {(text: string) => string[]} split @param {string[]} vocabulary
 * @param {boolean} withEnds
 */
function batchOf(texts, split, vocabulary, withEnds) {
  const plain = texts.map(split);
  const ids = plain.map((row) => tokenIds(row, vocabulary));
  const tokens = withEnds
    ? plain.map((row) => [SPECIAL_TOKENS[BOS_ID], ...row, SPECIAL_TOKENS[EOS_ID]])
    : plain;
  const rows = withEnds ? ids.map((row) => [BOS_ID, ...row, EOS_ID]) : ids;
  const padded = padRows(rows);
  const count = rows.flat().length;
  const room = padded.flat().length;
  return {
    tokens,
    ids: padded,
    count,
    room,
    longest: padded[0].length,
    padding: room ? 1 - count / room : 0,
    unknown: plain.flatMap((row, i) => row.filter((_, t) => ids[i][t] === UNK_ID)),
    size: vocabulary.length + SPECIAL_TOKENS.length,
  };
}

/** @param {Batch} batch */
function describeBatch({ ids, longest, room, count, padding, unknown }) {
  const missing = [...new Set(unknown)].map(visible);
  const listed = missing.slice(0, 12).map((token) => `“${token}”`);
  const names = `${listed.join(" ")}${missing.length > 12 ? " …" : ""}`;
  return (
    `${ids.length} × ${longest} = ${room} ids, ${room - count} of them padding ` +
    `(${fmt(100 * padding, 0)} %). ` +
    (missing.length ? `✗ Unknown, all given the same id, 3: ${names}` : "✓ No unknown token.")
  );
}

class TokenizerLab {
  /** What was learned from each of the fixed texts. @type {Map<string, Lesson>} */
  lessons = new Map();
  batch = batchTable();
  comparison = comparison();
  summary = status();

  /** @param {Host} host */
  constructor({ model, el: host }) {
    this.model = model;
    /** @type {string[]} */
    this.words = model.get("known");
    this.letters = [...new Set([" ", ...this.words.join("")])].sort(
      (a, b) => Number(a.codePointAt(0)) - Number(b.codePointAt(0)),
    );
    this.fields = this.sentences.map((_, i) =>
      sentenceField(`Sentence ${i + 1}`, (text) =>
        setTraits(model, { sentences: this.sentences.with(i, text) }),
      ),
    );
    this.kind = choice({
      label: "Split into",
      options: KINDS,
      selected: 0,
      onchange: (i) => setTraits(model, { kind: KINDS[i] }),
    });
    this.ends = checkbox({
      label: "begin and end tokens",
      checked: false,
      onchange: (ends) => setTraits(model, { ends }),
    });
    this.folded = checkbox({
      label: "normalise: half width, lower case",
      checked: false,
      onchange: (folded) => setTraits(model, { folded }),
    });
    const lessons = [...Object.keys(model.get("lessons")), OWN];
    this.panel = new LessonPanel(lessons, (traits) => setTraits(model, traits));
    this.lay(frame(host, "Tokenizer"));
  }

  /** @param {HTMLElement} root */
  lay(root) {
    const examples = EXAMPLES.map(([name, sentences]) =>
      button(name, () => setTraits(this.model, { sentences })),
    );
    const note =
      "In each cell: the token, and its id. Hatched: padding, id 0. Dashed: unknown, id 3. ␣ is " +
      "a space.";
    root.classList.add("tk");
    root.append(
      el("div", { class: "tk-lines" }, ...this.fields.map(({ node }) => node)),
      el("div", { class: "aw-row tk-examples" }, el("span", {}, "Try"), ...examples),
      this.kind.node,
      this.panel.node,
      el("div", { class: "aw-row" }, this.folded.node, this.ends.node),
      this.batch.node,
      el("p", { class: "aw-note" }, note),
      this.summary.node,
      this.comparison.node,
    );
  }

  /** @returns {string[]} */
  get sentences() {
    return this.model.get("sentences");
  }

  /**
   * What is learned from one of the fixed texts, which stay as they are, or from the reader's.
   * @param {string} name @param {string[]} texts
   */
  learn(name, texts) {
    if (name === OWN) return learnMerges(texts, MOST, LISTED);
    const learned =
      this.lessons.get(name) ?? learnMerges(this.model.get("lessons")[name], MOST, LISTED);
    this.lessons.set(name, learned);
    return learned;
  }

  refresh() {
    const [sentences, kind, lesson, count, ends, folded] = TRAITS.map((trait) =>
      this.model.get(trait),
    );
    this.fields.forEach(({ input }, i) => {
      if (input.value !== sentences[i]) input.value = sentences[i];
    });
    const chosen = KINDS.indexOf(kind);
    this.kind.set(chosen);
    this.ends.input.checked = ends;
    this.folded.input.checked = folded;
    /** @type {string[]} */
    const texts = folded ? sentences.map(foldText) : sentences;
    const learned = this.learn(lesson, texts);
    const merges = learned.merges.slice(0, count);
    const pieces = mergedVocabulary(learned.alphabet, merges);
    const batches = [
      batchOf(texts, (text) => splitWords(text, this.words), this.words, ends),
      batchOf(texts, (text) => [...text], this.letters, ends),
      batchOf(texts, (text) => applyMerges(text, merges), pieces, ends),
    ];
    this.panel.node.hidden = kind !== "character pairs";
    if (!this.panel.node.hidden) this.panel.update(lesson, learned, merges.length);
    this.batch.update(batches[chosen]);
    this.comparison.update(batches, chosen);
    this.summary.say(describeBatch(batches[chosen]));
  }
}

/** @param {Host} host */
function render(host) {
  const lab = new TokenizerLab(host);
  return followTraits(host.model, TRAITS, () => lab.refresh());
}

export default { render };
