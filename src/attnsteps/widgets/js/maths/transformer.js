// Shapes, parameters and operations of every block of the Transformer, from its sizes alone.
// A block is { kind, part, tq, tk, layered }; sizes are { B, S, T, D, H, Dff, N, V, Vsrc, tie }.

/**
 * The size of an axis; a number stands for itself, as in (B, 1, 1, S).
 * @param {string} axis @param {ModelSizes} sizes
 * @returns {number}
 */
export function axisSize(axis, sizes) {
  if (axis === "Dk" || axis === "Dv") return sizes.D / sizes.H;
  return sizes[/** @type {SizeName} */ (axis)] ?? Number(axis);
}

/** A shape such as "B H S Dk" as numbers. @param {string} axes @param {ModelSizes} sizes */
export function shapeOf(axes, sizes) {
  return axes.split(" ").map((axis) => axisSize(axis, sizes));
}

/**
 * Of how many numbers a tensor of that shape consists.
 * @param {string} axes @param {ModelSizes} sizes
 */
export function numbersIn(axes, sizes) {
  return shapeOf(axes, sizes).reduce((product, size) => product * size, 1);
}

/** How often a block stands in the model. @param {ModelBlock} block @param {ModelSizes} sizes */
export function copiesOf({ layered }, sizes) {
  return layered ? sizes.N : 1;
}

/**
 * The parameters of one copy of a block; those of a shared table are counted where it is first
 * used.
 * @param {ModelBlock} block @param {ModelSizes} sizes
 */
export function parametersOf({ kind, part }, { D, Dff, V, Vsrc, tie }) {
  switch (kind) {
    case "embedding":
      if (part === "encoder") return Vsrc * D;
      return tie === "all" ? 0 : V * D;
    case "attention":
      return 4 * (D * D + D);
    case "norm":
      return 2 * D;
    case "feed_forward":
      return 2 * D * Dff + Dff + D;
    case "projection":
      return tie === "none" ? V * D : 0;
    default:
      return 0;
  }
}

/**
 * The floating-point operations of one copy of a block in one forward pass: two for each term of a
 * product of matrices, and nothing for the rest, which is small beside it.
 * @param {ModelBlock} block @param {ModelSizes} sizes
 */
export function flopsOf({ kind, tq, tk }, sizes) {
  const { B, D, Dff, V } = sizes;
  switch (kind) {
    case "attention":
      return B * (4 * (sizes[tq] + sizes[tk]) * D * D + 4 * sizes[tq] * sizes[tk] * D);
    case "feed_forward":
      return B * 4 * sizes[tq] * D * Dff;
    case "projection":
      return B * 2 * sizes[tq] * D * V;
    default:
      return 0;
  }
}

/**
 * The same for all blocks together, every layer counted.
 * @param {ModelBlock[]} blocks @param {ModelSizes} sizes
 */
export function totalsOf(blocks, sizes) {
  /** @param {(block: ModelBlock, sizes: ModelSizes) => number} count */
  const sum = (count) =>
    blocks.reduce((total, block) => total + copiesOf(block, sizes) * count(block, sizes), 0);
  return { parameters: sum(parametersOf), flops: sum(flopsOf) };
}
