// Scaled dot-product attention on one head.
import { dot, matmul } from "./linear.js";
import { softmax } from "./softmax.js";

/**
 * @param {ArrayLike<number>[]} q (Tq, Dk)
 * @param {ArrayLike<number>[]} k (Tk, Dk)
 * @param {ArrayLike<number>[]} v (Tk, Dv)
 * @param {boolean[][]|null} mask (Tq, Tk), true = may attend
 * @param {boolean} scaled divide the scores by √Dk, as the paper does
 * @returns {{scores: Float64Array[], weights: Float64Array[], context: Float64Array[]}}
 *          scores before masking (Tq, Tk), weights (Tq, Tk), context (Tq, Dv)
 */
export function attention(q, k, v, mask = null, scaled = true) {
  const divisor = scaled ? Math.sqrt(k[0].length) : 1;
  const scores = q.map((query) => Float64Array.from(k, (key) => dot(query, key) / divisor));
  const weights = scores.map((row, i) =>
    softmax(row.map((score, j) => (mask && !mask[i][j] ? -Infinity : score))),
  );
  return { scores, weights, context: matmul(weights, v) };
}
