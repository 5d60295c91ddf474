// How far a translation is from the right one, counted in words.

/**
 * The fewest words to put in, take out or replace until one sentence is the other.
 * @param {string[]} words @param {string[]} wanted
 * @returns {number}
 */
export function wordEdits(words, wanted) {
  let row = Array.from({ length: wanted.length + 1 }, (_, j) => j);
  for (let i = 1; i <= words.length; i += 1) {
    const above = row;
    row = [i];
    for (let j = 1; j <= wanted.length; j += 1) {
      const replaced = above[j - 1] + (words[i - 1] === wanted[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, above[j] + 1, row[j - 1] + 1));
    }
  }
  return row[wanted.length];
}
