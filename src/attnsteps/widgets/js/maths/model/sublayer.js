// What the Transformer wraps around each of its parts: a residual connection and a norm.
import { layerNorm } from "./layer_norm.js";
import { add } from "./linear_layer.js";

/**
 * Post-norm: LayerNorm(x + run(x)). Pre-norm: x + run(LayerNorm(x)).
 * @param {Float32Array[]} x (T, D)
 * @param {Norm} norm
 * @param {boolean} preNorm
 * @param {(x: Float32Array[]) => Float32Array[]} run
 */
export function sublayer(x, norm, preNorm, run) {
  return preNorm ? add(x, run(layerNorm(x, norm))) : layerNorm(add(x, run(x)), norm);
}
