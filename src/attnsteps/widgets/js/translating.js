// What the translator asks of its worker: load a model from its file, and translate with it.
import { greedy } from "./maths/model/greedy.js";
import { topOf } from "./maths/model/next_token.js";
import { isIntact } from "./maths/model/safetensors.js";
import { loadTransformer } from "./maths/model/transformer.js";

const loaded = new Map(); // one model for each widget that has none of its own worker

export const translating = {
  /** Read a file; returns what the page needs to know of it. */
  async load({ key, buffer }) {
    const model = loadTransformer(buffer);
    if (!(await isIntact(buffer))) throw new Error("The weights are damaged: they are not those that were written.");
    const { src_vocab: srcTokens, tgt_vocab: tgtTokens, src_tokenizer: srcTokenizer, tgt_tokenizer: tgtTokenizer } = model.bundle;
    if (!Array.isArray(srcTokens) || !Array.isArray(tgtTokens)) {
      throw new Error("This file holds no vocabulary, so its model cannot be asked anything.");
    }
    loaded.set(key, model);
    return { config: model.config, srcTokens, tgtTokens, splitter: JSON.parse(srcTokenizer), joiner: JSON.parse(tgtTokenizer) };
  },

  /** Translate the ids of one sentence; forced and blocks as in greedy. */
  translate({ key, ids, maxLen, forced, blocks, numAlternatives }) {
    const model = loaded.get(key);
    const start = performance.now();
    const { steps, counts, encoderWeights } = greedy(model, ids, { maxLen, forced, blocks });
    const milliseconds = performance.now() - start;
    const probability = (step, id) => Math.exp(step.logProbs[id]);
    return {
      steps: steps.map((step) => ({
        id: step.id,
        probability: probability(step, step.id),
        alternatives: topOf(step.logProbs, numAlternatives).map((id) => ({ id, probability: probability(step, id) })),
      })),
      // [layer][head][query]: rows of the words looked at
      weights: {
        encoder: encoderWeights,
        decoder: byHead(steps.map((step) => step.weights.decoder)),
        cross: byHead(steps.map((step) => step.weights.cross)),
      },
      counts,
      milliseconds,
    };
  },

  /** Forget a model. */
  unload({ key }) {
    loaded.delete(key);
  },
};

/** The model that `load` has read, for other jobs of the same worker. */
export function loadedModel(key) {
  return loaded.get(key);
}

/** [step][layer][head] → [layer][head][step] */
function byHead(steps) {
  return steps[0].map((heads, layer) => heads.map((_, head) => steps.map((step) => step[layer][head])));
}
