// Softmax step by step in a chosen number format: every result is rounded to what the format holds.

/** What a format can hold, and the largest number in it. */
/** @type {Record<FormatName, {round: (x: number) => number, largest: number}>} */
export const FORMATS = {
  float64: { round: (x) => x, largest: Number.MAX_VALUE },
  float32: { round: Math.fround, largest: (2 - 2 ** -23) * 2 ** 127 },
  float16: { round: toHalf, largest: 65504 },
};

/**
 * The nearest float16: 11 significant bits, ties to even, beyond 65 504 infinite.
 * @param {number} x
 */
export function toHalf(x) {
  if (!Number.isFinite(x) || x === 0) return x;
  const step = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(x))), -14) - 10);
  const count = x / step;
  const whole = Math.abs(count % 1) === 0.5 ? 2 * Math.round(count / 2) : Math.round(count);
  const rounded = whole * step;
  return Math.abs(rounded) > 65504 ? Math.sign(x) * Infinity : rounded;
}

/**
 * The temperature at a place of the slider: tenths of a power of ten, kept to two digits.
 * @param {number} tenths
 */
export function temperatureAt(tenths) {
  return Number((10 ** (tenths / 10)).toPrecision(2));
}

/** The place of the slider that is nearest to a temperature. @param {number} temperature */
export function placeOf(temperature) {
  return Math.round(10 * Math.log10(temperature));
}

/**
 * (score + shift) / temperature; −∞ for an excluded score.
 * @param {number[]} scores @param {boolean[]} excluded @param {number} shift
 * @param {number} temperature @param {FormatName} [format]
 */
export function movedScores(scores, excluded, shift, temperature, format = "float64") {
  const { round } = FORMATS[format];
  return Float64Array.from(scores, (score, i) =>
    excluded[i] ? -Infinity : round(round(score + shift) / temperature),
  );
}

/**
 * exp(x_i) / Σ exp(x_j), as the formula is written.
 * @param {Iterable<number> & Vector} scores @param {FormatName} [format]
 */
export function naiveSteps(scores, format = "float64") {
  return powersAndWeights(scores, FORMATS[format].round);
}

/**
 * The same with the maximum subtracted first. A row of nothing but −∞ gets zeros.
 * @param {Iterable<number> & Vector} scores @param {FormatName} [format]
 * @returns {{exponents: Float64Array, powers: Float64Array, sum: number, weights: Float64Array}}
 */
export function stableSteps(scores, format = "float64") {
  const { round } = FORMATS[format];
  const max = Math.max(...scores);
  if (max === -Infinity) {
    const zeros = new Float64Array(scores.length);
    return { exponents: Float64Array.from(scores), powers: zeros, sum: 0, weights: zeros };
  }
  return powersAndWeights(
    Float64Array.from(scores, (score) => round(score - max)),
    round,
  );
}

/** @param {Iterable<number> & Vector} scores @param {(x: number) => number} round */
function powersAndWeights(scores, round) {
  const exponents = Float64Array.from(scores);
  const powers = exponents.map((score) => round(Math.exp(score)));
  const sum = powers.reduce((total, power) => round(total + power), 0);
  return { exponents, powers, sum, weights: powers.map((power) => round(power / sum)) };
}

/**
 * What has happened to the naive form, from its scores, their powers and the powers' sum.
 * @param {number} distance how far its weights are from the stable ones
 * @param {Float64Array | number[]} scores @param {Float64Array | number[]} powers
 * @param {number} sum
 * @returns {"empty"|"overflow"|"sum"|"underflow"|"drift"|"fine"}
 */
export function diagnose(scores, powers, sum, distance) {
  if (scores.every((score) => score === -Infinity)) return "empty";
  if (powers.includes(Infinity)) return "overflow";
  if (sum === Infinity) return "sum";
  if (sum === 0) return "underflow";
  return distance > 0.002 ? "drift" : "fine";
}

/**
 * The largest distance between two rows of weights.
 * @param {Float64Array | number[]} some @param {Vector} others
 */
export function apart(some, others) {
  return Math.max(...some.map((weight, i) => Math.abs(weight - others[i])));
}
