// Softmax of one row of scores, and what can be measured on it.

/** exp(x_i − max x) / Σ exp(x_j − max x); −∞ gets 0, and a row of nothing but −∞ gets zeros. */
export function softmax(scores) {
  const max = Math.max(...scores);
  if (max === -Infinity) return new Float64Array(scores.length);
  const out = Float64Array.from(scores, (score) => Math.exp(score - max));
  const sum = out.reduce((total, value) => total + value, 0);
  return out.map((value) => value / sum);
}

/** exp(x_i) / Σ exp(x_j), as written in the formula: overflows for large scores. */
export function naiveSoftmax(scores) {
  const out = Float64Array.from(scores, Math.exp);
  const sum = out.reduce((total, value) => total + value, 0);
  return out.map((value) => value / sum);
}

/** −Σ p ln p, in nats: 0 for one sure choice, ln n for n equal ones. */
export function entropy(weights) {
  let sum = 0;
  for (const p of weights) if (p > 0) sum -= p * Math.log(p);
  return sum;
}

/** ∂ weight_i / ∂ score_j = p_i (δ_ij − p_j), as an (n, n) matrix. */
export function softmaxJacobian(weights) {
  return Array.from(weights, (p, i) => Float64Array.from(weights, (r, j) => p * ((i === j) - r)));
}

/** √ of the sum of squares of all entries (Frobenius norm). */
export function frobenius(matrix) {
  let sum = 0;
  for (const row of matrix) for (const value of row) sum += value * value;
  return Math.sqrt(sum);
}
