// Sinusoidal positions as clock hands: one pair of columns, sine and cosine, is one hand.
import { dot, matmul } from "./linear.js";
import { softmax } from "./softmax.js";

/** The width of the positions that a head reads, and how loudly. */
export const WIDE = 64;
const LOUD = 5;

/**
 * By how many radians the hand of a column turns from one position to the next.
 * @param {number} column @param {number} width
 */
export function handSpeed(column, width) {
  return 10000 ** (-(column - (column % 2)) / width);
}

/**
 * The vector of one position, sine and cosine in turn, as in the paper: (width).
 * @param {number} position @param {number} width
 */
export function positionRow(position, width) {
  return Float64Array.from({ length: width }, (_, column) => {
    const angle = position * handSpeed(column, width);
    return column % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

/**
 * Which of the paper's columns stands at each place of a layout, "interleaved" or "concatenated".
 * @param {number} width @param {string} layout
 */
export function columnOrder(width, layout) {
  const columns = Array.from({ length: width }, (_, column) => column);
  if (layout === "interleaved") return columns;
  return [
    ...columns.filter((column) => column % 2 === 0),
    ...columns.filter((column) => column % 2),
  ];
}

/**
 * Every hand turned on by a number of steps, by the angle-sum identities: where the hands stand is
 * all it needs to know, not at which position.
 * @param {ArrayLike<number>} row a position in the paper's order, of even width
 * @param {number} steps
 */
export function turned(row, steps) {
  const out = Float64Array.from(row);
  for (let sine = 0; sine < row.length; sine += 2) {
    const angle = steps * handSpeed(sine, row.length);
    out[sine] = row[sine] * Math.cos(angle) + row[sine + 1] * Math.sin(angle);
    out[sine + 1] = row[sine + 1] * Math.cos(angle) - row[sine] * Math.sin(angle);
  }
  return out;
}

/**
 * The dot products of one position with the positions 0 … count − 1.
 * @param {number} position @param {number} count @param {number} width
 */
export function dotsWith(position, count, width) {
  const row = positionRow(position, width);
  return Float64Array.from({ length: count }, (_, other) => dot(row, positionRow(other, width)));
}

/**
 * The score that each place gives to each: its own position, turned one step on, is its query,
 * so the place after it scores best. (count, count)
 * @param {number} count
 */
export function nextPlaceScores(count) {
  const rows = Array.from({ length: count }, (_, place) => positionRow(place, WIDE));
  return rows.map((row) => {
    const query = turned(row, 1);
    return Float64Array.from(rows, (key) => LOUD * dot(query, key));
  });
}

/**
 * What each word of a sentence gets from attention, in the order in which the words are.
 * @param {ArrayLike<number>[]} x one vector for each word, (T, D)
 * @param {ArrayLike<number>[]} wQ (D, Dk)
 * @param {ArrayLike<number>[]} wK (D, Dk)
 * @param {ArrayLike<number>[]} wV (D, Dv)
 * @param {number[]} order which word is at each place
 * @param {boolean} withPositions whether the scores of the places are added
 * @returns {Float64Array[]} (T, Dv)
 */
export function contextsInOrder(x, wQ, wK, wV, order, withPositions) {
  const placed = order.map((word) => Float64Array.from(x[word]));
  const [q, k, v] = [wQ, wK, wV].map((w) => matmul(placed, w));
  const places = nextPlaceScores(order.length);
  const weights = q.map((query, i) =>
    softmax(
      Float64Array.from(
        k,
        (key, j) => dot(query, key) / Math.sqrt(key.length) + (withPositions ? places[i][j] : 0),
      ),
    ),
  );
  return matmul(weights, v);
}

/**
 * How far the result of each word has moved, from where it was in the sentence's first order.
 * @param {Float64Array[]} contexts in this order
 * @param {Matrix} first @param {number[]} order
 */
export function movedBy(contexts, first, order) {
  return Float64Array.from(order, (word, place) =>
    Math.sqrt(contexts[place].reduce((sum, value, d) => sum + (value - first[word][d]) ** 2, 0)),
  );
}
