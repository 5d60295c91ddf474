// The next token's probabilities, step after step: what greedy and beam have in common.
import { copyCache, newCache } from "./decoder.js";
import { counting } from "./linear_layer.js";
import { decode, encode } from "./transformer.js";

/**
 * A sentence in the making.
 * @param {Transformer} model a causal model
 * @param {number[]} srcIds
 * @param {{useCache?: boolean; blocks?: Block[]}} [options] useCache: false computes everything
 *        anew at
 *        every step; blocks: what to turn off, see multiHead
 * @returns {Writing}
 */
export function startWriting(model, srcIds, { useCache = true, blocks = [] } = {}) {
  const { result, multiplications } = counting(() => encode(model, srcIds, blocks));
  const cache = useCache ? newCache(model.decoder.layers.length) : null;
  return {
    model,
    memory: result.memory,
    encoderWeights: result.weights,
    ids: [],
    cache,
    blocks,
    multiplications,
  };
}

/**
 * The same beginning once more, which can be continued in another way.
 * @param {Writing} writing
 * @returns {Writing}
 */
export function fork(writing) {
  return { ...writing, ids: [...writing.ids], cache: writing.cache && copyCache(writing.cache) };
}

/**
 * Take in one token; at first config.bos_id.
 * @param {Writing} writing
 * @param {number} id
 * @returns {{logProbs: Float32Array, weights: {decoder: Float32Array[][], cross: Float32Array[][]},
 *            multiplications: number}} of the next token, (V); where it was looked at to find it,
 *            [layer][head] (t) and (S); what it took
 */
export function nextToken(writing, id) {
  const { model, memory, cache, blocks } = writing;
  writing.ids.push(id);
  const { result, multiplications } = counting(() =>
    decode(model, cache ? [id] : writing.ids, memory, { cache: cache ?? undefined, blocks }),
  );
  /** @param {HeadWeights} layers */
  const last = (layers) => layers.map((heads) => heads.map((rows) => rows[rows.length - 1]));
  return {
    logProbs: logProbabilities(result.logits[result.logits.length - 1], model.config),
    weights: { decoder: last(result.weights.decoder), cross: last(result.weights.cross) },
    multiplications,
  };
}

/**
 * Log-softmax over the tokens that may come: not padding, the start symbol or the mask token; (V).
 * @param {Float32Array} logits
 * @param {Config} config
 */
export function logProbabilities(logits, config) {
  const allowed = Float32Array.from(logits);
  for (const id of [config.pad_id, config.bos_id, config.mask_id])
    if (id !== null) allowed[id] = -Infinity;
  const largest = allowed[argmax(allowed)];
  let total = 0;
  for (const logit of allowed) total += Math.exp(logit - largest);
  const below = largest + Math.log(total);
  return allowed.map((logit) => logit - below);
}

/**
 * The place of the largest value, the first of them if there are several.
 * @param {Vector} values
 */
export function argmax(values) {
  let best = 0;
  for (let i = 1; i < values.length; i += 1) if (values[i] > values[best]) best = i;
  return best;
}

/**
 * The places of the `count` largest values, the largest first; those of −∞ are left out.
 * @param {Vector} values
 * @param {number} count
 */
export function topOf(values, count) {
  /** @type {number[]} */
  const places = [];
  for (let i = 0; i < values.length; i += 1) {
    if (
      values[i] === -Infinity ||
      (places.length === count && values[i] <= values[places[count - 1]])
    )
      continue;
    const place = places.findIndex((j) => values[i] > values[j]);
    places.splice(place < 0 ? places.length : place, 0, i);
    if (places.length > count) places.pop();
  }
  return places;
}
