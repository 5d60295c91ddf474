// Text ↔ subwords of bytes, by the rules of Python's `Subwords`: a token shows each of its bytes as
// one printable character.

const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}¹²³¼½¾"; // for use inside [ ]
const SPACE = "\\t-\\r\\x85\\p{Z}";
const PIECE = new RegExp(`[${SPACE}]?[${WORD}]+|[${SPACE}]?[^${WORD}${SPACE}]+|[${SPACE}]+`, "gu");

/** The character that stands for each byte: its own where that is printable, or one from 256 on. */
const SIGNS = (() => {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = /[!-~¡-¬®-ÿ]/.test(String.fromCharCode(byte));
    return String.fromCharCode(isPrintable ? byte : next++);
  });
})();
const BYTES = new Map(SIGNS.map((sign, byte) => [sign, byte]));

/** The rank of each merge; a token holds no space. @type {WeakMap<Merge[], Map<string, number>>} */
const ranks = new WeakMap();

/** @param {Merge[]} merges */
function ranksOf(merges) {
  const found = ranks.get(merges) ?? new Map(merges.map((pair, rank) => [pair.join(" "), rank]));
  ranks.set(merges, found);
  return found;
}

/**
 * @param {string} text @param {Merge[]} merges
 * @returns {string[]}
 */
export function splitSubwords(text, merges) {
  const order = ranksOf(merges);
  const bytes = new TextEncoder();
  return (text.match(PIECE) ?? []).flatMap((piece) => {
    const tokens = Array.from(bytes.encode(piece), (byte) => SIGNS[byte]);
    for (;;) {
      const pairs = tokens.slice(1).map((right, i) => order.get(`${tokens[i]} ${right}`));
      const best = Math.min(...pairs.map((rank) => rank ?? Infinity));
      if (best === Infinity) return tokens;
      const place = pairs.indexOf(best); // the first of equal ones
      tokens.splice(place, 2, tokens[place] + tokens[place + 1]);
    }
  });
}

/**
 * What each token adds to the text: nothing while a character is not whole, and U+FFFD for bytes
 * that never make one.
 * @param {string[]} tokens
 */
export function subwordTexts(tokens) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return tokens.map((token, n) => {
    const bytes = Uint8Array.from(token, (sign) => BYTES.get(sign) ?? 0xff);
    return decoder.decode(bytes, { stream: n < tokens.length - 1 });
  });
}

/**
 * What to call each token: its text, after a dash where it goes on with a word; of a character that
 * is in several tokens, which part each is; or its bytes, where these make no character.
 * @param {string[]} tokens
 */
export function subwordNames(tokens) {
  const inLetters = "(?!\\p{Script=Han})[\\p{L}\\p{N}]";
  const [ends, begins] = [new RegExp(`${inLetters}$`, "u"), new RegExp(`^${inLetters}`, "u")];
  let before = "";
  return wholeTexts(tokens).flatMap(({ run, text }) => {
    const goesOn = ends.test(before) && begins.test(text);
    before = text;
    if (text.includes("\ufffd")) return run.map(bytesOf);
    if (run.length > 1) return run.map((_, n) => `${text} ${n + 1}/${run.length}`);
    return [`${goesOn ? "‑" : ""}${text.trim() || "␣"}`];
  });
}

/**
 * Tokens with their texts, those together that only together are whole characters.
 * @param {string[]} tokens
 */
function wholeTexts(tokens) {
  /** @type {{run: string[], text: string}[]} */
  const found = [];
  for (const token of tokens) {
    const last = found.at(-1);
    if (last?.text.includes("\ufffd") && isPartial(token)) last.run.push(token);
    else found.push({ run: [token], text: "" });
    const { run } = /** @type {{run: string[]}} */ (found.at(-1));
    found[found.length - 1].text = subwordTexts([run.join("")])[0];
  }
  return found;
}

/** @param {string} token */
function isPartial(token) {
  return subwordTexts([token])[0].includes("\ufffd");
}

/** A token's bytes as they are written: E5·8A. @param {string} token */
function bytesOf(token) {
  return Array.from(token, (sign) =>
    (BYTES.get(sign) ?? 0).toString(16).toUpperCase().padStart(2, "0"),
  ).join("·");
}
