// Is a reader's answer right? The same rule as attnsteps.exercises.answer.

/**
 * Places (row-major) where `given` is not `answer`. Only numbers and cells allow for rounding.
 * @param {"number"|"choice"|"order"|"cells"} kind @param {number|number[]|number[][]} given
 * @param {number|number[]|number[][]} answer
 * @param {number} tolerance largest allowed distance of a number
 */
export function wrongPlaces(kind, given, answer, tolerance) {
  const slack = kind === "number" || kind === "cells" ? tolerance : 0;
  const got = [given].flat(2);
  return [answer]
    .flat(2)
    .flatMap((value, place) => (Math.abs(got[place] - value) <= slack ? [] : [place]));
}

/**
 * Whether `given` counts as `answer`.
 * @param {"number"|"choice"|"order"|"cells"} kind @param {number|number[]|number[][]} given
 * @param {number|number[]|number[][]} answer @param {number} tolerance
 */
export function isRight(kind, given, answer, tolerance) {
  return wrongPlaces(kind, given, answer, tolerance).length === 0;
}
