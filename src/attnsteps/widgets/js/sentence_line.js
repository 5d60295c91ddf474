// The reader's own sentence, as every widget around a trained model has it: the line to write on, what
// the glossary says of its words, and their ids.
import { composer } from "./composer.js";
import { splitWords } from "./maths/words.js";
import { button, el } from "./ui.js";

const NUM_SPECIALS = 5; // as in attnsteps.text.vocab
const UNK_ID = 3;

/**
 * @param {{model: object, onchange: (text: string) => void}} options model: the widget's traits text and
 *        glossary, and twins and first where there is a button for them; onchange: the reader has written
 *        another sentence
 */
export function sentenceLine({ model, onchange }) {
  const glossary = model.get("glossary");
  const entryOf = (zh) => [zh, ...(Object.hasOwn(glossary, zh) ? glossary[zh] : ["", ""])];
  let entries = Object.keys(glossary).map(entryOf);
  const isSaid = (word) => /\p{L}/u.test(word); // unlike a comma
  const gloss = (word) => (isSaid(word) ? entryOf(word)[2] : "");
  const line = composer({
    label: "A sentence in Chinese. You can also type pinyin or English, and pick a word.",
    entries: () => entries,
    onchange: (text) => { if (text !== model.get("text")) onchange(text); },
  });

  /** The sentence with the other one of two words; or the first sentence, if it has neither. */
  function swapped() {
    const text = model.get("text");
    const [one, other] = model.get("twins");
    const [from, to] = text.includes(one) ? [one, other] : [other, one];
    return text.includes(from) ? text.replace(from, to) : model.get("first");
  }

  const twins = { swap: el("span"), back: el("span"), button: null };

  return {
    node: line.node,
    gloss,
    reading: (word) => (isSaid(word) ? entryOf(word)[1] : ""),
    named: (word) => (gloss(word) ? `${word}, ${gloss(word)}` : word),
    /** Show the sentence that the trait holds. */
    show() {
      line.set(model.get("text"));
      if (!twins.button) return;
      const [one, other] = model.get("twins");
      const isThere = [one, other].some((word) => model.get("text").includes(word));
      twins.swap.hidden = !isThere;
      twins.back.hidden = isThere;
      twins.button.setAttribute("aria-label", isThere ? `Swap ${one} (${gloss(one)}) and ${other} (${gloss(other)})`
        : `Back to ${model.get("first")}`);
    },
    /** Offer the words of a model that has been loaded. */
    offer(srcTokens) { entries = srcTokens.slice(NUM_SPECIALS).map(entryOf); },
    /** A button that swaps two words of the sentence, or brings the first sentence back; null where the model lacks one of the two. */
    twinsButton(onswap, label = ([one, other]) => [`${one} ↔ ${other}`]) {
      if (!model.get("twins").length) return null;
      twins.swap.append(...label(model.get("twins")));
      twins.back.textContent = `${model.get("first").slice(0, 4)} …`;
      twins.button = button("", () => onswap(swapped()));
      twins.button.append(twins.swap, twins.back);
      return twins.button;
    },
    /**
     * Split the sentence into the words of a model.
     * @returns {{words: string[], ids: number[], isUnknown: boolean[], strange: string[]}} strange: the
     *          words that the model does not know, each once
     */
    read({ srcTokens, splitter }) {
      const text = model.get("text");
      const words = splitter.kind === "Characters" ? [...text] : splitWords(text, splitter.known);
      const places = words.map((word) => srcTokens.indexOf(word));
      const isUnknown = places.map((place) => place < NUM_SPECIALS);
      return {
        words, isUnknown,
        ids: places.map((place, n) => (isUnknown[n] ? UNK_ID : place)),
        strange: [...new Set(words.filter((_, n) => isUnknown[n]))],
      };
    },
  };
}

/** Hands out one of many things at each call, in no order and never the one that is there. */
export function shuffler(things) {
  return (present) => {
    const others = things.filter((thing) => thing !== present);
    return others.length ? others[Math.floor(Math.random() * others.length)] : present;
  };
}

/** What there is to say of words that a model does not know; nothing, if it knows them all. */
export function strangeNote(strange, { srcTokens }) {
  return strange.length === 0 ? "" : `Not among the ${srcTokens.length - NUM_SPECIALS} words this model knows: ${strange.join(", ")}. `
    + `${strange.length > 1 ? "They are all" : "It is"} read as the sign for an unknown word.`;
}
