// What becomes of attention under a mask, with any fill value and number format, and who sees whom.
import { matmul } from "./linear.js";
import { FORMATS } from "./softmax_steps.js";

/** @type {Record<FillName, number>} */
const FILLS = { "-inf": -Infinity, "-1e9": -1e9, "-1e4": -1e4, 0: 0 };

/** How much lower all scores are where they are low. */
const LOWER = 20000;

/** What a changed word gets added to its vector: no entry of any projection stays the same. */
const CHANGE = [1, -1.5, 2, -0.5];

/**
 * The masks that can be drawn at once, true = may attend; the paddings are the last words.
 * @param {string} name @param {number} words @param {number} paddings
 * @returns {boolean[][]}
 */
export function presetMask(name, words, paddings) {
  /** @param {number} place */
  const real = (place) => place < words - paddings;
  /** @type {Record<string, (i: number, j: number) => boolean>} */
  const rules = {
    everything: () => true,
    causal: (i, j) => j <= i,
    padding: (_, j) => real(j),
    both: (i, j) => j <= i && real(j),
    queries: (i) => real(i),
  };
  return Array.from({ length: words }, (_, i) =>
    Array.from({ length: words }, (__, j) => rules[name](i, j)),
  );
}

/**
 * Whether the format holds the fill value, or PyTorch stops with an error.
 * @param {FillName} fill @param {FormatName} format
 */
export function fits(fill, format) {
  const value = FILLS[fill];
  return value === -Infinity || Math.abs(value) <= FORMATS[format].largest;
}

/**
 * One head of attention under a mask.
 * @param {number[][]} x words (T, D)
 * @param {{q: number[][], k: number[][], v: number[][]}} w the three matrices
 * @param {boolean[][]} allowed (T, T), true = may attend
 * @param {MaskOptions} how
 *        low: all scores are LOWER lower; clear: a row without any key gets zeros
 * @returns {{scores: Float64Array[], weights: Float64Array[], context: Float64Array[]}} rounded to
 *          the format, scores after masking
 */
export function maskedAttention(x, w, allowed, how) {
  const { round } = FORMATS[how.format];
  const [q, k, v] = [w.q, w.k, w.v].map((matrix) => matmul(x, matrix));
  const root = Math.sqrt(k[0].length);
  const scores = q.map((query, i) =>
    Float64Array.from(k, (key, j) => {
      const score = query.reduce((sum, entry, d) => sum + entry * key[d], 0) / root;
      return allowed[i][j] ? round(round(score) - (how.low ? LOWER : 0)) : round(FILLS[how.fill]);
    }),
  );
  const weights = scores.map((row, i) => {
    if (how.clear && !allowed[i].includes(true)) return new Float64Array(row.length);
    const largest = Math.max(...row);
    const powers = row.map((score) => Math.exp(score - largest)); // NaN for a row of −∞
    const sum = powers.reduce((total, power) => total + power, 0);
    return powers.map((power) => round(power / sum));
  });
  return { scores, weights, context: matmul(weights, v) };
}

/**
 * Change one word after the other, and look which outputs move, as Python's `influence` does.
 * @param {number[][]} x @param {{q: number[][]; k: number[][]; v: number[][]}} w
 * @param {boolean[][]} allowed @param {MaskOptions} how
 * @returns {number[][]} (T, T), outputs × words: 1 it moves, 0 it stays, −1 it is NaN and cannot
 */
export function influence(x, w, allowed, how) {
  const before = maskedAttention(x, w, allowed, how).context;
  const moves = before.map(() => x.map(() => 0));
  x.forEach((_, j) => {
    const changed = x.map((word, i) =>
      i === j ? Array.from(word, (entry, d) => entry + CHANGE[d % 4]) : word,
    );
    const after = maskedAttention(changed, w, allowed, how).context;
    before.forEach((row, i) => {
      if (row.some(Number.isNaN)) moves[i][j] = -1;
      else moves[i][j] = row.some((entry, d) => entry !== after[i][d]) ? 1 : 0;
    });
  });
  return moves;
}

/**
 * What is wrong, by the rule that the mask should follow. A word may always see itself, since it
 * makes the query; the outputs of paddings count for nothing.
 * @param {number[][]} moves @param {boolean[][]} rule @param {boolean[][]} allowed
 * @param {Float64Array[]} weights @param {number} paddings
 * @returns {{leaks: number[][], lost: number[][], nan: number[], equal: number[], zeros: number[]}}
 *          pairs of output and word; rows
 */
export function diagnoseMask(moves, rule, allowed, weights, paddings) {
  /**
   * @type {{leaks: number[][], lost: number[][], nan: number[], equal: number[], zeros: number[]}}
   */
  const found = { leaks: [], lost: [], nan: [], equal: [], zeros: [] };
  const real = moves.length - paddings;
  moves.forEach((row, i) => {
    if (row.includes(-1)) found.nan.push(i);
    else if (!allowed[i].includes(true))
      found[weights[i].some(Boolean) ? "equal" : "zeros"].push(i);
    row.forEach((move, j) => {
      if (i >= real || i === j) return;
      if (move === 1 && !rule[i][j]) found.leaks.push([i, j]);
      if (move === 0 && rule[i][j]) found.lost.push([i, j]);
    });
  });
  return found;
}
