// The encoder: every source word looks at every other, N times over.
import { feedForward } from "./feed_forward.js";
import { layerNorm } from "./layer_norm.js";
import { multiHead } from "./multi_head.js";
import { sublayer } from "./sublayer.js";

/**
 * @param {Float32Array[]} x embeddings and positions, (S, D)
 * @param {Stack<EncoderLayer>} encoder
 * @param {StackOptions} options
 *        blocks as in multiHead, with part "encoder" and a layer
 * @returns {{memory: Float32Array[], weights: Float32Array[][][]}} (S, D); [layer][head] (S, S)
 */
export function runEncoder(x, { layers, finalNorm }, options) {
  /** @type {HeadWeights} */
  const weights = [];
  for (const [n, layer] of layers.entries()) {
    x = sublayer(x, layer.attentionNorm, options.preNorm, (input) => {
      const attended = multiHead(input, input, layer.attention, {
        ...options,
        blocks: blocksOf(options.blocks, "encoder", n),
      });
      weights.push(attended.weights);
      return attended.output;
    });
    x = sublayer(x, layer.feedForwardNorm, options.preNorm, (input) =>
      feedForward(input, layer.feedForward, options.activation),
    );
  }
  return { memory: finalNorm ? layerNorm(x, finalNorm) : x, weights };
}

/**
 * Those blocks that concern one attention: a part of the model ("encoder", "decoder", "cross") and
 * a layer.
 * @param {Block[]} blocks
 * @param {Part} part
 * @param {number} layer
 */
export function blocksOf(blocks, part, layer) {
  return blocks.filter(
    (block) => block.part === part && (block.layer == null || block.layer === layer),
  );
}
