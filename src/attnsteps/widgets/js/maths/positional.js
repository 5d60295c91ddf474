// Sinusoidal positions as clock hands: one pair of columns, sine and cosine, is one hand.
import { attention } from "./attention.js";
import { dot, matmul } from "./linear.js";

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
 * What each word of a sentence gets from attention, in the order in which the words stand.
 * @param {ArrayLike<number>[]} x one vector for each word, (T, D)
 * @param {ArrayLike<number>[]} wQ (D, Dk)
 * @param {ArrayLike<number>[]} wK (D, Dk)
 * @param {ArrayLike<number>[]} wV (D, Dv)
 * @param {number[]} order which word stands at each place
 * @param {boolean} withPositions whether each place adds its position first
 * @returns {Float64Array[]} (T, Dv)
 */
export function contextsInOrder(x, wQ, wK, wV, order, withPositions) {
  const placed = order.map((word, place) => {
    const position = withPositions ? positionRow(place, x[word].length) : null;
    return Float64Array.from(x[word], (value, column) => value + (position ? position[column] : 0));
  });
  return attention(matmul(placed, wQ), matmul(placed, wK), matmul(placed, wV)).context;
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
