// How wide random queries and keys spread their scores, and what the softmax makes of it.

import { variance } from "./random.js";
import { softmax } from "./softmax.js";

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
 * Weights of one row of dot products under a divisor.
 * @param {Vector} dots @param {number} divisor
 */
export function weigh(dots, divisor) {
  return softmax(Float64Array.from(dots, (value) => value / divisor));
}

/**
 * The standard deviation of all scores, and the rows' largest weight on average.
 * @param {ArrayLike<number>[]} rows dot products, one row per query
 * @param {number} divisor
 */
export function summarise(rows, divisor) {
  const scores = rows.flatMap((row) => Array.from(row, (value) => value / divisor));
  const largest = rows.map((row) => Math.max(...weigh(row, divisor)));
  return {
    deviation: Math.sqrt(variance(scores)),
    largest: largest.reduce((total, one) => total + one, 0) / rows.length,
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
