// Beam search: several hypotheses side by side, so that a poor first word can be outlived.
import { fork, nextToken, startWriting, topOf } from "./next_token.js";

/**
 * Keep the W most probable beginnings at every step; Python's `beam` has the same rules.
 * @param {Transformer} model a causal model
 * @param {number[]} srcIds
 * @param {{beamWidth: number; maxLen: number; alpha?: number; nBest?: number; useCache?: boolean;
 *        blocks?: Block[]}} options alpha: the exponent of the length penalty
 * @returns {{hypotheses: {ids: number[], score: number}[],
 *            steps: {parent: number, ids: number[], id: number, logProb: number, isEnd: boolean,
 *                    isKept: boolean}[][],
 *            counts: {steps: number, multiplications: number}}}
 *          the N best, the best first; the 2W candidates of every step: the row that each
 * continues,
 *          and whether it was set aside or goes on; passes through the decoder, one for each row
 */
export function beam(
  model,
  srcIds,
  { beamWidth, maxLen, alpha = 0.6, nBest = 1, useCache = true, blocks = [] },
) {
  const { bos_id: bosId, eos_id: eosId } = model.config;
  const start = startWriting(model, srcIds, { useCache, blocks });
  const counts = { steps: 0, multiplications: start.multiplications };
  const steps = [];
  /** @type {{writing: Writing, ids: number[], logProb: number}[]} */
  let going = [{ writing: start, ids: [], logProb: 0 }];
  /** @type {{ids: number[], score: number}[]} */
  let ended = [];
  let numEnded = 0;

  for (let length = 1; length <= maxLen && going.length > 0; length += 1) {
    // What each beginning could be continued with: no more than 2W of its tokens can matter.
    const candidates = going.flatMap(({ writing, ids, logProb }, parent) => {
      const { logProbs, multiplications } = nextToken(writing, ids.at(-1) ?? bosId);
      counts.steps += 1;
      counts.multiplications += multiplications;
      return topOf(logProbs, 2 * beamWidth).map((id) => ({
        parent,
        id,
        ids: [...ids, id],
        logProb: Math.fround(logProb + logProbs[id]),
        isEnd: id === eosId,
      }));
    });
    const best = topOf(
      candidates.map((each) => each.logProb),
      2 * beamWidth,
    ).map((place) => candidates[place]);

    // Those of the W best that end, or must, are set aside; the W best that do not end go on.
    const finished = best.slice(0, beamWidth).filter((each) => each.isEnd || length === maxLen);
    numEnded += finished.length;
    ended.push(
      ...finished.map(({ ids, logProb }) => ({
        ids,
        score: logProb / lengthPenalty(length, alpha),
      })),
    );
    ended = topOf(
      ended.map((each) => each.score),
      beamWidth,
    ).map((place) => ended[place]);
    const kept = best.filter((each) => !each.isEnd).slice(0, beamWidth);
    steps.push(
      best.map((each) => ({ ...each, isKept: finished.includes(each) || kept.includes(each) })),
    );

    // No score below 0 can grow: this is the most that the sentence could still reach.
    const bound = (kept[0]?.logProb ?? -Infinity) / lengthPenalty(maxLen, alpha);
    if (numEnded >= beamWidth || bound <= (ended[nBest - 1]?.score ?? -Infinity)) break;
    going = kept.map(({ parent, ids, logProb }) => ({
      writing: fork(going[parent].writing),
      ids,
      logProb,
    }));
  }
  return { hypotheses: ended.slice(0, nBest), steps, counts };
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
