// How a tensor is laid out in memory while it is cut into heads and put together again.

/**
 * The strides of a tensor whose numbers lie in the order of its shape: the last axis step by step.
 * @param {number[]} shape
 */
export function stridesOf(shape) {
  return shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1));
}

/**
 * Whether these strides go through memory in order; an axis of size 1 takes no step.
 * @param {number[]} shape @param {number[]} strides
 */
export function isInOrder(shape, strides) {
  return stridesOf(shape).every((stride, axis) => shape[axis] === 1 || strides[axis] === stride);
}

/**
 * Where in memory an entry lies: Σ index · stride.
 * @param {number[]} indices @param {number[]} strides
 */
export function addressOf(indices, strides) {
  return indices.reduce((sum, index, axis) => sum + index * strides[axis], 0);
}

/**
 * Two axes change places; `list` is a shape, strides or indices.
 * @param {number[]} list @param {number} a @param {number} b
 */
export function swapped(list, a, b) {
  return list.map((value, axis) => (axis === a ? list[b] : axis === b ? list[a] : value));
}

/**
 * Multi-head attention for one sentence, as PyTorch's tensors go through it.
 * @param {number} numWords @param {number} numHeads @param {number} width
 * @returns {HeadStep[]} axes: t a word, h a head, i a number
 */
export function headSteps(numWords, numHeads, width) {
  const wide = [1, numWords, numHeads * width];
  const cut = [1, numWords, numHeads, width];
  const byHead = swapped(cut, 1, 2);
  /** @param {number[]} strides */
  const byWord = (strides) => swapped(strides, 1, 2);
  const isCopied = !isInOrder(cut, byWord(stridesOf(byHead)));
  /** @param {number[]} shape */
  const text = (shape) => `(${shape.join(", ")})`;
  /**
   * @type {[string, HeadStep["holds"], HeadStep["axes"], number[], number[], HeadStep["memory"]][]}
   */
  const steps = [
    ["q = x @ W_q", "q", "ti", wide, stridesOf(wide), "new"],
    [`q.view${text(cut)}`, "q", "thi", cut, stridesOf(cut), "same"],
    [".transpose(1, 2)", "q", "hti", byHead, byWord(stridesOf(cut)), "same"],
    ["context = weights @ v", "context", "hti", byHead, stridesOf(byHead), "new"],
    ["context.transpose(1, 2)", "context", "thi", cut, byWord(stridesOf(byHead)), "same"],
    [
      ".contiguous()",
      "context",
      "thi",
      cut,
      isCopied ? stridesOf(cut) : byWord(stridesOf(byHead)),
      isCopied ? "copied" : "same",
    ],
    [`.view${text(wide)}`, "context", "ti", wide, stridesOf(wide), "same"],
  ];
  return steps.map(([code, holds, axes, shape, strides, memory]) => ({
    code,
    holds,
    axes,
    shape,
    strides,
    inOrder: isInOrder(shape, strides),
    memory,
  }));
}

/**
 * Where the piece of one word and one head begins.
 * @param {Pick<HeadStep, "axes" | "strides">} step one of headSteps
 * @param {number} word @param {number} head @param {number} width
 * @returns {{address: number, factors: [number, number][]}} factors: index and stride of each axis
 *        but the last
 */
export function pieceOf({ axes, strides }, word, head, width) {
  /** @type {Record<string, number>} */
  const index = { t: word, h: head, i: 0 };
  const indices = [0, ...[...axes].map((axis) => index[axis])];
  if (axes === "ti") indices[2] = head * width; // here the heads are no axis of their own
  return {
    address: addressOf(indices, strides),
    factors: indices.map((each, axis) => [each, strides[axis]]),
  };
}

/**
 * In how many runs the pieces of one head lie in memory.
 * @param {Pick<HeadStep, "axes" | "strides">} step @param {number} numWords @param {number} head
 * @param {number} width
 */
export function runsOf(step, numWords, head, width) {
  const starts = Array.from(
    { length: numWords },
    (_, word) => pieceOf(step, word, head, width).address,
  );
  return starts.filter((start) => !starts.includes(start - width)).length;
}
