// What people type → sentences that a model can read, step by step as Python's `Reading` does it.

const HAN = "\\u3007\\u3400-\\u9fff\\u{20000}-\\u{3ffff}";
const SPACES = /[ \t-\r\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu;
const LINES = "\\n-\\r\\x1c-\\x1e\\x85\\u2028\\u2029"; // what ends them
const LINE_ENDS = new RegExp(`\\r\\n|[${LINES}]`, "u");
const NEEDLESS = new RegExp(`([${HAN}]) | (?=[${HAN}.,!?:;)])`, "gu");
const CLOSING = "[\"'”’」』)]*";
const SENTENCE = new RegExp(
  `.*?(?:[。!?…]+${CLOSING}|\\.+${CLOSING}(?=[\\s\\x1c-\\x1f\\x85${HAN}]|$))|.+`,
  "gu",
);
const CLAUSE = /.{11,}?[,;]|.+/gu;
const LONG = 60; // a sentence of more characters is cut after its commas, too

/** @type {[string, string][]} */
const TO_ASCII = [
  ["。", "."],
  ["、", ","],
  ["〜", "~"],
  ["“”„‟«»「」『』《》〈〉", '"'],
  ["‘’‛\u0060", "'"],
  ["‐‑‒–—―−", "-"],
  ["【〔", "("],
  ["】〕", ")"],
  ["·•・", " "],
];
const MARKS = new Map(TO_ASCII.flatMap(([marks, ascii]) => [...marks].map((m) => [m, ascii])));

/**
 * A sentence in the one form that the model knows: simplified characters, plain punctuation, no
 * spaces beside Chinese.
 * @param {string} text @param {TextReading} reading
 */
export function plainText(text, { simplified: [old, plain] }) {
  const written = [...plain];
  const table = new Map([...old].map((sign, n) => [sign, written[n]]));
  const signs = Array.from(text.normalize("NFKC"), (sign) => {
    const simple = table.get(sign) ?? sign;
    return MARKS.get(simple) ?? simple;
  });
  return signs
    .join("")
    .replace(SPACES, " ")
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .replace(SPACES, " ")
    .replace(NEEDLESS, "$1")
    .trim();
}

/**
 * The sentences of a text in the plain form; a very long one is cut after its commas, too.
 * @param {string} text @param {TextReading} reading
 */
export function sentencesOf(text, reading) {
  return text
    .split(LINE_ENDS)
    .flatMap((line) => line.normalize("NFKC").match(SENTENCE) ?? [])
    .map((piece) => plainText(piece, reading))
    .flatMap((piece) => ([...piece].length > LONG ? (piece.match(CLAUSE) ?? []) : [piece]))
    .map((piece) => piece.trim())
    .filter(Boolean);
}

/**
 * A sentence without the characters that training never saw, and these.
 * @param {string} text @param {TextReading} reading
 */
export function readable(text, reading) {
  const seen = new Set(reading.characters);
  const signs = [...plainText(text, reading)];
  return {
    text: signs.filter((sign) => seen.has(sign)).join(""),
    leftOut: signs.filter((sign) => !seen.has(sign)),
  };
}
