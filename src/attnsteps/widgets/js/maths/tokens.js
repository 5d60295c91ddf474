// Text ↔ tokens, by the rules of whichever tokenizer a model came with, and what to call a token.
import { applyMerges } from "./byte_pairs.js";
import { splitSubwords, subwordNames, subwordTexts } from "./subwords.js";
import { gapsBefore, splitWords } from "./words.js";

/**
 * @param {string} text @param {Tokenizer} tokenizer
 * @returns {string[]}
 */
export function splitText(text, tokenizer) {
  if (tokenizer.kind === "Subwords") return splitSubwords(text, tokenizer.merges);
  if (tokenizer.kind === "BytePairs") return applyMerges(text, tokenizer.merges);
  return tokenizer.kind === "Characters" ? [...text] : splitWords(text, tokenizer.known);
}

/**
 * What each token adds to a text, and the space before it.
 * @param {string[]} tokens @param {Tokenizer} tokenizer
 * @returns {{gap: string, text: string}[]}
 */
export function writtenTokens(tokens, tokenizer) {
  if (tokenizer.kind === "Subwords") return subwordTexts(tokens).map(withGap);
  if (tokenizer.kind === "BytePairs") return tokens.map(withGap);
  const gaps = tokenizer.kind === "Words" ? gapsBefore(tokens, tokenizer.known) : [];
  return tokens.map((text, n) => ({ gap: gaps[n] ?? "", text }));
}

/** A token that begins with its own space. @param {string} text */
function withGap(text) {
  return { gap: text.slice(0, text.length - text.trimStart().length), text: text.trimStart() };
}

/**
 * Tokens put together, as Python's `detokenize` does it.
 * @param {string[]} tokens @param {Tokenizer} tokenizer
 */
export function joinTokens(tokens, tokenizer) {
  return writtenTokens(tokens, tokenizer)
    .map(({ gap, text }) => gap + text)
    .join("");
}

/**
 * What to call each token.
 * @param {string[]} tokens @param {Tokenizer} tokenizer
 */
export function tokenNames(tokens, tokenizer) {
  if (tokenizer.kind === "Subwords") return subwordNames(tokens);
  return tokenizer.kind === "BytePairs" ? tokens.map((token) => token.trim() || "␣") : tokens;
}
