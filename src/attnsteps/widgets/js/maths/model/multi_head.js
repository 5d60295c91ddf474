// Multi-head attention with a memory of keys and values, and with switches to turn parts of it off.
import { softmax } from "../softmax.js";
import { linearLayer, tally } from "./linear_layer.js";

/**
 * Concat(head_1, …, head_H) W_o, where head_h = softmax(q kᵀ / √Dk) v in its own Dk columns.
 *
 * The keys and values of `source` are added to the cache, and all that are there are looked at.
 * A block {head, query, key} turns something off: with a query or a key, the edges between them
 * (their scores become −∞ before the softmax); without, the head (its output becomes zero). What a
 * block leaves out is meant for all: {key: 3} hides key 3 from every query of every head.
 * @param {Float32Array[]} query what asks, (Tq, D)
 * @param {Float32Array[]|null} source what is looked at, (Tk, D); null: it is in the cache already
 * @param {Projections} projections four linear layers
 * @param {{numHeads: number; cache?: KeysAndValues; causal?: boolean; first?: number; blocks?:
 *        Block[]}} options causal: query t sees keys 0 … first + t;
 *        first: the position of the first query
 * @returns {{output: Float32Array[], weights: Float32Array[][]}} (Tq, D), and for each head (Tq,
 *        Tk)
 */
export function multiHead(
  query,
  source,
  { wQ, wK, wV, wO },
  { numHeads, cache = { k: [], v: [] }, causal = false, first = 0, blocks = [] },
) {
  if (source !== null) {
    cache.k.push(...linearLayer(source, wK));
    cache.v.push(...linearLayer(source, wV));
  }
  const q = linearLayer(query, wQ);
  const dK = q[0].length / numHeads;
  const merged = query.map((row) => new Float32Array(row.length));
  const weights = Array.from({ length: numHeads }, (_, head) =>
    q.map((row, t) => {
      const from = head * dK; // this head's columns are from … from + dK − 1
      const visible = causal ? first + t + 1 : cache.k.length;
      const scores = new Float32Array(visible);
      for (let j = 0; j < visible; j += 1) {
        const key = cache.k[j];
        let score = 0;
        for (let i = from; i < from + dK; i += 1) score += row[i] * key[i];
        scores[j] = hidesEdge(blocks, head, first + t, j) ? -Infinity : score / Math.sqrt(dK);
      }
      const weight = Float32Array.from(softmax(scores));
      if (!silencesHead(blocks, head)) {
        for (let i = from; i < from + dK; i += 1) {
          let sum = 0;
          for (let j = 0; j < visible; j += 1) sum += weight[j] * cache.v[j][i];
          merged[t][i] = sum;
        }
      }
      tally.multiplications += 2 * dK * visible;
      return weight;
    }),
  );
  return { output: linearLayer(merged, wO), weights };
}

/**
 * @param {number | null | undefined} wanted
 * @param {number} value
 */
function matches(wanted, value) {
  return wanted == null || wanted === value;
}

/**
 * Whether a block turns this head off as a whole.
 * @param {Block[]} blocks
 * @param {number} head
 */
export function silencesHead(blocks, head) {
  return blocks.some(
    (block) => block.query == null && block.key == null && matches(block.head, head),
  );
}

/**
 * Whether a block keeps this query from this key.
 * @param {Block[]} blocks
 * @param {number} head
 * @param {number} query
 * @param {number} key
 */
export function hidesEdge(blocks, head, query, key) {
  return blocks.some(
    (block) =>
      (block.query != null || block.key != null) &&
      matches(block.head, head) &&
      matches(block.query, query) &&
      matches(block.key, key),
  );
}
