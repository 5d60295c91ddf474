// Where heads look: which heads there are, what they are called, and the weights of one or of all.
import { averageHeads } from "./maths/time_machine.js";

/** @type {Part[]} */
export const PARTS_OF_ATTENTION = ["cross", "decoder", "encoder"]; // in the order of LOOKS

/**
 * @param {HeadWeights} weights
 * @returns {[number, number][]} layer and head
 */
export function allHeads(weights) {
  return weights.flatMap((layer, l) =>
    layer.map((_, h) => /** @type {[number, number]} */ ([l, h])),
  );
}

/**
 * The weights of every query, in one head or averaged over all.
 * @param {HeadWeights} weights @param {HeadPlace} head
 */
export function looksOf(weights, head) {
  return head ? weights[head[0]][head[1]].map((row) => [...row]) : averageHeads(weights);
}

/**
 * The weights of one query.
 * @param {HeadWeights} weights @param {HeadPlace} head @param {number} query
 */
export function lookOf(weights, head, query) {
  return looksOf(
    weights.map((layer) => layer.map((rows) => [rows[query]])),
    head,
  )[0];
}

/**
 * A row of weights as a row of a table; what its query could not see yet stays empty.
 * @param {number[]} row @param {number} numKeys
 * @returns {(number | null)[]}
 */
export function paddedTo(row, numKeys) {
  return [...row, ...Array(numKeys - row.length).fill(null)];
}

/** @param {HeadPlace} head */
export function headName(head) {
  return head ? `layer ${head[0] + 1}, head ${head[1] + 1}` : "the average of all heads";
}

/** @param {HeadPlace} head */
export function headLabel(head) {
  return head ? `L${head[0] + 1} H${head[1] + 1}` : "all";
}

/**
 * The words that can be looked at, as the columns of a table.
 * @param {Part} kind
 * @param {string[]} words of the source
 * @param {string[]} outputs words of the translation
 * @param {(word: string) => string} named a word of the source with its meaning
 */
export function keysOf(kind, words, outputs, named) {
  const columns = kind === "decoder" ? ["start", ...outputs.slice(0, -1)] : words;
  const columnNames = kind === "decoder" ? columns : words.map(named);
  return { columns, columnNames, columnLang: kind === "decoder" ? "en" : "zh" };
}
