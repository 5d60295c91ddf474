// What the race asks of its worker: load three models, and let five ways of translating run.
import { beam } from "./maths/model/beam.js";
import { greedy } from "./maths/model/greedy.js";
import { allAtOnce, maskPredict } from "./maths/model/non_autoregressive.js";
import { isIntact } from "./maths/model/safetensors.js";
import { loadTransformer } from "./maths/model/transformer.js";

const RUNS = 3; // the middle one of so many times is shown
const stables = new Map(); // the models of one widget

export const racing = {
  /** Read the files; returns what the page needs to know of them. */
  async load({ key, buffers }) {
    const models = {};
    for (const [name, buffer] of Object.entries(buffers)) {
      models[name] = loadTransformer(buffer);
      if (!(await isIntact(buffer))) throw new Error("The weights are damaged: they are not those that were written.");
    }
    stables.set(key, models);
    const { src_vocab: srcTokens, tgt_vocab: tgtTokens, src_tokenizer: srcTokenizer } = models.writer.bundle;
    return { config: models.writer.config, srcTokens, tgtTokens, splitter: JSON.parse(srcTokenizer) };
  },

  /** All five on the ids of one sentence. */
  race({ key, ids, maxLen, beamWidth, iterations, lengthFactor }) {
    const { writer, oneShot, refiner } = stables.get(key);
    const parallel = { lengthFactor, iterations, numLengths: 1 };
    return [
      timed(() => written(greedy(writer, ids, { maxLen, useCache: false }))),
      timed(() => written(greedy(writer, ids, { maxLen }))),
      timed(() => searched(beam(writer, ids, { beamWidth, maxLen }))),
      timed(() => refined(allAtOnce(oneShot, ids, { lengthFactor }), oneShot)),
      timed(() => refined(maskPredict(refiner, ids, parallel), refiner)),
    ];
  },

  /** Forget the models of one widget. */
  unload({ key }) {
    stables.delete(key);
  },
};

function timed(run) {
  const times = [];
  let result;
  for (let n = 0; n < RUNS; n += 1) {
    const start = performance.now();
    result = run();
    times.push(performance.now() - start);
  }
  return { ...result, milliseconds: times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] };
}

/** One more word at every step. */
function written({ ids, counts }) {
  return { ids, multiplications: counts.multiplications, frames: ids.map((_, n) => ({ ids: ids.slice(0, n + 1), fresh: [n] })) };
}

/** The likeliest beginning at every step; at the last one the winner. */
function searched({ hypotheses, steps, counts }) {
  const best = steps.map((candidates, n) => (n < steps.length - 1 ? candidates.find((each) => each.isKept) : hypotheses[0]).ids);
  const frames = best.map((ids, n) => ({ ids, fresh: ids.flatMap((id, t) => (id === best[n - 1]?.[t] ? [] : [t])) }));
  return { ids: hypotheses[0].ids, multiplications: counts.multiplications, frames };
}

/** The whole sentence at every step, some of it found anew. */
function refined({ ids, steps, length, counts }, { config }) {
  const frames = steps.map((step) => {
    const end = step.ids.indexOf(config.eos_id);
    return { ids: end < 0 ? step.ids : step.ids.slice(0, end + 1), fresh: step.hidden };
  });
  return { ids, length, multiplications: counts.multiplications, frames };
}
