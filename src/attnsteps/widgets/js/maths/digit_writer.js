// A small language model that writes digits: from its file to the next code, and what is nearest.
import { runEncoder } from "./model/encoder.js";
import { linearLayer } from "./model/linear_layer.js";
import { readSafetensors } from "./model/safetensors.js";
import { parameterReader } from "./model/transformer.js";
import { softmax } from "./softmax.js";

/**
 * Build the model that a file describes.
 * @param {ArrayBuffer} buffer a safetensors file from Python's `save_writer`
 * @returns {DigitModel}
 * @throws {Error} one sentence for the reader
 */
export function loadWriter(buffer) {
  const { metadata, tensors } = readSafetensors(buffer);
  const sizes = JSON.parse(metadata.config);
  const config = { ...sizes, activation: "relu" };
  const { take, table, norm, attention, network } = parameterReader(config, tensors);
  const shape = tensors.get("entries")?.shape ?? [0, 0];
  const entries = take("entries", ...shape);
  return {
    numHeads: sizes.num_heads,
    embedding: table("embedding", sizes.vocab_size),
    positions: table("positions", sizes.max_len),
    encoder: {
      layers: Array.from({ length: sizes.num_layers }, (_, n) => {
        const name = `encoder.layers.${n}`;
        return {
          attention: attention(`${name}.self_attention`),
          attentionNorm: norm(`${name}.self_attention_sublayer.norm`),
          feedForward: network(`${name}.feed_forward`),
          feedForwardNorm: norm(`${name}.feed_forward_sublayer.norm`),
        };
      }),
      finalNorm: norm("encoder.final_norm"),
    },
    entries: Array.from({ length: shape[0] }, (_, n) =>
      entries.subarray(n * shape[1], (n + 1) * shape[1]),
    ),
  };
}

/**
 * The probability of each code to be written next; zeros when all are.
 * @param {DigitModel} model @param {number} digit @param {number[]} codes
 * @param {number} temperature
 */
export function nextCode(model, digit, codes, temperature) {
  const { embedding, positions, entries } = model;
  if (codes.length === positions.length) return entries.map(() => 0);
  const ids = [entries.length + digit, ...codes];
  const factor = Math.sqrt(embedding[0].length);
  const x = ids.map((id, t) => embedding[id].map((value, d) => value * factor + positions[t][d]));
  const options = { preNorm: true, causal: true, blocks: [] };
  const { memory } = runEncoder(x, model.encoder, {
    ...options,
    numHeads: model.numHeads,
    activation: "relu",
  });
  const output = { weight: embedding.slice(0, entries.length), bias: null };
  const [logits] = linearLayer(memory.slice(-1), output);
  return Array.from(softmax(Array.from(logits, (logit) => logit / temperature)));
}

/**
 * The same from the bytes of a model's file.
 * @param {number[]} bytes @param {number} digit @param {number[]} codes @param {number} temperature
 */
export function nextOfFile(bytes, digit, codes, temperature) {
  return nextCode(loadWriter(Uint8Array.from(bytes).buffer), digit, codes, temperature);
}

/**
 * The first code up to which the probabilities add up to more than chance.
 * @param {number[]} probabilities @param {number} chance from 0 up to 1
 */
export function pickCode(probabilities, chance) {
  let sum = 0;
  const place = probabilities.findIndex((share) => {
    sum += share;
    return sum > chance;
  });
  return place < 0 ? probabilities.length - 1 : place;
}

/**
 * Which of the examples is the nearest in pixels; what isn't written yet is not compared.
 * @param {Vector[]} entries the codebook
 * @param {ArrayLike<number>[]} examples the codes of each
 * @param {number[]} codes
 */
export function nearestPicture(entries, examples, codes) {
  const gaps = entries.map((one) =>
    entries.map((other) =>
      Array.from(one).reduce((sum, pixel, p) => sum + (pixel - other[p]) ** 2, 0),
    ),
  );
  let best = { place: 0, distance: Infinity };
  examples.forEach((known, place) => {
    const distance = codes.reduce((sum, code, t) => sum + gaps[code][known[t]], 0);
    if (distance < best.distance) best = { place, distance };
  });
  return { place: best.place, distance: Math.sqrt(best.distance) };
}
