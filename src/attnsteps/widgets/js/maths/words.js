// Text ↔ words, by the rules of Python's `Words`, and the search for a word by how it sounds or
// what it means.

/** Chinese and its marks. */
const UNSPACED =
  "\\u3000-\\u30ff\\u3400-\\u9fff\\uf900-\\ufaff\\uff00-\\uffef\\u{20000}-\\u{3ffff}";
/** What Python takes for white space; \\s is not quite the same. For use inside [ ]. */
export const WHITE =
  "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const LETTER = `(?:(?![${UNSPACED}])[\\p{L}\\p{N}_])`;

const LETTERS = new RegExp(`${LETTER}+`, "uy");
const SIGN = new RegExp(`[^${WHITE}]`, "uy");
const ENDS_IN_LETTER = new RegExp(`${LETTER}$`, "u");

/**
 * What a sticky expression finds at a place of a text, or an empty text.
 * @param {RegExp} expression @param {string} text @param {number} place
 */
function foundAt(expression, text, place) {
  expression.lastIndex = place;
  return expression.exec(text)?.[0] ?? "";
}

/**
 * The longest known word at each place; what is not known becomes a run of letters, or one sign.
 * @param {string} text
 * @param {string[]} vocabulary empty: the text is split at white space
 */
export function splitWords(text, vocabulary) {
  if (vocabulary.length === 0) return text.split(new RegExp(`[${WHITE}]+`, "u")).filter(Boolean);
  const known = new Set(vocabulary);
  const longest = Math.max(...vocabulary.map((word) => word.length));
  /** A word ends where its letters end. @param {string} word @param {number} end */
  const fits = (word, end) =>
    known.has(word) && !(ENDS_IN_LETTER.test(word) && foundAt(LETTERS, text, end));
  const words = [];
  for (let place = 0; place < text.length; ) {
    let end = Math.min(place + longest, text.length);
    while (end > place && !fits(text.slice(place, end), end)) end -= 1;
    const word =
      text.slice(place, end) || foundAt(LETTERS, text, place) || foundAt(SIGN, text, place);
    if (word) words.push(word);
    place += word.length || 1;
  }
  return words;
}

/**
 * What stands before each word where they are put together: a space before a letter that follows
 * anything but Chinese, or between all of them where none is known; otherwise nothing.
 * @param {string[]} words
 * @param {string[]} vocabulary
 */
export function gapsBefore(words, vocabulary) {
  if (vocabulary.length === 0) return words.map((_, n) => (n === 0 ? "" : " "));
  const startsInLetter = new RegExp(`^${LETTER}`, "u");
  const endsSpaced = new RegExp(`[^${UNSPACED}]$`, "u");
  let before = "";
  return words.map((word) => {
    const gap = startsInLetter.test(word) && endsSpaced.test(before) ? " " : "";
    before = word || before;
    return gap;
  });
}

/**
 * Letters without their tone marks and spaces, in lower case: "dòngwù" → "dongwu".
 * @param {string} text
 */
export function plainLetters(text) {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f\s'’]/g, "")
    .toLowerCase();
}

/**
 * Known words that begin with what was typed, in Chinese, in pinyin, or in English.
 * @param {string} typed
 * @param {[string, string, string][]} entries Chinese, pinyin, gloss
 * @param {number} most
 * @returns {[string, string, string][]} exact matches first, then by sound, then by meaning; short
 *        words first
 */
export function findWords(typed, entries, most) {
  const wanted = plainLetters(typed);
  if (!wanted) return [];
  const ranked = entries.flatMap((entry, place) => {
    const sounds = [entry[0], plainLetters(entry[1])];
    const meanings = entry[2].toLowerCase().split(/[^\p{L}\p{N}]+/u);
    const rank = [...sounds, ...meanings].includes(wanted)
      ? 0
      : sounds.some((form) => form.startsWith(wanted))
        ? 1
        : meanings.some((form) => form.startsWith(wanted))
          ? 2
          : null;
    return rank === null ? [] : [{ entry, key: [rank, entry[0].length, place] }];
  });
  ranked.sort((a, b) => a.key[0] - b.key[0] || a.key[1] - b.key[1] || a.key[2] - b.key[2]);
  return ranked.slice(0, most).map(({ entry }) => entry);
}
