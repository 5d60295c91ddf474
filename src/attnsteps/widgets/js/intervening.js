// What the interventions ask of their worker: the model with heads and edges turned off.
import { logProbabilities } from "./maths/model/next_token.js";
import { decode, encode } from "./maths/model/transformer.js";
import { loadedModel, translating } from "./translating.js";

export const intervening = {
  load: translating.load,
  unload: translating.unload,
  translate: translating.translate,

  /**
   * Read a translation that is given, all places at once.
   * @param {{key: string, ids: number[], written: number[], blocks: Block[]}} given written: the
   *        translation, eos_id included; blocks as in multiHead
   * @returns {Reading}
   */
  read({ key, ids, written, blocks }) {
    const model = loadedModel(key);
    const { memory, weights } = encode(model, ids, blocks);
    const before = [model.config.bos_id, ...written.slice(0, -1)];
    const out = decode(model, before, memory, { blocks });
    return {
      probabilities: out.logits.map((row) => logProbabilities(row, model.config).map(Math.exp)),
      weights: { encoder: weights, ...out.weights },
    };
  },

  /**
   * How probable a word would be if one more head were off, or on again, for every head in turn.
   * @param {{key: string, ids: number[], written: number[], place: number, blocks: Block[]}} given
   * @returns {Record<Part, number[][]>} [layer][head]
   */
  screen({ key, ids, written, place, blocks }) {
    const model = loadedModel(key);
    const { config } = model;
    const before = [config.bos_id, ...written.slice(0, place)];
    const { memory } = encode(model, ids, blocks);
    /** @type {(part: Part, layer: number, head: number) => number} */
    function switched(part, layer, head) {
      const others = blocks.filter((block) => !isHead(block, part, layer, head));
      const changed = others.length < blocks.length ? others : [...blocks, { part, layer, head }];
      const read = part === "encoder" ? encode(model, ids, changed).memory : memory;
      const { logits } = decode(model, before, read, { blocks: changed });
      return Math.exp(logProbabilities(logits[logits.length - 1], config)[written[place]]);
    }
    /** @type {(part: Part, numLayers: number) => number[][]} */
    const each = (part, numLayers) =>
      Array.from({ length: numLayers }, (_, layer) =>
        Array.from({ length: config.num_heads }, (__, head) => switched(part, layer, head)),
      );
    return {
      encoder: each("encoder", config.num_encoder_layers),
      decoder: each("decoder", config.num_decoder_layers),
      cross: each("cross", config.num_decoder_layers),
    };
  },
};

/**
 * Whether a block turns off just this head.
 * @param {Block} block @param {Part} part @param {number} layer @param {number} head
 */
export function isHead(block, part, layer, head) {
  return isWholeHead(block) && block.part === part && block.layer === layer && block.head === head;
}

/** Whether a block turns off whole heads, and not edges between words. @param {Block} block */
export function isWholeHead({ query, key }) {
  return query == null && key == null;
}
