// What the time machine reads off a sentence at one moment of a training.

/**
 * The mean of all heads of all layers; [layer][head][query] rows → [query] rows.
 * @param {Matrix[][]} layers
 */
export function averageHeads(layers) {
  const heads = layers.flat();
  return heads[0].map((row, query) =>
    Array.from(
      row,
      (_, key) => heads.reduce((sum, head) => sum + head[query][key], 0) / heads.length,
    ),
  );
}

/**
 * How decided a head is: the largest weight of a row, averaged over the rows.
 * @param {(Float32Array | number[])[]} rows
 */
export function decidedness(rows) {
  return rows.reduce((sum, row) => sum + Math.max(...row), 0) / rows.length;
}

/**
 * The loss of a sentence in nats per word, from the probability that each right word was given.
 * @param {number[]} probabilities
 */
export function sentenceLoss(probabilities) {
  return (
    -probabilities.reduce((sum, probability) => sum + Math.log(probability), 0) /
    probabilities.length
  );
}
