// What one training step takes, by formula: numbers in memory, operations, bytes sent.
import { totalsOf } from "./transformer.js";

/**
 * The sizes of the whole model, from its width, layers, tokens and length.
 * @param {{D: number; N: number; V: number; S: number}} sizes @param {number} sentences
 * @returns {ModelSizes}
 */
export function wholeSizes({ D, N, V, S }, sentences) {
  const H = Math.max(4, Math.floor(D / 64));
  return { B: sentences, S, T: S, D, H, Dff: 4 * D, N, V, Vsrc: V, tie: "all" };
}

/**
 * How many sentences one process holds at a time.
 * @param {number} B @param {number} processes @param {number} microBatches
 */
export function sentencesAtOnce(B, processes, microBatches) {
  return Math.ceil(B / (processes * microBatches));
}

/**
 * The bytes of a training step at its peak, as analysis/memory.py counts them.
 * @param {ModelSizes} sizes
 * @param {number} parameters of the model
 * @param {boolean} half whether products are computed in 16 bits
 * @param {boolean} fused whether attention goes without its weights
 */
export function bytesKept({ B, S, T, D, H, Dff, N, V }, parameters, half, fused) {
  const width = half ? 2 : 4;
  const src = B * S;
  const tgt = B * T;
  const sums = D * N * (2 * src + 3 * tgt);
  const inner = D * N * (6 * src + 6 * tgt) + Dff * N * (src + tgt);
  const normed = D * (half ? N * (6 * src + 5 * tgt) + tgt : src + tgt + N * (2 * src + 3 * tgt));
  const asked = N * (src + 2 * tgt);
  const pairs = B * N * (S * S + T * T + T * S);
  const matrices = D * D * 12 * N + D * Dff * 4 * N + D * V;
  return {
    weights: 4 * parameters,
    gradients: 4 * parameters,
    adam: 8 * parameters,
    copies: half ? 2 * matrices : 0,
    activations: 4 * (sums + tgt * V) + width * (inner + normed),
    attention: fused ? (width * D + 4 * H) * asked : width * 2 * H * pairs,
    loss: 8 * tgt * V,
  };
}

/**
 * The bytes that each of several processes sends to add up all gradients in a ring.
 * @param {number} parameters @param {number} processes
 */
export function bytesSent(parameters, processes) {
  return ((2 * (processes - 1)) / processes) * 4 * parameters;
}

/**
 * The seconds that they travel on a cable, all processes sending at the same time.
 * @param {number} sent bytes @param {number} cable MB a second
 */
export function secondsToSend(sent, cable) {
  return sent / (1e6 * cable);
}

/**
 * All of it: the model's parameters, the bytes in each process, the update's operations (three
 * times those of its forward passes), what is sent, and the seconds: first each process computes,
 * then it sends.
 * @param {ModelBlock[]} blocks
 * @param {{B: number; D: number; N: number; V: number; S: number}} sizes
 * @param {{micro_batches: number; processes: number; precision: string; fused: boolean; speed:
 *        number; cable: number}} how
 */
export function stepOf(
  blocks,
  sizes,
  { micro_batches: microBatches, processes, precision, fused, speed, cable },
) {
  const sentences = sentencesAtOnce(sizes.B, processes, microBatches);
  const { parameters } = totalsOf(blocks, wholeSizes(sizes, 1));
  const flops = 3 * totalsOf(blocks, wholeSizes(sizes, sizes.B)).flops;
  const sent = bytesSent(parameters, processes);
  const computing = flops / (speed * processes);
  const sending = secondsToSend(sent, cable);
  return {
    parameters,
    flops,
    sentences,
    bytes: bytesKept(wholeSizes(sizes, sentences), parameters, precision !== "float32", fused),
    sent,
    computing,
    sending,
    seconds: computing + sending,
  };
}
