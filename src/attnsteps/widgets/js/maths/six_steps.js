// Self-attention of one word, with every number that is written down on the way.
import { attention } from "./attention.js";
import { dot, matmul } from "./linear.js";

/**
 * @param {ArrayLike<number>[]} x one vector for each word, (T, D)
 * @param {ArrayLike<number>[]} wQ (D, Dk)
 * @param {ArrayLike<number>[]} wK (D, Dk)
 * @param {ArrayLike<number>[]} wV (D, Dv)
 * @param {number} query index of the word whose query is used
 * @returns step 1: q (Dk), k (T, Dk), v (T, Dv); step 2: products q_c k_c (T, Dk) and their sums,
 *          the scores (T); step 3: divisor √Dk and scaled (T); step 4: exponentials (T), their
 *          total, and weights (T); step 5: weighted values (T, Dv); step 6: context (Dv)
 */
export function sixSteps(x, wQ, wK, wV, query) {
  const [q] = matmul([x[query]], wQ);
  const [k, v] = [matmul(x, wK), matmul(x, wV)];
  const products = k.map((key) => key.map((entry, c) => q[c] * entry));
  const scores = Float64Array.from(k, (key) => dot(q, key));
  const {
    scores: [scaled],
    weights: [weights],
    context: [context],
  } = attention([q], k, v);
  const exponentials = scaled.map(Math.exp);
  const total = exponentials.reduce((sum, value) => sum + value, 0);
  const weighted = v.map((value, j) => value.map((entry) => weights[j] * entry));
  return {
    q,
    k,
    v,
    products,
    scores,
    divisor: Math.sqrt(q.length),
    scaled,
    exponentials,
    total,
    weights,
    weighted,
    context,
  };
}
