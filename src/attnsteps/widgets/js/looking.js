// What the heads ask of their worker: read a sentence, and keep what every head did with it.
import { layerNorm } from "./maths/model/layer_norm.js";
import { linearLayer } from "./maths/model/linear_layer.js";
import { multiHead } from "./maths/model/multi_head.js";
import { encode } from "./maths/model/transformer.js";
import { loadedModel, translating } from "./translating.js";

export const looking = {
  load: translating.load,
  unload: translating.unload,

  /**
   * Read the ids of one sentence.
   * @param {{key: string, ids: number[]}} given
   * @returns {HeadReading}
   */
  look({ key, ids }) {
    const model = loadedModel(key);
    const { num_heads: numHeads, norm, d_model: D } = model.config;
    const { layers } = model.encoder;
    const unchanged = { weight: identity(D), bias: null }; // in place of W_o
    return {
      weights: encode(model, ids).weights,
      layers: layers.map(({ attention, attentionNorm }, n) => {
        const below = { ...model, encoder: { layers: layers.slice(0, n), finalNorm: null } };
        const x = encode(below, ids).memory;
        const input = norm === "pre" ? layerNorm(x, attentionNorm) : x;
        const projections = { ...attention, wO: unchanged };
        const { output: context } = multiHead(input, input, projections, { numHeads });
        return { q: linearLayer(input, attention.wQ), context };
      }),
    };
  },
};

/** @param {number} size */
function identity(size) {
  return Array.from({ length: size }, (_, r) =>
    Float32Array.from({ length: size }, (__, c) => Number(r === c)),
  );
}
