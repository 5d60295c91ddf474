// Layer normalisation: every vector brought to mean 0 and variance 1, then rescaled as learned.

/**
 * weight · (x − μ) / √(σ² + ε) + bias, each row by itself
 * @param {Float32Array[]} x (T, D)
 * @param {Norm} norm each (D)
 * @param {number} [eps]
 */
export function layerNorm(x, { weight, bias }, eps = 1e-5) {
  return x.map((row) => {
    const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
    const scale = 1 / Math.sqrt(variance + eps);
    return row.map((value, d) => weight[d] * (value - mean) * scale + bias[d]);
  });
}
