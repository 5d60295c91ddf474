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
   * @param {{key: string, ids: number[], written: number[], blocks: object[]}} given written: the
   *        translation, eos_id included; blocks as in multiHead
   * @returns {{probabilities: Float32Array[], weights: object}} of every word at each place of the
   *          translation, given the words before it, (T, V); [layer][head][query] of every attention
   */
  read({ key, ids, written, blocks }) {
    const model = loadedModel(key);
    const { memory, weights } = encode(model, ids, blocks);
    const out = decode(model, [model.config.bos_id, ...written.slice(0, -1)], memory, { blocks });
    return { probabilities: out.logits.map((row) => logProbabilities(row, model.config).map(Math.exp)), weights: { encoder: weights, ...out.weights } };
  },

  /**
   * How probable a word would be if one more head were off, or on again, for every head in turn.
   * @returns {Record<"encoder"|"decoder"|"cross", number[][]>} [layer][head]
   */
  screen({ key, ids, written, place, blocks }) {
    const model = loadedModel(key);
    const before = [model.config.bos_id, ...written.slice(0, place)];
    const { memory } = encode(model, ids, blocks);
    function switched(part, layer, head) {
      const others = blocks.filter((block) => !isHead(block, part, layer, head));
      const changed = others.length < blocks.length ? others : [...blocks, { part, layer, head }];
      const read = part === "encoder" ? encode(model, ids, changed).memory : memory;
      const { logits } = decode(model, before, read, { blocks: changed });
      return Math.exp(logProbabilities(logits.at(-1), model.config)[written[place]]);
    }
    const { num_heads: numHeads, num_encoder_layers: numEncoder, num_decoder_layers: numDecoder } = model.config;
    const each = (part, numLayers) => Array.from({ length: numLayers }, (_, layer) => Array.from({ length: numHeads }, (__, head) => switched(part, layer, head)));
    return { encoder: each("encoder", numEncoder), decoder: each("decoder", numDecoder), cross: each("cross", numDecoder) };
  },
};

/** Whether a block turns off just this head. */
export function isHead(block, part, layer, head) {
  return block.query == null && block.key == null && block.part === part && block.layer === layer && block.head === head;
}
