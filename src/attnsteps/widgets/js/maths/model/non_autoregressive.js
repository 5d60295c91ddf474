// Parallel decoding: all words at once, and then, again and again, those least certain.
import { counting, linearLayer } from "./linear_layer.js";
import { argmax, logProbabilities, topOf } from "./next_token.js";
import { decode, encode } from "./transformer.js";

/**
 * Read the source and guess how many tokens the translation has, the likeliest lengths first.
 * @param {Transformer} model one with a length predictor
 * @param {number[]} srcIds
 * @param {{numLengths?: number; lengthFactor?: number; blocks?: Block[]}} [options]
 */
function predictLengths(model, srcIds, { numLengths = 1, lengthFactor = 1, blocks = [] } = {}) {
  const { lengthPredictor } = model;
  if (!lengthPredictor) throw new Error("This model writes word by word: it predicts no length.");
  const { memory, weights } = encode(model, srcIds, blocks);
  const brought = linearLayer(memory, lengthPredictor).reduce((sum, [words]) => sum + words, 0);
  const lengthLogits = Float32Array.from(
    { length: model.config.max_len },
    (_, words) => (-lengthPredictor.precision * (words - brought) ** 2) / 2,
  );
  const lengths = topOf(lengthLogits, numLengths).map((place) =>
    Math.min(model.config.max_len, Math.max(1, Math.floor((place + 1) * lengthFactor + 0.5))),
  );
  return { memory, encoderWeights: weights, lengthLogits, lengths };
}

/**
 * Translate in a single pass through the decoder: the likeliest token at every place.
 * @param {Transformer} model a NonAutoregressive
 * @param {number[]} srcIds
 * @param {{lengthFactor?: number; length?: number; blocks?: Block[]}} [options] length: in place of
 *        the predicted one
 * @returns as maskPredict
 */
export function allAtOnce(model, srcIds, options = {}) {
  return maskPredict(model, srcIds, { ...options, iterations: 1, numLengths: 1 });
}

/**
 * Translate all at once, then hide the least certain tokens and find them again, a few times.
 * @param {Transformer} model a NonAutoregressive
 * @param {number[]} srcIds
 * @param {{iterations?: number; numLengths?: number; lengthFactor?: number; length?: number | null;
 *        blocks?: Block[]}} [options] iterations: passes through the decoder; numLengths: how many
 *        lengths to try, the likeliest; length: this one in their place
 * @returns {{ids: number[], score: number, length: number, lengths: number[],
 *            steps: {ids: number[], logProbs: number[], hidden: number[], weights: object}[],
 *            counts: {steps: number, multiplications: number}, encoderWeights: Float32Array[][][]}}
 *          the tokens up to the first eos_id and the mean of their log-probabilities; the sentence
 *          after every pass, with the places that were hidden before it; steps are counted as one
 *          for each pass, however many lengths are tried side by side
 */
export function maskPredict(
  model,
  srcIds,
  { iterations = 10, numLengths = 5, lengthFactor = 1, length = null, blocks = [] } = {},
) {
  const { result, multiplications } = counting(() => {
    const read = predictLengths(model, srcIds, { numLengths, lengthFactor, blocks });
    const lengths = length === null ? read.lengths : [length];
    const tries = lengths.map((each) => refine(model, read.memory, each, iterations, blocks));
    return {
      ...tries[argmax(tries.map((each) => each.score))],
      lengths,
      encoderWeights: read.encoderWeights,
    };
  });
  return { ...result, counts: { steps: iterations, multiplications } };
}

/**
 * One sentence of this length, found in so many passes.
 * @param {Transformer} model
 * @param {Rows} memory
 * @param {number} length
 * @param {number} iterations
 * @param {Block[]} blocks
 */
function refine(model, memory, length, iterations, blocks) {
  const { mask_id: maskId, eos_id: eosId } = model.config;
  let ids = Array(length).fill(maskId);
  let logProbs = Array(length).fill(-Infinity);
  const steps = [];
  for (let iteration = 0; iteration < iterations; iteration += 1) {
    const hidden = leastCertain(
      logProbs,
      Math.floor((length * (iterations - iteration)) / iterations),
    );
    const decoded = decode(
      model,
      ids.map((id, t) => (hidden.includes(t) ? maskId : id)),
      memory,
      { blocks },
    );
    ids = [...ids];
    logProbs = [...logProbs];
    for (const t of hidden) {
      const all = logProbabilities(decoded.logits[t], model.config);
      ids[t] = argmax(all);
      logProbs[t] = all[ids[t]];
    }
    steps.push({ ids, logProbs, hidden, weights: decoded.weights });
  }
  const end = ids.indexOf(eosId) < 0 ? length : ids.indexOf(eosId) + 1;
  const score = logProbs.slice(0, end).reduce((sum, value) => sum + value, 0) / end;
  return { ids: ids.slice(0, end), score, length, steps };
}

/**
 * The places of the `count` tokens with the lowest probability, the first ones where they are
 * equal.
 * @param {number[]} logProbs
 * @param {number} count
 */
export function leastCertain(logProbs, count) {
  const places = Array.from(logProbs, (_, t) => t);
  return places
    .sort((a, b) => logProbs[a] - logProbs[b] || a - b)
    .slice(0, count)
    .sort((a, b) => a - b);
}
