// What the race asks of its worker: load three models, and let five ways of translating run.
import { beam } from "./maths/model/beam.js";
import { greedy } from "./maths/model/greedy.js";
import { allAtOnce, maskPredict } from "./maths/model/non_autoregressive.js";
import { intactModel, vocabularyOf } from "./translating.js";

const RUNS = 3; // the middle one of so many times is shown

/** @type {Map<string, Record<string, Transformer>>} */
const stables = new Map(); // the models of each widget

export const racing = {
  /**
   * Read the files; returns what the page needs to know of them.
   * @param {{key: string, writer: ArrayBuffer, oneShot: ArrayBuffer, refiner: ArrayBuffer}} given
   */
  async load({ key, writer, oneShot, refiner }) {
    const model = await intactModel(writer);
    stables.set(key, {
      writer: model,
      oneShot: await intactModel(oneShot),
      refiner: await intactModel(refiner),
    });
    return vocabularyOf(model);
  },

  /**
   * All five on the ids of one sentence.
   * @param {{key: string, ids: number[], maxLen: number, beamWidth: number, iterations: number,
   *          lengthFactor: number}} given
   * @returns {RaceRun[]}
   */
  race({ key, ids, maxLen, beamWidth, iterations, lengthFactor }) {
    const { writer, oneShot, refiner } = stables.get(key) ?? {};
    const parallel = { lengthFactor, iterations, numLengths: 1 };
    return [
      timed(() => written(greedy(writer, ids, { maxLen, useCache: false }))),
      timed(() => written(greedy(writer, ids, { maxLen }))),
      timed(() => searched(beam(writer, ids, { beamWidth, maxLen }))),
      timed(() => refined(allAtOnce(oneShot, ids, { lengthFactor }), oneShot)),
      timed(() => refined(maskPredict(refiner, ids, parallel), refiner)),
    ];
  },

  /** Forget the models of one widget. @param {{key: string}} given */
  unload({ key }) {
    stables.delete(key);
  },
};

/** @param {() => Omit<RaceRun, "milliseconds">} run @returns {RaceRun} */
function timed(run) {
  const runs = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    const result = run();
    return { ...result, milliseconds: performance.now() - start };
  });
  return runs.sort((a, b) => a.milliseconds - b.milliseconds)[Math.floor(RUNS / 2)];
}

/** One more word at every step. @param {ReturnType<typeof greedy>} found */
function written({ ids, counts: { multiplications } }) {
  const frames = ids.map((_, n) => ({ ids: ids.slice(0, n + 1), fresh: [n] }));
  return { ids, multiplications, frames };
}

/**
 * The likeliest beginning at every step; at the last one the winner.
 * @param {ReturnType<typeof beam>} found
 */
function searched({ hypotheses: [winner], steps, counts: { multiplications } }) {
  const best = steps.map((candidates, n) => {
    const leader = n < steps.length - 1 ? candidates[0] : winner;
    return (leader ?? winner).ids;
  });
  const frames = best.map((ids, n) => ({
    ids,
    fresh: ids.flatMap((id, t) => (id === best[n - 1]?.[t] ? [] : [t])),
  }));
  return { ids: winner.ids, multiplications, frames };
}

/**
 * The whole sentence at every step, some of it found anew.
 * @param {ReturnType<typeof maskPredict>} found @param {Transformer} model
 */
function refined({ ids, steps, length, counts: { multiplications } }, { config }) {
  const frames = steps.map((step) => {
    const end = step.ids.indexOf(config.eos_id);
    return { ids: end < 0 ? step.ids : step.ids.slice(0, end + 1), fresh: step.hidden };
  });
  return { ids, length, multiplications, frames };
}
