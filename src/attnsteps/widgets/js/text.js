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
import { button, checkbox, choice, disable, el, fmt, frame, slider, status, uid } from "./ui.js";

const TRAITS = ["sentences", "kind", "lesson", "num_merges", "ends", "folded"];
const KINDS = ["words", "characters", "byte pairs"];
const OWN = "your sentences";
const MOST = 60; // merges
const LISTED = 6; // candidates and pieces that are listed
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

const visible = (token) => token.replaceAll(/\s/gu, "␣");

/** Children of `parent`, as many as there are items; kept from one time to the next. */
function pool(parent, make) {
  const made = [];
  return (items, update) => {
    while (made.length < items.length) {
      made.push(make());
      parent.append(made.at(-1).node);
    }
    made.forEach(({ node, ...parts }, i) => {
      node.hidden = i >= items.length;
      if (i < items.length) update({ node, ...parts }, items[i], i);
    });
  };
}

function lineOf(label, maxlength, oninput) {
  const id = uid();
  const input = el("input", {
    type: "text",
    id,
    maxlength,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    oninput: () => oninput(input.value),
  });
  return { input, node: el("div", { class: "tk-line" }, el("label", { for: id }, label), input) };
}

/** A table with a caption, in a box that scrolls by itself. */
function tableOf(caption, head, body) {
  const title = el("caption", {}, caption);
  const node = el(
    "div",
    { class: "aw-scroll", tabindex: 0, role: "group", "aria-label": caption },
    el("table", { class: "aw-matrix tk-table" }, title, head, body),
  );
  return { node, title };
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
    const show = pool(line, () => {
      const token = el("span", { class: "tk-token" });
      const id = el("span", { class: "tk-id" });
      return { node: el("td", {}, el("span", { class: "aw-cell tk-cell" }, token, id)), token, id };
    });
    return { node: line, head, show };
  });
  return {
    node,
    update(tokens, ids) {
      const width = ids[0].length;
      setText(
        title,
        `The batch: ${ids.length} sentences × ${width} ${width === 1 ? "place" : "places"}`,
      );
      showPlaces([...ids[0].keys()], (cell, place) => setText(cell.node, String(place)));
      showRows(ids, (row, line, i) => {
        setText(row.head, String(i + 1));
        row.show(line, (cell, id, t) => {
          setText(cell.token, visible(tokens[i][t] ?? SPECIAL_TOKENS[PAD_ID]));
          setText(cell.id, String(id));
          const special = id === PAD_ID ? "tk-pad" : id === UNK_ID ? "tk-unk" : "tk-end";
          const isPlain = id > EOS_ID && id !== UNK_ID;
          cell.node.firstChild.className = `aw-cell tk-cell ${isPlain ? "" : special}`.trim();
        });
      });
    },
  };
}

/** The three ways to split, side by side. */
function comparison() {
  const heads = KINDS.map((kind) => el("th", { scope: "col" }, kind));
  const names = ["tokens", "longest", "padding", "unknown", "in the list"];
  const cells = names.map(() => KINDS.map(() => el("span", { class: "aw-cell" })));
  const { node } = tableOf(
    "Split in three ways",
    el("thead", {}, el("tr", {}, el("td"), ...heads)),
    el(
      "tbody",
      {},
      ...names.map((name, r) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, name),
          ...cells[r].map((cell) => el("td", {}, cell)),
        ),
      ),
    ),
  );
  return {
    node,
    update(results, chosen) {
      results.forEach(({ count, longest, padding, unknown, size }, k) => {
        [count, longest, `${fmt(100 * padding, 0)} %`, unknown.length, size].forEach((value, r) => {
          setText(cells[r][k], String(value));
          cells[r][k].classList.toggle("aw-marked", k === chosen);
        });
        heads[k].setAttribute("aria-current", String(k === chosen));
      });
    },
  };
}

/** How the merges are learned, one by one. */
function lessonPanel(lessonNames, ask) {
  const lesson = choice({
    label: "Learn from",
    options: lessonNames,
    selected: 0,
    onchange: (i) => ask("lesson", lessonNames[i]),
  });
  const count = slider({
    label: "Merges",
    min: 0,
    max: MOST,
    step: 1,
    value: 0,
    oninput: (n) => ask("num_merges", n),
  });
  const back = button("One back", () => ask("num_merges", Number(count.input.value) - 1));
  const next = button("Next merge", () => ask("num_merges", Number(count.input.value) + 1));
  const made = el("ol", {
    class: "tk-chips",
    reversed: true,
    tabindex: 0,
    "aria-label": "Tokens made by merging, the latest first",
  });
  const showMade = pool(made, () => {
    const token = el("span", { class: "tk-token" });
    const times = el("span", { class: "tk-id" });
    return { node: el("li", {}, token, times), token, times };
  });
  const pairs = el("ol", { class: "tk-list" });
  const showPairs = pool(pairs, () => ({ node: el("li") }));
  const split = el("ul", { class: "tk-list" });
  const showSplit = pool(split, () => ({ node: el("li") }));
  const heading = (text) => el("p", { class: "tk-heading" }, text);
  const madeHeading = heading("");
  const node = el(
    "div",
    { class: "tk-learn" },
    lesson.node,
    el("div", { class: "aw-row tk-steps" }, count.node, back, next),
    el(
      "div",
      { class: "tk-panels" },
      el("div", {}, heading("Pairs; the first is next"), pairs),
      el("div", {}, heading("The text, in tokens"), split),
      el("div", {}, madeHeading, made),
    ),
  );
  return {
    node,
    update(name, learned, n) {
      lesson.set(lessonNames.indexOf(name));
      count.input.max = String(learned.merges.length);
      count.set(n);
      disable(back, n === 0, next);
      disable(next, n === learned.merges.length, back);
      const merges = learned.merges.slice(0, n);
      const ranked = learned.rankings[n];
      showPairs(ranked.length ? ranked : [null], ({ node: line }, pair, i) => {
        setText(
          line,
          pair
            ? `${visible(pair[0])} + ${visible(pair[1])}  ${pair[2]}×`
            : "nothing is left to merge",
        );
        line.classList.toggle("tk-first", i === 0 && !next.disabled);
      });
      const pieces = learned.pieces
        .filter(([piece]) => [...piece].length > 1)
        .sort((a, b) => b[1] - a[1])
        .slice(0, LISTED);
      showSplit(pieces, ({ node: line }, [piece, times]) => {
        setText(line, `${applyMerges(piece, merges).map(visible).join(" · ")}  ${times}×`);
      });
      setText(madeHeading, n ? "Made so far, the latest first" : "Nothing is merged yet");
      showMade([...merges].reverse(), ({ node: chip, token, times }, pair, i) => {
        setText(token, visible(pair.join("")));
        setText(times, `${learned.rankings[n - 1 - i][0][2]}×`);
        chip.classList.toggle("tk-last", i === 0);
      });
    },
  };
}

function render({ model, el: host }) {
  const root = frame(host, "Tokenizer");
  root.classList.add("tk");
  const ask = (trait, value) => {
    model.set(trait, value);
    model.save_changes();
  };
  const known = model.get("known");
  const letters = [...new Set([" ", ...known.join("")])].sort(
    (a, b) => a.codePointAt(0) - b.codePointAt(0),
  );
  const lessons = model.get("lessons");
  const learnedFrom = new Map(); // lessons stay as they are; the reader's sentences do not

  const lines = model.get("sentences").map((_, i) =>
    lineOf(`Sentence ${i + 1}`, 80, (text) => {
      ask(
        "sentences",
        model.get("sentences").map((old, j) => (j === i ? text : old)),
      );
    }),
  );
  const examples = EXAMPLES.map(([name, texts]) => button(name, () => ask("sentences", texts)));
  const kind = choice({
    label: "Split into",
    options: KINDS,
    selected: 0,
    onchange: (i) => ask("kind", KINDS[i]),
  });
  const ends = checkbox({
    label: "begin and end signs",
    checked: false,
    onchange: (on) => ask("ends", on),
  });
  const folded = checkbox({
    label: "fold first: half width, small letters",
    checked: false,
    onchange: (on) => ask("folded", on),
  });
  const panel = lessonPanel([...Object.keys(lessons), OWN], ask);
  const batch = batchTable();
  const compared = comparison();
  const said = status();
  root.append(
    el("div", { class: "tk-lines" }, ...lines.map(({ node }) => node)),
    el("div", { class: "aw-row tk-examples" }, el("span", {}, "Try"), ...examples),
    kind.node,
    panel.node,
    el("div", { class: "aw-row" }, folded.node, ends.node),
    batch.node,
    el(
      "p",
      { class: "aw-note" },
      "In each cell: the token, and its id. Hatched: padding, id 0. Dashed: unknown, id " +
        "3. ␣ is a space.",
    ),
    said.node,
    compared.node,
  );

  function learn(name, texts) {
    if (name === OWN) return learnMerges(texts, MOST, LISTED);
    if (!learnedFrom.has(name)) learnedFrom.set(name, learnMerges(lessons[name], MOST, LISTED));
    return learnedFrom.get(name);
  }

  function paint() {
    const [sentences, chosen, lesson, wanted, withEnds, isFolded] = TRAITS.map((trait) =>
      model.get(trait),
    );
    lines.forEach(({ input }, i) => {
      if (input.value !== sentences[i]) input.value = sentences[i];
    });
    kind.set(KINDS.indexOf(chosen));
    ends.input.checked = withEnds;
    folded.input.checked = isFolded;
    const texts = isFolded ? sentences.map(foldText) : sentences;
    const learned = learn(lesson, texts);
    const merges = learned.merges.slice(0, wanted);
    const ways = {
      words: [(text) => splitWords(text, known), known],
      characters: [(text) => [...text], letters],
      "byte pairs": [
        (text) => applyMerges(text, merges),
        mergedVocabulary(learned.alphabet, merges),
      ],
    };
    const results = KINDS.map((name) => {
      const [split, vocabulary] = ways[name];
      const plain = texts.map(split);
      const around = (row, first, last) => (withEnds ? [first, ...row, last] : row);
      const tokens = plain.map((row) =>
        around(row, SPECIAL_TOKENS[BOS_ID], SPECIAL_TOKENS[EOS_ID]),
      );
      const rows = plain.map((row) => around(tokenIds(row, vocabulary), BOS_ID, EOS_ID));
      const ids = padRows(rows);
      const count = rows.flat().length;
      const room = ids.flat().length;
      const unknown = plain.flatMap((row, i) =>
        row.filter((_, t) => rows[i][t + Number(withEnds)] === UNK_ID),
      );
      return {
        tokens,
        ids,
        count,
        room,
        longest: ids[0].length,
        padding: room ? 1 - count / room : 0,
        unknown,
        size: vocabulary.length + SPECIAL_TOKENS.length,
      };
    });
    const result = results[KINDS.indexOf(chosen)];
    panel.node.hidden = chosen !== "byte pairs";
    if (!panel.node.hidden) panel.update(lesson, learned, merges.length);
    batch.update(result.tokens, result.ids);
    compared.update(results, KINDS.indexOf(chosen));
    const missing = [...new Set(result.unknown)].map(visible);
    const listed = missing.slice(0, 12).map((token) => `“${token}”`);
    const unknown = `${listed.join(" ")}${missing.length > 12 ? " …" : ""}`;
    const share = fmt(100 * result.padding, 0);
    said.say(
      `${result.ids.length} × ${result.longest} = ${result.room} ids, ` +
        `${result.room - result.count} of them padding (${share} %). ` +
        (missing.length
          ? `✗ Unknown, all read as the same id 3: ${unknown}`
          : "✓ No unknown token."),
    );
  }

  paint();
  for (const trait of TRAITS) model.on(`change:${trait}`, paint);
  return () => {
    for (const trait of TRAITS) model.off(`change:${trait}`, paint);
  };
}

export default { render };
