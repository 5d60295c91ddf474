// The Transformer: from a file of weights to a score for every possible next word.
import { newCache, runDecoder } from "./decoder.js";
import { runEncoder } from "./encoder.js";
import { linearLayer } from "./linear_layer.js";
import { sinusoidalPosition } from "./positional.js";
import { readSafetensors } from "./safetensors.js";

/**
 * Build the model that a file describes.
 * @param {ArrayBuffer} buffer a safetensors file from Python, whose metadata hold the config
 * @returns {LoadedTransformer} config, parameters as in transformerOf, and the bundle: all that the
 *        file says
 *        beside the weights, of a Trained the vocabularies and the tokenizers
 * @throws {Error} one sentence for the reader
 */
export function loadTransformer(buffer) {
  const { metadata, tensors } = readSafetensors(buffer);
  /** @type {Bundle} */
  let bundle = {};
  try {
    bundle = JSON.parse(metadata.config);
  } catch {
    // said below
  }
  // A Trained holds more than the model.
  const config = bundle?.model ?? /** @type {Config} */ (bundle);
  if (!(config?.d_model > 0))
    throw new Error("This file holds no model of this book: its configuration is missing.");
  return { ...transformerOf(config, tensors), bundle };
}

/**
 * Reads parameters out of a file by their names, each of a shape that is known before.
 * @param {Pick<Config, "d_model" | "d_ff" | "activation">} config
 * @param {Map<string, Tensor>} tensors
 */
export function parameterReader({ d_model: D, d_ff: Dff, ...config }, tensors) {
  const isParallel = tensors.has("transformer.src_embedding.weight"); // a NonAutoregressive
  const prefix = isParallel ? "transformer." : "";
  const taken = new Set();

  /**
   * @param {string} name
   * @param {...number} shape
   */
  function take(name, ...shape) {
    taken.add(name);
    const tensor = tensors.get(name);
    if (!tensor) throw new Error(`The weights are not whole: ${name} is missing.`);
    if (`${tensor.shape}` !== `${shape}`) {
      const [wanted, got] = [shape, tensor.shape].map((sizes) => `(${sizes.join(", ")})`);
      throw new Error(
        `The weights do not fit: ${name} must have the shape ${wanted}, and has ${got}.`,
      );
    }
    return tensor.data;
  }
  /**
   * @param {string} name
   * @param {number} rows
   * @param {number} columns
   */
  function matrix(name, rows, columns) {
    const data = take(name, rows, columns);
    return Array.from({ length: rows }, (_, r) => data.subarray(r * columns, (r + 1) * columns));
  }
  /**
   * @param {string} name
   * @param {number} outputs
   * @param {number} inputs
   * @returns {Linear}
   */
  function linear(name, outputs, inputs) {
    return {
      weight: matrix(`${prefix}${name}.weight`, outputs, inputs),
      bias: take(`${prefix}${name}.bias`, outputs),
    };
  }
  return {
    take,
    matrix,
    /** What the file holds beside all that was taken. */
    left: () => [...tensors.keys()].filter((name) => !taken.has(name)),
    /** @type {(name: string, rows: number) => Rows} */
    table: (name, rows) => matrix(`${prefix}${name}.weight`, rows, D),
    /** @type {(name: string) => Norm} */
    norm: (name) => ({
      weight: take(`${prefix}${name}.weight`, D),
      bias: take(`${prefix}${name}.bias`, D),
    }),
    /** @type {(name: string) => Projections} */
    attention: (name) => ({
      wQ: linear(`${name}.w_q`, D, D),
      wK: linear(`${name}.w_k`, D, D),
      wV: linear(`${name}.w_v`, D, D),
      wO: linear(`${name}.w_o`, D, D),
    }),
    /** @type {(name: string) => FeedForward} */
    network: (name) => ({
      w1: linear(`${name}.w_1`, Dff, D),
      w2: linear(`${name}.w_2`, D, Dff),
      w3: config.activation === "swiglu" ? linear(`${name}.w_3`, Dff, D) : null,
    }),
  };
}

/**
 * Put the parameters of a file in the order in which they are used.
 * @param {Config} config Python's TransformerConfig, with its own names
 * @param {Map<string, Tensor>} tensors
 * @returns {Transformer}
 */
export function transformerOf(config, tensors) {
  const { d_model: D, src_vocab_size: srcSize, tgt_vocab_size: V } = config;
  const { take, matrix, table, norm, attention, network, left } = parameterReader(config, tensors);
  /**
   * @template Layer
   * @param {string} name
   * @param {number} numLayers
   * @param {(name: string) => Layer} layer
   */
  const stack = (name, numLayers, layer) => ({
    layers: Array.from({ length: numLayers }, (_, n) => layer(`${name}.layers.${n}`)),
    finalNorm: config.norm === "pre" || config.final_norm ? norm(`${name}.final_norm`) : null,
  });
  /** @param {string} name */
  const positions = (name) => (config.positions === "learned" ? table(name, config.max_len) : null);
  const srcEmbedding = table("src_embedding", srcSize);
  const tgtEmbedding = config.tie === "all" ? srcEmbedding : table("tgt_embedding", V);
  const predictor = "length_predictor";
  const model = {
    config,
    srcEmbedding,
    tgtEmbedding,
    srcPositions: positions("src_positions"),
    tgtPositions: positions("tgt_positions"),
    encoder: stack("encoder", config.num_encoder_layers, (name) => ({
      attention: attention(`${name}.self_attention`),
      attentionNorm: norm(`${name}.self_attention_sublayer.norm`),
      feedForward: network(`${name}.feed_forward`),
      feedForwardNorm: norm(`${name}.feed_forward_sublayer.norm`),
    })),
    decoder: stack("decoder", config.num_decoder_layers, (name) => ({
      selfAttention: attention(`${name}.self_attention`),
      selfAttentionNorm: norm(`${name}.self_attention_sublayer.norm`),
      crossAttention: attention(`${name}.cross_attention`),
      crossAttentionNorm: norm(`${name}.cross_attention_sublayer.norm`),
      feedForward: network(`${name}.feed_forward`),
      feedForwardNorm: norm(`${name}.feed_forward_sublayer.norm`),
    })),
    projection: {
      weight: config.tie === "none" ? table("projection", V) : tgtEmbedding,
      bias: null,
    },
    lengthPredictor: tensors.has(`${predictor}.projection.weight`)
      ? {
          weight: matrix(`${predictor}.projection.weight`, 1, D),
          bias: take(`${predictor}.projection.bias`, 1),
          precision: Math.exp(take(`${predictor}.log_precision`, 1)[0]),
        }
      : null,
  };
  const [extra] = left();
  if (extra) throw new Error(`The weights do not fit: the model has no ${extra}.`);
  return model;
}

/**
 * √D · embedding + position, for each id, (T, D); the first stands at position `first`.
 * @param {Transformer} model
 * @param {number[]} ids
 * @param {Rows} embedding
 * @param {Rows | null} positions
 * @param {number} [first]
 * @returns {Rows}
 */
function embed(model, ids, embedding, positions, first = 0) {
  const { d_model: D, max_len: maxLen } = model.config;
  if (positions && first + ids.length > maxLen)
    throw new Error(`This model can read and write at most ${maxLen} tokens.`);
  return Array.from(ids, (id, t) => {
    const position = positions ? positions[first + t] : sinusoidalPosition(first + t, D);
    return embedding[id].map((value, d) => value * Math.sqrt(D) + position[d]);
  });
}

/**
 * @param {Transformer} model
 * @param {Block[]} blocks
 * @returns {StackOptions}
 */
function optionsOf({ config }, blocks) {
  const { num_heads: numHeads, norm, activation, causal } = config;
  return { numHeads, preNorm: norm === "pre", activation, causal, blocks };
}

/**
 * Read the source.
 * @param {Transformer} model
 * @param {number[]} srcIds (S), at least one
 * @param {Block[]} [blocks] what to turn off: {part: "encoder", layer, head, query, key}, see
 *        multiHead
 * @returns {{memory: Float32Array[], weights: Float32Array[][][]}} (S, D); [layer][head] (S, S)
 */
export function encode(model, srcIds, blocks = []) {
  const x = embed(model, srcIds, model.srcEmbedding, model.srcPositions);
  return runEncoder(x, model.encoder, { ...optionsOf(model, blocks), causal: false });
}

/**
 * Score every next word.
 * @param {Transformer} model
 * @param {number[]} tgtIds (T); with a cache the new places only
 * @param {Float32Array[]} memory from encode
 * @param {{cache?: DecoderCache; blocks?: Block[]}} [options] cache: from newCache, it takes in the
 *        new places
 * @returns {{logits: Float32Array[], weights: {decoder: Float32Array[][][], cross:
 *        Float32Array[][][]}}}
 *          (T, V); [layer][head] (T, Tall) and (T, S)
 */
export function decode(
  model,
  tgtIds,
  memory,
  { cache = newCache(model.decoder.layers.length), blocks = [] } = {},
) {
  const x = embed(model, tgtIds, model.tgtEmbedding, model.tgtPositions, cache.length);
  const out = runDecoder(x, memory, model.decoder, cache, optionsOf(model, blocks));
  return { logits: linearLayer(out.x, model.projection), weights: out.weights };
}
