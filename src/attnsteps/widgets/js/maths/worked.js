// One cell of attention with every step on the way to it.
import { dot } from "./linear.js";
import { softmax } from "./softmax.js";

/**
 * How much query q attends to key j. Exponentials are of score − shift; the shift is 0, or the
 * row's largest score where that is above 6, so that the numbers stay short.
 * @param {ArrayLike<number>} q (Dk)
 * @param {ArrayLike<number>[]} k (Tk, Dk)
 * @param {number} j the key
 * @param {boolean[]|null} allowed (Tk), true = may attend
 * @param {boolean} scaled divide by √Dk
 */
export function workedWeight(q, k, j, allowed, scaled) {
  const divisor = scaled ? Math.sqrt(q.length) : 1;
  const row = k.map((key, i) => (allowed && !allowed[i] ? -Infinity : dot(q, key) / divisor));
  const largest = Math.max(...row);
  const shift = largest > 6 ? largest : 0;
  const exponentials = Float64Array.from(row, (score) => Math.exp(score - shift));
  return {
    products: Float64Array.from(q, (value, i) => value * k[j][i]),
    product: dot(q, k[j]),
    divisor,
    score: row[j],
    shift,
    exponentials,
    total: exponentials.reduce((sum, value) => sum + value, 0),
    weight: softmax(row)[j],
  };
}

/**
 * Entry d of a context vector: each weight times that entry of its value, and their sum.
 * @param {Vector} weights @param {Matrix} v @param {number} d
 */
export function workedContext(weights, v, d) {
  const products = Float64Array.from(weights, (weight, j) => weight * v[j][d]);
  return { products, entry: products.reduce((sum, value) => sum + value, 0) };
}
