// The decoder: every target word looks at those before it, then at the whole source, N times.
import { blocksOf } from "./encoder.js";
import { feedForward } from "./feed_forward.js";
import { layerNorm } from "./layer_norm.js";
import { multiHead } from "./multi_head.js";
import { sublayer } from "./sublayer.js";

/**
 * @param {Float32Array[]} x embeddings and positions of the target, or with a cache of its new
 *        places, (T, D)
 * @param {Float32Array[]} memory the encoder's output, (S, D)
 * @param {Stack<DecoderLayer>} decoder
 * @param {DecoderCache} cache from newCache; it takes in the new places
 * @param {StackOptions} options
 *        blocks as in multiHead, with part "decoder" (self-attention) or "cross" and a layer
 * @returns {{x: Float32Array[], weights: {decoder: Float32Array[][][], cross: Float32Array[][][]}}}
 *          (T, D); [layer][head] (T, Tall) and (T, S)
 */
export function runDecoder(x, memory, { layers, finalNorm }, cache, options) {
  /** @type {DecoderWeights} */
  const weights = { decoder: [], cross: [] };
  const first = cache.length;
  for (const [n, layer] of layers.entries()) {
    const { own, cross } = cache.layers[n];
    x = sublayer(x, layer.selfAttentionNorm, options.preNorm, (input) => {
      const blocks = blocksOf(options.blocks, "decoder", n);
      const attended = multiHead(input, input, layer.selfAttention, {
        ...options,
        cache: own,
        first,
        blocks,
      });
      weights.decoder.push(attended.weights);
      return attended.output;
    });
    x = sublayer(x, layer.crossAttentionNorm, options.preNorm, (input) => {
      const blocks = blocksOf(options.blocks, "cross", n);
      const source = cross.k.length ? null : memory; // its keys and values are projected once
      const attended = multiHead(input, source, layer.crossAttention, {
        ...options,
        cache: cross,
        first,
        blocks,
        causal: false,
      });
      weights.cross.push(attended.weights);
      return attended.output;
    });
    x = sublayer(x, layer.feedForwardNorm, options.preNorm, (input) =>
      feedForward(input, layer.feedForward, options.activation),
    );
  }
  cache.length += x.length;
  return { x: finalNorm ? layerNorm(x, finalNorm) : x, weights };
}

/**
 * An empty cache for a decoder of that many layers: keys and values of its own words, and of the
 * memory.
 * @param {number} numLayers
 * @returns {DecoderCache}
 */
export function newCache(numLayers) {
  /** @returns {KeysAndValues} */
  const empty = () => ({ k: [], v: [] });
  return {
    length: 0,
    layers: Array.from({ length: numLayers }, () => ({ own: empty(), cross: empty() })),
  };
}

/**
 * A cache that grows by itself from here on; the rows that are in it are shared.
 * @param {DecoderCache} cache
 * @returns {DecoderCache}
 */
export function copyCache({ length, layers }) {
  return {
    length,
    layers: layers.map(({ own, cross }) => ({ own: { k: [...own.k], v: [...own.v] }, cross })),
  };
}
