// Byte-pair merges, by the rules of Python's `BytePairs`; ids and padded rows, by those of `Vocab`.

import { WHITE } from "./words.js";

const CHARACTER_PIECE = new RegExp(
  `[${WHITE}]?[\\p{L}\\p{N}_]+|[${WHITE}]?[^\\p{L}\\p{N}_${WHITE}]+|[${WHITE}]+`,
  "gu",
); // a word or a run of signs, with the space before it

export const SPECIAL_TOKENS = ["<pad>", "<bos>", "<eos>", "<unk>", "<mask>"];
export const PAD_ID = 0;
export const BOS_ID = 1;
export const EOS_ID = 2;
export const UNK_ID = 3;

/**
 * The pieces that merges never cross.
 * @param {string} text
 * @returns {string[]}
 */
export function textPieces(text) {
  return text.match(CHARACTER_PIECE) ?? [];
}

/**
 * What reads the same in two ways, in one: half width, lower case, composed letters.
 * @param {string} text
 */
export function foldText(text) {
  return text.normalize("NFKC").toLowerCase();
}

/**
 * One token of every neighbouring pair, from left to right.
 * @param {string[]} tokens @param {Merge} pair
 */
export function mergePair(tokens, [left, right]) {
  const merged = [];
  for (let i = 0; i < tokens.length; i += 1) {
    const fits = tokens[i] === left && tokens[i + 1] === right;
    merged.push(fits ? left + right : tokens[i]);
    if (fits) i += 1;
  }
  return merged;
}

/**
 * Merge the most frequent pair, count again, and so on; of equally frequent pairs the one with the
 * older tokens goes first.
 * @param {string[]} texts
 * @param {number} most how many merges at most
 * @param {number} [listed] how many candidates to list at each step
 * @returns {{alphabet: string[]; pieces: [string, number][]; merges: Merge[]; rankings:
 *        RankedPair[][]}} single characters; pieces of the texts with their
 *   counts; the merges; and before each of them, and after the last, the foremost candidates
 */
export function learnMerges(texts, most, listed = 6) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const text of texts)
    for (const piece of textPieces(text)) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  const alphabet = [...new Set([...counts.keys()].join(""))].sort(
    (a, b) => Number(a.codePointAt(0)) - Number(b.codePointAt(0)),
  );
  const names = [...alphabet]; // a token's place here is its age
  const ages = new Map(names.map((name, i) => [name, i]));
  const split = [...counts].map(([piece, count]) => ({
    tokens: Array.from(piece, (char) => Number(ages.get(char))),
    count,
  }));
  /** @type {Merge[]} */
  const merges = [];
  /** @type {RankedPair[][]} */
  const rankings = [];
  for (;;) {
    const ranked = rankPairs(split, names.length).slice(0, Math.max(listed, 1));
    rankings.push(
      ranked.slice(0, listed).map(([left, right, count]) => [names[left], names[right], count]),
    );
    if (!ranked.length || merges.length === most) break;
    const [left, right] = ranked[0];
    const merged = names[left] + names[right];
    merges.push([names[left], names[right]]);
    if (!ages.has(merged)) ages.set(merged, names.push(merged) - 1);
    for (const piece of split) joinPair(piece.tokens, left, right, Number(ages.get(merged)));
  }
  return { alphabet, pieces: [...counts], merges, rankings };
}

/**
 * Put one token in place of every neighbouring pair, from left to right.
 * @param {number[]} tokens changed in place
 * @param {number} left @param {number} right @param {number} merged
 */
function joinPair(tokens, left, right, merged) {
  let kept = 0;
  for (let i = 0; i < tokens.length; i += 1) {
    const fits = tokens[i] === left && tokens[i + 1] === right;
    tokens[kept] = fits ? merged : tokens[i];
    kept += 1;
    if (fits) i += 1;
  }
  tokens.length = kept;
}

/**
 * Count every pair of neighbouring tokens; the most frequent first, of those the older tokens.
 * @param {{tokens: number[], count: number}[]} split
 * @param {number} size how many tokens there are
 */
function rankPairs(split, size) {
  /** @type {Map<number, number>} */
  const pairs = new Map();
  for (const { tokens, count } of split) {
    for (let i = 1; i < tokens.length; i += 1) {
      const key = tokens[i - 1] * size + tokens[i]; // in the order of their ages
      pairs.set(key, (pairs.get(key) ?? 0) + count);
    }
  }
  return [...pairs]
    .sort(([one, often], [other, oftener]) => oftener - often || one - other)
    .map(([key, count]) => [Math.floor(key / size), key % size, count]);
}

/**
 * Characters, merged in the order that was learned.
 * @param {string} text @param {Merge[]} merges
 */
export function applyMerges(text, merges) {
  const order = new Map(merges.map((pair, i) => [JSON.stringify(pair), i]));
  return textPieces(text).flatMap((piece) => {
    let tokens = [...piece];
    for (;;) {
      let first = Infinity;
      for (let i = 1; i < tokens.length; i += 1) {
        first = Math.min(first, order.get(JSON.stringify([tokens[i - 1], tokens[i]])) ?? Infinity);
      }
      if (first === Infinity) return tokens;
      tokens = mergePair(tokens, merges[first]);
    }
  });
}

/**
 * The tokens that merges can give: the single characters, then what each merge has made.
 * @param {string[]} alphabet @param {Merge[]} merges
 */
export function mergedVocabulary(alphabet, merges) {
  return [...new Set([...alphabet, ...merges.map((pair) => pair.join(""))])];
}

/**
 * One id for each token, counted on after the special ones; UNK_ID where the list lacks it.
 * @param {string[]} tokens @param {string[]} vocabulary
 */
export function tokenIds(tokens, vocabulary) {
  const places = new Map(vocabulary.map((token, i) => [token, i + SPECIAL_TOKENS.length]));
  return tokens.map((token) => places.get(token) ?? UNK_ID);
}

/** Rows of one length, filled up with PAD_ID. @param {number[][]} rows */
export function padRows(rows) {
  const longest = Math.max(0, ...rows.map((row) => row.length));
  return rows.map((row) => [...row, ...Array(longest - row.length).fill(PAD_ID)]);
}
