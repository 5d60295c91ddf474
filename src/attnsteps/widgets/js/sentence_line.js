// The reader's own sentence, as every widget around a trained model has it: the line to write on,
// what the glossary says of its words, and their ids.
import { composer } from "./composer.js";
import { SPECIAL_TOKENS, UNK_ID } from "./maths/byte_pairs.js";
import { readable, sentencesOf } from "./maths/reading.js";
import { joinTokens, splitText, tokenNames } from "./maths/tokens.js";
import { button, el } from "./ui.js";

const NUM_SPECIALS = SPECIAL_TOKENS.length;
const CHINESE = "A sentence in Chinese. You can also type pinyin or English, and pick a word.";
const ANY = "A sentence in the language that your translator reads.";

/**
 * @param {{model: WidgetModel, onchange: (text: string) => void}} options model: the widget's
 *        traits
 *        text and glossary, and twins and first where there is a button for them; onchange: the
 *        reader has written another sentence
 */
export function sentenceLine({ model, onchange }) {
  const glossary = model.get("glossary");
  /** @type {(zh: string) => Entry} */
  const entryOf = (zh) => {
    const [pinyin, meaning] = Object.hasOwn(glossary, zh) ? glossary[zh] : ["", ""];
    return [zh, pinyin, meaning];
  };
  /** @param {string} word */
  const isSpoken = (word) => /\p{L}/u.test(word); // unlike a comma
  /** @param {string} word */
  const gloss = (word) => (isSpoken(word) ? entryOf(word)[2] : "");
  let entries = Object.keys(glossary).map(entryOf);
  const line = composer({
    label: CHINESE,
    entries: () => entries,
    onchange: (text) => {
      if (text !== model.get("text")) onchange(text);
    },
  });
  /** @type {ReturnType<typeof twinsSwitch> | null} */
  let twins = null;

  return {
    node: line.node,
    gloss,
    /** @param {string} word */
    reading: (word) => (isSpoken(word) ? entryOf(word)[1] : ""),
    /** @param {string} word */
    named: (word) => (gloss(word) ? `${word}, ${gloss(word)}` : word),
    /** Show the sentence that the trait holds. */
    show() {
      line.set(model.get("text"));
      twins?.show();
    },
    /**
     * Offer the words of a model that has been loaded; pieces of words are none. Of a model that
     * does not read Chinese nothing is known, so nothing is offered.
     * @param {Vocabulary} vocabulary
     */
    offer(vocabulary) {
      const { srcTokens, splitter } = vocabulary;
      const { src: lang } = languagesOf(vocabulary);
      const isChinese = lang === "zh";
      const hasWords = splitter.kind === "Words" || splitter.kind === "Characters";
      const offered = hasWords ? srcTokens.slice(NUM_SPECIALS) : Object.keys(glossary);
      entries = isChinese ? offered.map(entryOf) : [];
      line.ask(isChinese ? CHINESE : ANY, lang);
    },
    /**
     * A button that swaps two words of the sentence, or brings the first sentence back; null where
     * the model lacks one of the two.
     * @param {(text: string) => void} onswap @param {(twins: string[]) => Child[]} [label]
     */
    twinsButton(onswap, label = ([one, other]) => [`${one} ↔ ${other}`]) {
      if (!model.get("twins").length) return null;
      twins = twinsSwitch({ model, gloss, onswap, label });
      return twins.node;
    },
    /**
     * The sentences of the text; a model without a reading takes it as one.
     * @param {Vocabulary} vocabulary
     */
    read(vocabulary) {
      const text = model.get("text");
      const { reading } = vocabulary;
      return (reading ? sentencesOf(text, reading) : [text])
        .map((each) => sentenceOf(each, vocabulary))
        .filter(({ words, strange }) => words.length + strange.length > 0);
    },
  };
}

/**
 * @param {{model: WidgetModel, gloss: (word: string) => string, onswap: (text: string) => void,
 *          label: (twins: string[]) => Child[]}} options
 */
function twinsSwitch({ model, gloss, onswap, label }) {
  const [one, other] = model.get("twins");
  const swap = el("span", {}, ...label([one, other]));
  const back = el("span", {}, `${model.get("first").slice(0, 4)} …`);
  const node = button("", () => onswap(swapped()));
  node.append(swap, back);

  /** The sentence with the other one of two words; or the first sentence, if it has neither. */
  function swapped() {
    const text = model.get("text");
    const [from, to] = text.includes(one) ? [one, other] : [other, one];
    return text.includes(from) ? text.replace(from, to) : model.get("first");
  }
  return {
    node,
    show() {
      const isThere = [one, other].some((word) => model.get("text").includes(word));
      swap.hidden = !isThere;
      back.hidden = isThere;
      const swapping = `Swap ${one} (${gloss(one)}) and ${other} (${gloss(other)})`;
      node.setAttribute("aria-label", isThere ? swapping : `Back to ${model.get("first")}`);
    },
  };
}

/**
 * Whether a model has learned from Chinese sources.
 * @param {Vocabulary} vocabulary
 */
export function readsChinese({ srcTokens, splitter }) {
  return srcTokens.some((token) => /\p{Script=Han}/u.test(joinTokens([token], splitter)));
}

/**
 * The languages that a model reads and writes: those of the book, unless the reader has brought it.
 * @param {Vocabulary} vocabulary
 */
export function languagesOf({ own }) {
  return own ?? { src: "zh", tgt: "en" };
}

/**
 * Split a sentence into the tokens of a model.
 * @param {string} text @param {Vocabulary} vocabulary
 * @returns {Sentence}
 */
function sentenceOf(text, { srcTokens, splitter, reading }) {
  const read = reading ? readable(text, reading) : { text, leftOut: [] };
  const tokens = splitText(read.text, splitter);
  const places = tokens.map((token) => srcTokens.indexOf(token));
  const isUnknown = places.map((place) => place < NUM_SPECIALS);
  return {
    text,
    words: tokenNames(tokens, splitter),
    isUnknown,
    ids: places.map((place, n) => (isUnknown[n] ? UNK_ID : place)),
    strange: [...new Set([...read.leftOut, ...tokens.filter((_, n) => isUnknown[n])])],
  };
}

/**
 * Hands out one of many things at each call, in no order and never the one that is there.
 * @template Thing
 * @param {Thing[]} things
 * @returns {(present: Thing) => Thing}
 */
export function shuffler(things) {
  return (present) => {
    const others = things.filter((thing) => thing !== present);
    return others.length ? others[Math.floor(Math.random() * others.length)] : present;
  };
}

/**
 * What there is to say of words that a model does not know; nothing, if it knows them all.
 * @param {string[]} strange @param {Vocabulary} vocabulary
 */
export function strangeNote(strange, { srcTokens, splitter, reading }) {
  if (strange.length === 0) return "";
  const [listed, isOne] = [strange.join(", "), strange.length === 1];
  if (reading)
    return isOne
      ? `Left out, because this model has never seen it: ${listed}`
      : `Left out, because this model has never seen them: ${listed}`;
  const count = srcTokens.length - NUM_SPECIALS;
  return (
    `Not among the ${count} ${splitter.kind === "Words" ? "words" : "pieces"} this model knows: ` +
    `${listed}. ` +
    `${isOne ? "It is" : "They are all"} read as the token for unknown words.`
  );
}
