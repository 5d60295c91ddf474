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
  return x.map((row) => {
    const out = new Float32Array(weight.length);
    for (let n = 0; n < out.length; n += 1) {
      const column = weight[n];
      let sum = bias === null ? 0 : bias[n];
      for (let m = 0; m < row.length; m += 1) sum += row[m] * column[m];
      out[n] = sum;
    }
    return out;
  });
}

/**
 * Two sentences of vectors, added place by place.
 * @param {Rows} a
 * @param {Rows} b
 */
export function add(a, b) {
  return a.map((row, t) => row.map((value, d) => value + b[t][d]));
}
