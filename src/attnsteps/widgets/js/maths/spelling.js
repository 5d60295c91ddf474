// Toy word vectors made from letters, not learned: the same spelling gives the same vector.
import { normals } from "./random.js";

/**
 * The sum of one fixed draw from N(0, 1) per letter, stretched to the length √size, so that its
 * entries are of size 1 on average. Words with the same letters get the same vector.
 * @param {string} word at least one letter
 * @param {number} size entries of the vector
 */
export function spellingVector(word, size) {
  const out = new Float64Array(size);
  for (const letter of word) {
    // by code point, as Python counts them
    normals(Number(letter.codePointAt(0)), size).forEach((draw, i) => {
      out[i] += draw;
    });
  }
  const stretch = Math.sqrt(size / out.reduce((sum, value) => sum + value * value, 0));
  return out.map((value) => value * stretch);
}
