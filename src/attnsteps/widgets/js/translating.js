// What the translator asks of its worker: load a model from its file, and translate with it.
import { greedy } from "./maths/model/greedy.js";
import { topOf } from "./maths/model/next_token.js";
import { isIntact } from "./maths/model/safetensors.js";
import { loadTransformer } from "./maths/model/transformer.js";

/** @type {Map<string, LoadedTransformer>} */
const models = new Map(); // those of every widget that has no worker of its own

export const translating = {
  /**
   * Read a file; returns what the page needs to know of it.
   * @param {{key: string, buffer: ArrayBuffer}} given
   */
  async load({ key, buffer }) {
    const model = await intactModel(buffer);
    keepModel(key, model);
    return vocabularyOf(model);
  },

  /**
   * Translate the ids of one sentence; forced and blocks as in greedy.
   * @param {{key: string, ids: number[], maxLen: number, forced: Record<number, number>,
   *          blocks: Block[], numAlternatives: number}} given
   * @returns {Translation}
   */
  translate({ key, ids, numAlternatives, ...options }) {
    const start = performance.now();
    return translationOf(greedy(loadedModel(key), ids, options), numAlternatives, start);
  },

  /**
   * Forget a model, or all models of a widget, whose keys begin with its own.
   * @param {{key: string}} given
   */
  unload({ key }) {
    for (const each of [...models.keys()]) {
      if (each === key || each.startsWith(`${key}/`)) models.delete(each);
    }
  },
};

/**
 * What a page shows of a search's result.
 * @param {{steps: WrittenToken[], counts: Counts, encoderWeights: HeadWeights}} found
 * @param {number} numAlternatives @param {number} start when it began
 * @returns {Translation}
 */
export function translationOf({ steps, counts, encoderWeights }, numAlternatives, start) {
  return {
    steps: steps.map(({ id, logProbs }) => ({
      ...likelihood(logProbs, id),
      alternatives: topOf(logProbs, numAlternatives).map((other) => likelihood(logProbs, other)),
    })),
    weights: {
      encoder: encoderWeights,
      decoder: byHead(steps.map((step) => step.weights.decoder)),
      cross: byHead(steps.map((step) => step.weights.cross)),
    },
    counts,
    milliseconds: performance.now() - start,
  };
}

/** Keep a model for the jobs to come. @param {string} key @param {LoadedTransformer} model */
export function keepModel(key, model) {
  models.set(key, model);
}

/** The model that `load` has read, for other jobs of the same worker. @param {string} key */
export function loadedModel(key) {
  const model = models.get(key);
  if (!model) throw new Error("The model is not there any more. Reloading the page may help.");
  return model;
}

/** The model of a file whose numbers are those that were written. @param {ArrayBuffer} buffer */
export async function intactModel(buffer) {
  const model = loadTransformer(buffer);
  if (await isIntact(buffer)) return model;
  throw new Error("The weights are damaged: they are not those that were written.");
}

/** @param {LoadedTransformer} model @returns {Vocabulary} */
export function vocabularyOf({ config, bundle }) {
  const { src_vocab: srcTokens, src_tokenizer: srcTokenizer, reading = null } = bundle;
  // What both languages share is in the file once.
  const { tgt_vocab: tgtTokens = srcTokens, tgt_tokenizer: tgtTokenizer = srcTokenizer } = bundle;
  if (!Array.isArray(srcTokens) || !Array.isArray(tgtTokens)) {
    throw new Error("This file holds no vocabulary, so its model cannot be asked anything.");
  }
  const [splitter, joiner] = [srcTokenizer, tgtTokenizer].map((text) => JSON.parse(String(text)));
  return { config, srcTokens, tgtTokens, splitter, joiner, reading };
}

/** @param {Float32Array} logProbs @param {number} id @returns {Likelihood} */
function likelihood(logProbs, id) {
  return { id, probability: Math.exp(logProbs[id]) };
}

/** [step][layer][head] → [layer][head][step] @param {Looks[]} steps */
function byHead(steps) {
  return steps[0].map((heads, layer) =>
    heads.map((_, head) => steps.map((step) => step[layer][head])),
  );
}
