// Beam search: several hypotheses side by side, so that a poor first word can be outlived.
import { fork, nextToken, startWriting, topOf } from "./next_token.js";

/**
 * Keep the W most probable beginnings at every step; Python's `beam` has the same rules.
 * @param {Transformer} model a causal model
 * @param {number[]} srcIds
 * @param {{beamWidth: number; maxLen: number; alpha?: number; nBest?: number; useCache?: boolean;
 *        forced?: Record<number, number>; blocks?: Block[]; onstep?: (ids: number[]) => void}}
 *        options
 *        alpha: the exponent of the length penalty; forced: the token that a place gets
 *        whatever its probability, by place from 0; onstep: hears of the most probable
 *        beginning at every step
 * @returns {{hypotheses: {ids: number[], score: number}[],
 *            steps: {parent: number, ids: number[], id: number, logProb: number,
 *                    isEnd: boolean}[][],
 *            best: WrittenToken[], encoderWeights: HeadWeights,
 *            counts: {steps: number, multiplications: number}}}
 *          the N best, the best first; those that got a place at each step, and the row that
 *          each continues; the tokens of the best, with what was seen at each; passes through
 *          the decoder, one for each row
 */
export function beam(model, srcIds, options) {
  const { beamWidth, maxLen, alpha = 0.6, nBest = 1, forced = {} } = options;
  const { bos_id: bosId, eos_id: eosId } = model.config;
  const start = startWriting(model, srcIds, options);
  const counts = { steps: 0, multiplications: start.multiplications };
  const steps = [];
  /** @type {(Beginning & {writing: Writing})[]} */
  let going = [{ writing: start, ids: [], trail: [], logProb: 0 }];
  /** @type {{ids: number[], trail: WrittenToken[], score: number}[]} */
  let ended = [];
  let numEnded = 0;

  for (let length = 1; length <= maxLen && going.length > 0; length += 1) {
    const candidates = going.flatMap((beginning, parent) => {
      const step = nextToken(beginning.writing, beginning.ids.at(-1) ?? bosId);
      counts.steps += 1;
      counts.multiplications += step.multiplications;
      // No more than W of its tokens can matter.
      const given = forced[length - 1];
      const tokens = given === undefined ? topOf(step.logProbs, beamWidth) : [given];
      return tokens.map((id) => ({
        parent,
        isEnd: id === eosId,
        ...lengthened(beginning, id, step),
      }));
    });
    // What ends, or must, keeps its place of the W: fewer go on.
    const best = largestOf(candidates, (each) => each.logProb, beamWidth - numEnded);
    const finished = best.filter((each) => each.isEnd || length === maxLen);
    numEnded += finished.length;
    ended.push(
      ...finished.map(({ ids, trail, logProb }) => ({
        ids,
        trail,
        score: logProb / lengthPenalty(length, alpha),
      })),
    );
    ended = largestOf(ended, (each) => each.score, beamWidth);
    const kept = best.filter((each) => !each.isEnd);
    steps.push(best.map(({ trail, ...each }) => each));
    options.onstep?.(best[0]?.ids ?? []);

    // No score below 0 can grow: this is the most that the sentence could still reach.
    const bound = (kept[0]?.logProb ?? -Infinity) / lengthPenalty(maxLen, alpha);
    if (bound <= (ended[nBest - 1]?.score ?? -Infinity)) break;
    going = kept.map(({ parent, ids, trail, logProb }) => ({
      writing: fork(going[parent].writing),
      ids,
      trail,
      logProb,
    }));
  }
  return {
    hypotheses: ended.slice(0, nBest).map(({ ids, score }) => ({ ids, score })),
    steps,
    best: ended[0]?.trail ?? [],
    encoderWeights: start.encoderWeights,
    counts,
  };
}

/**
 * Those of the largest values, the largest first.
 * @template Thing
 * @param {Thing[]} things
 * @param {(thing: Thing) => number} value
 * @param {number} count
 */
function largestOf(things, value, count) {
  return topOf(things.map(value), count).map((place) => things[place]);
}

/**
 * A beginning with one token more.
 * @param {Beginning} beginning
 * @param {number} id
 * @param {{logProbs: Float32Array, weights: WrittenToken["weights"]}} step
 */
function lengthened({ ids, trail, logProb }, id, { logProbs, weights }) {
  return {
    id,
    ids: [...ids, id],
    trail: [...trail, { id, logProbs, weights }],
    logProb: Math.fround(logProb + logProbs[id]),
  };
}

/**
 * ((5 + length) / 6)^alpha: what a log-probability is divided by, so that long sentences stand a
 * chance.
 * @param {number} length
 * @param {number} alpha
 */
export function lengthPenalty(length, alpha) {
  return ((5 + length) / 6) ** alpha;
}
