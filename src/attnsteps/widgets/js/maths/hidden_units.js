// A feed-forward network of one output, unit by unit.

/**
 * One hidden unit: how strongly it reacts, and what it adds to the output.
 * @param {ArrayLike<number>} x the input, (D,)
 * @param {HiddenUnit} unit its column of W_1, its
 *   entry of b_1, its entry of W_2
 * @param {boolean} relu false lets the sum through as it is
 */
export function hiddenUnit(x, { weights, bias, out }, relu) {
  let sum = bias;
  for (let i = 0; i < x.length; i += 1) sum += weights[i] * x[i];
  const hidden = relu ? Math.max(0, sum) : sum;
  return { sum, hidden, adds: hidden * out };
}

/**
 * All units, and the output: the output bias and what the units add.
 * @param {Vector} x @param {HiddenUnit[]} units @param {number} outputBias @param {boolean} relu
 */
export function hiddenUnits(x, units, outputBias, relu) {
  const worked = units.map((unit) => hiddenUnit(x, unit, relu));
  return { units: worked, output: worked.reduce((sum, { adds }) => sum + adds, outputBias) };
}

/**
 * Where a unit's sum is 0 inside the square from `low` to `high`: the two ends of that line, or
 * null where it does not cross the square.
 * @param {{weights: number[]; bias: number}} unit with two weights
 * @param {number} low @param {number} high
 * @returns {[number, number][] | null}
 */
export function switchLine({ weights: [a, b], bias }, low, high) {
  /** @type {[number, number][]} */
  const ends = [];
  /** @param {number} x @param {number} y */
  const add = (x, y) => {
    const inside = x >= low - 1e-9 && x <= high + 1e-9 && y >= low - 1e-9 && y <= high + 1e-9;
    if (inside && !ends.some(([p, q]) => Math.hypot(p - x, q - y) < 1e-9)) ends.push([x, y]);
  };
  for (const edge of [low, high]) {
    if (b !== 0) add(edge, -(a * edge + bias) / b);
    if (a !== 0) add(-(b * edge + bias) / a, edge);
  }
  return ends.length < 2 ? null : ends.slice(0, 2);
}
