// The position-wise feed-forward network: up, a non-linearity, down; the same at every position.
import { linearLayer } from "./linear_layer.js";

/** @type {Record<Config["activation"], (x: number) => number>} */
const ACTIVATIONS = {
  relu: (x) => Math.max(0, x),
  gelu: (x) => 0.5 * x * (1 + erf(x / Math.SQRT2)),
  swiglu: (x) => x / (1 + Math.exp(-x)), // and a gate beside it
};

/**
 * activation(x W_1 + b_1) W_2 + b_2; swiglu multiplies in x W_3 + b_3 before W_2
 * @param {Float32Array[]} x (T, D)
 * @param {FeedForward} network three linear layers
 * @param {"relu"|"gelu"|"swiglu"} activation
 */
export function feedForward(x, { w1, w2, w3 }, activation) {
  const hidden = linearLayer(x, w1).map((row) => row.map(ACTIVATIONS[activation]));
  if (w3 === null) return linearLayer(hidden, w2);
  const gates = linearLayer(x, w3);
  return linearLayer(
    hidden.map((row, t) => row.map((value, d) => value * gates[t][d])),
    w2,
  );
}

/**
 * 2/√π ∫₀ˣ exp(−t²) dt, as the series exp(−x²) Σ 2ⁿ x²ⁿ⁺¹ / (1·3·5 … (2n + 1)), whose terms have
 * one sign.
 * @param {number} x
 */
export function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * x;
  let sum = term;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n += 1) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return sum;
}
