// Text ↔ tokens, by the rules of whichever tokenizer a model came with, and what to call a token.
import { splitSubwords, subwordNames, subwordTexts } from "./subwords.js";
import { gapsBefore, splitWords } from "./words.js";

/**
 * @param {string} text @param {Tokenizer} tokenizer
 * @returns {string[]}
 */
export function splitText(text, tokenizer) {
  if (tokenizer.kind === "Subwords") return splitSubwords(text, tokenizer.merges);
  return tokenizer.kind === "Characters" ? [...text] : splitWords(text, tokenizer.known);
}

/**
 * What each token adds to a text, and the space before it.
 * @param {string[]} tokens @param {Tokenizer} tokenizer
 * @returns {{gap: string, text: string}[]}
 */
export function writtenTokens(tokens, tokenizer) {
  if (tokenizer.kind === "Subwords") {
    return subwordTexts(tokens).map((text) => ({
      gap: text.slice(0, text.length - text.trimStart().length),
      text: text.trimStart(),
    }));
  }
  const gaps = tokenizer.kind === "Words" ? gapsBefore(tokens, tokenizer.known) : [];
  return tokens.map((text, n) => ({ gap: gaps[n] ?? "", text }));
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
  return tokenizer.kind === "Subwords" ? subwordNames(tokens) : tokens;
}
