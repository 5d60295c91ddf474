// What a mask, an input and a loss make of one block: which guesses count, and which can see
// their answer.

const SAID = ["the", "street", "was", "too", "wide"];
const HIDDEN = ["street", "wide"];
const PREFIX = 4; // <bos> counts
const SOURCE = 3; // words that the encoder reads

/** What has a name, by mask, input and loss. @type {Record<string, string>} */
const MODELS = {
  "causal/all words/every next word": "GPT",
  "causal/all words/after the prefix": "GPT, trained on answers",
  "prefix/all words/after the prefix": "prefix model",
  "full/some hidden/hidden words": "BERT",
  "two stacks/all words/every next word": "encoder–decoder",
  "two stacks/all words/after the prefix": "encoder–decoder",
};

/** May query i attend to key j? @type {Record<string, (i: number, j: number) => boolean>} */
const RULES = {
  causal: (i, j) => j <= i,
  prefix: (i, j) => j <= i || j < PREFIX,
  full: () => true,
  "two stacks": (i, j) => j <= i || j < SOURCE,
};

/**
 * @param {string} mask @param {string} given @param {string} loss as in Python's `arrange`
 * @returns {{read: string[], open: boolean[][], wanted: string[], visible: number[], kind: string,
 *            name: string}}
 */
export function arrange(mask, given, loss) {
  const hasTwo = mask === "two stacks";
  const text = hasTwo
    ? [...SAID.slice(0, SOURCE), "<bos>", ...SAID.slice(SOURCE)]
    : ["<bos>", ...SAID];
  const hides = given === "some hidden";
  const read = text.map((token) => (hides && HIDDEN.includes(token) ? "<mask>" : token));
  const places = text.map((_, i) => i);
  const open = places.map((i) => places.map((j) => RULES[mask](i, j)));
  const first = hasTwo ? SOURCE : 0; // an encoder guesses nothing
  const start = loss === "after the prefix" && !hasTwo ? PREFIX - 1 : first;
  const isGap = loss === "hidden words";
  /** @param {number} i */
  const counts = (i) => (isGap ? i >= first && HIDDEN.includes(text[i]) : i >= start);
  /** @param {number} i */
  const answer = (i) => (isGap ? i : i + 1);
  // Two layers and their residuals: what reaches a place is what reaches those that it sees.
  /** @type {(i: number, j: number) => boolean} */
  const sees = (i, j) => i === j || open[i][j];
  /** @type {(i: number, j: number) => boolean} */
  const hears = (i, j) => places.some((k) => sees(i, k) && sees(k, j));
  const wanted = places.map((i) => (counts(i) ? (text[answer(i)] ?? "<eos>") : ""));
  const visible = places.filter((i) => {
    const at = answer(i);
    return counts(i) && at < text.length && read[at] === text[at] && hears(i, at);
  });
  const name = visible.length ? "" : (MODELS[`${mask}/${given}/${loss}`] ?? "");
  const kind = visible.length ? "leaks" : name ? "works" : "odd";
  return { read, open, wanted, visible, kind, name };
}
