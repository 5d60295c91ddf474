// Byte-pair merges, by the rules of Python's `BytePairs`; ids and padded rows, by those of `Vocab`.

import { WHITE } from "./words.js";

const PIECE = new RegExp(`[${WHITE}]?[\\p{L}\\p{N}_]+|[${WHITE}]?[^\\p{L}\\p{N}_${WHITE}]+|[${WHITE}]+`, "gu"); // a word or a run of signs, with the space before it

export const SPECIAL_TOKENS = ["<pad>", "<bos>", "<eos>", "<unk>", "<mask>"];
export const PAD_ID = 0;
export const BOS_ID = 1;
export const EOS_ID = 2;
export const UNK_ID = 3;

/** The pieces that merges never cross. */
export function textPieces(text) {
  return text.match(PIECE) ?? [];
}

/** What reads the same in two ways, in one: half width, lower case, composed letters. */
export function foldText(text) {
  return text.normalize("NFKC").toLowerCase();
}

/** One token of every neighbouring pair, from left to right. */
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
 * @returns {{alphabet: string[], pieces: [string, number][], merges: [string, string][],
 *   rankings: [string, string, number][][]}} single characters; pieces of the texts with their
 *   counts; the merges; and before each of them, and after the last, the foremost candidates
 */
export function learnMerges(texts, most, listed = 6) {
  const counts = new Map();
  for (const text of texts) for (const piece of textPieces(text)) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  const alphabet = [...new Set([...counts.keys()].join(""))].sort((a, b) => a.codePointAt(0) - b.codePointAt(0));
  const age = new Map(alphabet.map((char, i) => [char, i]));
  const split = [...counts].map(([piece, count]) => ({ tokens: [...piece], count }));
  const merges = [];
  const rankings = [];
  for (;;) {
    const pairs = new Map();
    for (const { tokens, count } of split) {
      for (let i = 1; i < tokens.length; i += 1) {
        const key = JSON.stringify([tokens[i - 1], tokens[i]]);
        pairs.set(key, (pairs.get(key) ?? 0) + count);
      }
    }
    const ranked = [...pairs].map(([key, count]) => [...JSON.parse(key), count])
      .sort((a, b) => b[2] - a[2] || age.get(a[0]) - age.get(b[0]) || age.get(a[1]) - age.get(b[1]));
    rankings.push(ranked.slice(0, listed));
    if (!ranked.length || merges.length === most) break;
    const pair = ranked[0].slice(0, 2);
    merges.push(pair);
    if (!age.has(pair.join(""))) age.set(pair.join(""), age.size);
    for (const piece of split) piece.tokens = mergePair(piece.tokens, pair);
  }
  return { alphabet, pieces: [...counts], merges, rankings };
}

/** Characters, merged in the order that was learned. */
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

/** The tokens that merges can give: the single characters, then what each merge has made. */
export function mergedVocabulary(alphabet, merges) {
  return [...new Set([...alphabet, ...merges.map((pair) => pair.join(""))])];
}

/** One id for each token, counted on after the special ones; UNK_ID where the list lacks it. */
export function tokenIds(tokens, vocabulary) {
  const places = new Map(vocabulary.map((token, i) => [token, i + SPECIAL_TOKENS.length]));
  return tokens.map((token) => places.get(token) ?? UNK_ID);
}

/** Rows of one length, filled up with PAD_ID. */
export function padRows(rows) {
  const longest = Math.max(0, ...rows.map((row) => row.length));
  return rows.map((row) => [...row, ...Array(longest - row.length).fill(PAD_ID)]);
}
