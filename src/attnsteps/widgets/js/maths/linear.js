// Vectors are array-likes of numbers, matrices arrays of rows; results are Float64Arrays.

/** Σ a_i b_i @param {Vector} a @param {Vector} b */
export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
}

/** (R, M) times (M, C) → (R, C) @param {Matrix} a @param {Matrix} b */
export function matmul(a, b) {
  return a.map((row) => {
    const out = new Float64Array(b.length ? b[0].length : 0);
    for (let m = 0; m < b.length; m += 1) {
      for (let c = 0; c < out.length; c += 1) out[c] += row[m] * b[m][c];
    }
    return out;
  });
}
