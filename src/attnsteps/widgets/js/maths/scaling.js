// How wide random queries and keys spread their scores, and what the softmax makes of it.

import { variance } from "./random.js";
import { entropy, softmax } from "./softmax.js";

/**
 * Dot products of each query with its own keys, one component wider than before.
 * @param {ArrayLike<number>} before rows × keys: the products without that component
 * @param {ArrayLike<number>} draws rows × (1 + keys): the component of each query, then of its keys
 * @param {number} rows queries
 * @param {number} keys keys of each query
 */
export function addComponent(before, draws, rows, keys) {
  const out = Float32Array.from(before);
  for (let r = 0; r < rows; r += 1) {
    const q = r * (1 + keys);
    for (let j = 0; j < keys; j += 1) out[r * keys + j] += draws[q] * draws[q + 1 + j];
  }
  return out;
}

/**
 * √ Σ_ij (p_i (δ_ij − p_j))², without building the matrix: Σ p_i² (1 − 2 p_i) + (Σ p_i²)².
 * @param {Iterable<number>} weights
 */
export function jacobianSize(weights) {
  let linear = 0;
  let squares = 0;
  for (const p of weights) {
    linear += p * p * (1 - 2 * p);
    squares += p * p;
  }
  return Math.sqrt(Math.max(0, linear + squares * squares));
}

/**
 * Weights of one row of dot products under a divisor, their entropy and their Jacobian's size.
 * @param {Vector} dots @param {number} divisor
 */
export function weigh(dots, divisor) {
  const weights = softmax(Float64Array.from(dots, (value) => value / divisor));
  return { weights, entropy: entropy(weights), slopes: jacobianSize(weights) };
}

/**
 * The middle of the values; of an even number of them, the mean of the two in the middle.
 * @param {Iterable<number> & Vector} values
 */
export function median(values) {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/**
 * Averages over all rows.
 * @param {ArrayLike<number>[]} rows dot products, one row per query
 * @param {number} divisor
 */
export function summarise(rows, divisor) {
  const scores = rows.flatMap((row) => Array.from(row, (value) => value / divisor));
  const queries = rows.map((row) => weigh(row, divisor));
  /** @param {(one: ReturnType<typeof weigh>) => number} pick */
  const mean = (pick) => queries.reduce((total, one) => total + pick(one), 0) / queries.length;
  return {
    deviation: Math.sqrt(variance(scores)),
    largest: mean(({ weights }) => Math.max(...weights)),
    entropy: mean((one) => one.entropy),
    slopes: mean((one) => one.slopes),
    typicalSlopes: median(queries.map((one) => one.slopes)),
  };
}

/**
 * Shares of the scores in equal bins from −reach to reach.
 * @param {Iterable<Iterable<number>>} rows @param {number} divisor @param {number} reach
 * @param {number} bins
 * @returns {{shares: Float64Array, outside: number}} what falls outside is in no bin
 */
export function histogram(rows, divisor, reach, bins) {
  const shares = new Float64Array(bins);
  let total = 0;
  let outside = 0;
  for (const row of rows) {
    for (const value of row) {
      const bin = Math.floor(((value / divisor + reach) * bins) / (2 * reach));
      if (bin >= 0 && bin < bins) shares[bin] += 1;
      else outside += 1;
      total += 1;
    }
  }
  return { shares: shares.map((count) => count / total), outside: outside / total };
}
