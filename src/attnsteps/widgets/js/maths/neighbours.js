// Vectors of words: which are near, and how a one-hot vector picks one.
import { dot } from "./linear.js";

/**
 * a · b / (|a| |b|): 1 for the same direction, 0 for a right angle; 0 where a vector is zero.
 * @param {Vector} a @param {Vector} b
 */
export function cosine(a, b) {
  const lengths = Math.sqrt(dot(a, a) * dot(b, b));
  return lengths === 0 ? 0 : dot(a, b) / lengths;
}

/**
 * Similarity of one row to every row, itself included.
 * @param {Matrix} vectors @param {number} index
 */
export function cosines(vectors, index) {
  return Float64Array.from(vectors, (vector) => cosine(vectors[index], vector));
}

/**
 * Places of the `count` rows most similar to one row, itself left out, nearest first.
 * @param {Matrix} vectors @param {number} index @param {number} count
 */
export function nearest(vectors, index, count) {
  const similar = cosines(vectors, index);
  return Array.from(similar.keys())
    .filter((i) => i !== index)
    .sort((i, j) => similar[j] - similar[i] || i - j)
    .slice(0, count);
}

/** A row of zeros with a single one, (V,). @param {number} index @param {number} size */
export function oneHot(index, size) {
  return Float64Array.from({ length: size }, (_, i) => (i === index ? 1 : 0));
}
