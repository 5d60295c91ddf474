// Sinusoidal positions: sines and cosines, from fast to slow, that tell attention the order.

/**
 * PE[pos, 2i] = sin(pos / 10000^(2i / D)), PE[pos, 2i + 1] = cos of the same; (D).
 * @param {number} position
 * @param {number} dModel
 */
export function sinusoidalPosition(position, dModel) {
  return Float32Array.from({ length: dModel }, (_, d) => {
    const angle = position / 10000 ** ((d - (d % 2)) / dModel);
    return d % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}
