// A stack of random layers, forwards and backwards: how large x is after each layer, and how large
// the gradient is when it gets back there. A batch of vectors is one flat array, row after row.

const EPSILON = 1e-5;
const NONE = new Float64Array(0); // where there is no norm

/** Every way to put a layer's function, x and the norm together. */
export const ARRANGEMENTS = ["neither", "residual", "norm", "post", "pre", "pre_final"];

/** √ of the mean of the squares. @param {Float64Array} values */
export function rms(values) {
  let squares = 0;
  for (const value of values) squares += value * value;
  return Math.sqrt(squares / values.length);
}

/**
 * How alike the rows are: the cosine of the angle between two of them, averaged over all pairs.
 * @param {Float64Array} x @param {number} width
 */
export function likeness(x, width) {
  const rows = x.length / width;
  const total = new Float64Array(width); // Σ of the rows, each at length 1
  for (let start = 0; start < x.length; start += width) {
    let squares = 0;
    for (let i = 0; i < width; i += 1) squares += x[start + i] ** 2;
    for (let i = 0; i < width; i += 1) total[i] += x[start + i] / Math.sqrt(squares);
  }
  const pairs = total.reduce((sum, value) => sum + value * value, 0) - rows;
  return pairs / (rows * (rows - 1));
}

/**
 * Each row brought to mean 0 and variance 1.
 * @param {Float64Array} x @param {number} width
 * @returns {{y: Float64Array, roots: Float64Array}} the rows, and √(σ² + ε) of each
 */
export function layerNorm(x, width) {
  const y = new Float64Array(x.length);
  const roots = new Float64Array(x.length / width);
  for (let r = 0; r < roots.length; r += 1) {
    const start = r * width;
    let mean = 0;
    for (let i = start; i < start + width; i += 1) mean += x[i] / width;
    let variance = 0;
    for (let i = start; i < start + width; i += 1) variance += (x[i] - mean) ** 2 / width;
    roots[r] = Math.sqrt(variance + EPSILON);
    for (let i = start; i < start + width; i += 1) y[i] = (x[i] - mean) / roots[r];
  }
  return { y, roots };
}

/**
 * The gradient before a norm, from the one after it: (g − mean(g) − y · mean(g · y)) / root.
 * @param {{y: Float64Array; roots: Float64Array}} normed @param {Float64Array} gradient
 */
export function layerNormBack({ y, roots }, gradient) {
  const width = y.length / roots.length;
  const out = new Float64Array(y.length);
  for (let r = 0; r < roots.length; r += 1) {
    const start = r * width;
    let mean = 0;
    let along = 0;
    for (let i = start; i < start + width; i += 1) {
      mean += gradient[i] / width;
      along += (gradient[i] * y[i]) / width;
    }
    for (let i = start; i < start + width; i += 1) {
      out[i] = (gradient[i] - mean - y[i] * along) / roots[r];
    }
  }
  return out;
}

/**
 * f(x) = scale · relu(x) W for each row; W is (width, width), from `offset` on.
 * @param {Float64Array} x @param {Vector} weights @param {number} offset @param {number} width
 * @param {number} scale
 */
export function randomLayer(x, weights, offset, width, scale) {
  const out = new Float64Array(x.length);
  for (let start = 0; start < x.length; start += width) {
    for (let i = 0; i < width; i += 1) {
      const value = scale * x[start + i];
      if (value <= 0) continue;
      const row = offset + i * width;
      for (let j = 0; j < width; j += 1) out[start + j] += value * weights[row + j];
    }
  }
  return out;
}

/**
 * The gradient before that function, from the one after it.
 * @param {Float64Array} x @param {Float64Array} gradient @param {Vector} weights
 * @param {number} offset @param {number} width @param {number} scale
 */
export function randomLayerBack(x, gradient, weights, offset, width, scale) {
  const out = new Float64Array(x.length);
  for (let start = 0; start < x.length; start += width) {
    for (let i = 0; i < width; i += 1) {
      if (x[start + i] <= 0) continue;
      const row = offset + i * width;
      let sum = 0;
      for (let j = 0; j < width; j += 1) sum += gradient[start + j] * weights[row + j];
      out[start + i] = scale * sum;
    }
  }
  return out;
}

/**
 * Sends vectors up through a stack and a gradient down again.
 * @param {Float64Array} x vectors that go in, row after row
 * @param {Float64Array} gradient what comes back at the top; only its direction counts
 * @param {Float64Array} weights (layers, width, width) draws from N(0, 1)
 * @param {number} width entries of a vector
 * @param {number} depth layers that are used
 * @param {number} strength size of f(x) where x has size 1
 * @param {string} arrangement one of ARRANGEMENTS
 * @returns {{sizes: Float64Array, gradients: Float64Array, alike: number}} before the first layer
 *          and after each, and in "pre_final" after the last norm too; a size is the root of the
 *          mean square, and the gradient has size 1 where it starts; alike is the likeness of the
 *          rows that come out
 */
export function stackSizes(x, gradient, weights, width, depth, strength, arrangement) {
  const residual = !["neither", "norm"].includes(arrangement);
  const before = arrangement.startsWith("pre");
  const after = ["norm", "post"].includes(arrangement);
  const scale = strength * Math.sqrt(2 / width);
  const sizes = [rms(x)];
  const kept = [];
  for (let layer = 0; layer < depth; layer += 1) {
    const offset = layer * width * width;
    const inner = before ? layerNorm(x, width) : { y: x, roots: NONE };
    let sum = randomLayer(inner.y, weights, offset, width, scale);
    if (residual) sum = sum.map((value, i) => value + x[i]);
    const outer = after ? layerNorm(sum, width) : { y: sum, roots: NONE };
    kept.push({ inner, outer, offset });
    x = outer.y;
    sizes.push(rms(x));
  }
  const start = rms(gradient);
  gradient = gradient.map((value) => value / start);
  const gradients = [1];
  let out = x;
  if (arrangement === "pre_final") {
    const last = layerNorm(x, width);
    out = last.y;
    sizes.push(rms(out));
    gradient = layerNormBack(last, gradient);
    gradients.push(rms(gradient));
  }
  for (const { inner, outer, offset } of kept.reverse()) {
    const summed = after ? layerNormBack(outer, gradient) : gradient;
    const through = randomLayerBack(inner.y, summed, weights, offset, width, scale);
    gradient = before ? layerNormBack(inner, through) : through;
    if (residual) gradient = gradient.map((value, i) => value + summed[i]);
    gradients.push(rms(gradient));
  }
  return {
    sizes: Float64Array.from(sizes),
    gradients: Float64Array.from(gradients.reverse()),
    alike: likeness(out, width),
  };
}
