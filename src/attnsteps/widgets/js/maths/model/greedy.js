// Greedy decoding: the most probable next token, over and over.
import { argmax, nextToken, startWriting } from "./next_token.js";

/**
 * @param {Transformer} model a causal model
 * @param {number[]} srcIds
 * @param {{maxLen: number; useCache?: boolean; forced?: Record<number, number>; blocks?: Block[]}}
 *        options
 *        maxLen: how many tokens there may be, eos_id included; forced: the token that a place gets
 *        whatever its probability, by place from 0; the rest as in startWriting
 * @returns {{ids: number[], score: number, encoderWeights: Float32Array[][][],
 *            steps: {id: number, logProb: number, logProbs: Float32Array,
 *                    weights: {decoder: Looks, cross: Looks}, multiplications: number}[],
 *            counts: {steps: number, multiplications: number}}}
 *          the tokens, eos_id included, and the sum of their log-probabilities; what was seen and
 *          done at each step; passes through the decoder, and multiplications with the encoder's
 */
export function greedy(model, srcIds, { maxLen, useCache = true, forced = {}, blocks = [] }) {
  const writing = startWriting(model, srcIds, { useCache, blocks });
  const counts = { steps: 0, multiplications: writing.multiplications };
  const steps = [];
  for (let id = model.config.bos_id; steps.length < maxLen && id !== model.config.eos_id; ) {
    const step = nextToken(writing, id);
    id = forced[steps.length] ?? argmax(step.logProbs);
    steps.push({ id, logProb: step.logProbs[id], ...step });
    counts.steps += 1;
    counts.multiplications += step.multiplications;
  }
  const score = steps.reduce((sum, step) => sum + step.logProb, 0);
  return {
    ids: steps.map((step) => step.id),
    score,
    encoderWeights: writing.encoderWeights,
    steps,
    counts,
  };
}
