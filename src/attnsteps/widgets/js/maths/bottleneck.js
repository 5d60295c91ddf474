// A sentence squeezed into one vector, and the same sentence kept and attended to.
import { uniform } from "./random.js";
import { softmax } from "./softmax.js";

/**
 * Random signs, +1 or −1, as `rows` vectors of `width` numbers.
 * @param {number} seed @param {number} rows @param {number} width
 */
export function signs(seed, rows, width) {
  const next = uniform(seed);
  return Array.from({ length: rows }, () =>
    Float64Array.from({ length: width }, () => (next() < 0.5 ? -1 : 1)),
  );
}

/**
 * Σ tag_t ∘ word_t: every word's vector with the signs of its place, all added up, (D,).
 * @param {Float64Array[]} words @param {Float64Array[]} tags
 */
export function squeeze(words, tags) {
  const sum = new Float64Array(tags[0].length);
  words.forEach((word, t) => {
    for (let i = 0; i < sum.length; i += 1) sum[i] += tags[t][i] * word[i];
  });
  return sum;
}

/**
 * What the sum still says about one place: the tag's signs are taken off again, (D,).
 * @param {Float64Array} sum @param {Vector} tag
 */
export function unsqueeze(sum, tag) {
  return sum.map((value, i) => value * tag[i]);
}

/**
 * Ask with a place's tag: weights over all places, and the weighted sum of the words.
 * @param {Float64Array[]} words @param {Float64Array[]} tags @param {number} asked
 */
export function attendTo(words, tags, asked) {
  const width = tags[0].length;
  const scores = words.map((_, t) => {
    let product = 0;
    for (let i = 0; i < width; i += 1) product += tags[asked][i] * tags[t][i];
    return product / Math.sqrt(width);
  });
  const weights = softmax(scores);
  const found = new Float64Array(width);
  words.forEach((word, t) => {
    for (let i = 0; i < width; i += 1) found[i] += weights[t] * word[i];
  });
  return { weights, found };
}

/**
 * Similarity of a vector to each word of the vocabulary: their dot products over the width.
 * @param {Vector} vector @param {Matrix} vocabulary
 */
export function similarities(vector, vocabulary) {
  return Float64Array.from(vocabulary, (word) => {
    let sum = 0;
    for (let i = 0; i < vector.length; i += 1) sum += vector[i] * word[i];
    return sum / vector.length;
  });
}

/** Index of the largest number; of equal ones, the first. @param {Vector} values */
export function largest(values) {
  let best = 0;
  for (let i = 1; i < values.length; i += 1) if (values[i] > values[best]) best = i;
  return best;
}

/**
 * Read every word of a sentence back, from one vector and by attention.
 * @param {number[]} ids the sentence, as places in the vocabulary
 * @param {number} seed of all random signs
 * @param {number} width of every vector
 * @param {number} size of the vocabulary
 * @returns {{squeezed: number[], attended: number[]}} the words read back, as places in the
 *        vocabulary
 */
export function readBack(ids, seed, width, size) {
  const drawn = signs(seed, size + ids.length, width);
  const vocabulary = drawn.slice(0, size);
  const tags = drawn.slice(size);
  const words = ids.map((id) => vocabulary[id]);
  const sum = squeeze(words, tags);
  return {
    squeezed: ids.map((_, t) => largest(similarities(unsqueeze(sum, tags[t]), vocabulary))),
    attended: ids.map((_, t) => largest(similarities(attendTo(words, tags, t).found, vocabulary))),
  };
}
