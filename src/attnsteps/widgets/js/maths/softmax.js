// Softmax of one row of scores, and what can be measured on it.

/**
 * exp(x_i − max x) / Σ exp(x_j − max x); −∞ gets 0, and a row of nothing but −∞ gets zeros.
 * @param {Iterable<number> & Vector} scores
 */
export function softmax(scores) {
  const max = Math.max(...scores);
  if (max === -Infinity) return new Float64Array(scores.length);
  const out = Float64Array.from(scores, (score) => Math.exp(score - max));
  const sum = out.reduce((total, value) => total + value, 0);
  return out.map((value) => value / sum);
}

/**
 * −Σ p ln p, in nats: 0 for one sure choice, ln n for n equal ones.
 * @param {Iterable<number>} weights
 */
export function entropy(weights) {
  let sum = 0;
  for (const p of weights) if (p > 0) sum -= p * Math.log(p);
  return sum;
}
