// x W + b for a whole sentence, and the count of what it costs. A sentence is an array of rows,
// one Float32Array for each word; sums are kept in float64 and rounded to float32 once.

/** How many multiplications the matrix products have taken since the page was loaded. */
export const tally = { multiplications: 0 };

/**
 * Run something; return what it returns, and how many multiplications that took.
 * @template Result
 * @param {() => Result} run
 * @returns {{result: Result; multiplications: number}}
 */
export function counting(run) {
  const before = tally.multiplications;
  const result = run();
  return { result, multiplications: tally.multiplications - before };
}

/**
 * @param {Float32Array[]} x (T, M)
 * @param {Linear} layer weight (N, M), as PyTorch keeps it
 * @returns {Float32Array[]} (T, N)
 */
export function linearLayer(x, { weight, bias }) {
  tally.multiplications += x.length * weight.length * weight[0].length;
  return x.map((row) => product(row, weight, bias));
}

/**
 * Four sums side by side, because a processor adds to one while it still waits for another.
 * @param {Float32Array} row
 * @param {Rows} weight
 * @param {Float32Array | null} bias
 */
function product(row, weight, bias) {
  const out = new Float32Array(weight.length);
  const whole = row.length - (row.length % 4);
  for (let n = 0; n < out.length; n += 1) {
    const column = weight[n];
    let sum = bias === null ? 0 : bias[n];
    let second = 0;
    let third = 0;
    let fourth = 0;
    for (let m = 0; m < whole; m += 4) {
      sum += row[m] * column[m];
      second += row[m + 1] * column[m + 1];
      third += row[m + 2] * column[m + 2];
      fourth += row[m + 3] * column[m + 3];
    }
    for (let m = whole; m < row.length; m += 1) sum += row[m] * column[m];
    out[n] = sum + second + (third + fourth);
  }
  return out;
}

/**
 * Two sentences of vectors, added place by place.
 * @param {Rows} a
 * @param {Rows} b
 */
export function add(a, b) {
  return a.map((row, t) => row.map((value, d) => value + b[t][d]));
}
