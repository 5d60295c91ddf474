// Reproducible random numbers: the same seed gives the same picture on every visit.

/** Uniform numbers in [0, 1) from a 32-bit seed (mulberry32). @param {number} seed */
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** `count` draws from N(0, 1) (Box–Muller). @param {number} seed @param {number} count */
export function normals(seed, count) {
  return fromBell(uniform(seed), count);
}

/**
 * The next `count` draws from N(0, 1); of an odd number, the last one's twin is lost.
 * @param {() => number} next uniform numbers in [0, 1)
 * @param {number} count
 */
export function fromBell(next, count) {
  const out = new Float64Array(count);
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - next()));
    const angle = 2 * Math.PI * next();
    out[i] = radius * Math.cos(angle);
    if (i + 1 < count) out[i + 1] = radius * Math.sin(angle);
  }
  return out;
}

/**
 * Mean of the squared distances from the mean.
 * @param {ArrayLike<number> & Iterable<number>} values
 */
export function variance(values) {
  let mean = 0;
  for (const value of values) mean += value;
  mean /= values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return squares / values.length;
}
