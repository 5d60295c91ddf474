// The file that Python's `Trained.save` writes, as a reader brings it. It is checked before it is
// used, and what the page can't compute is refused in one sentence.

import { SPECIAL_TOKENS } from "./maths/byte_pairs.js";
import { headerOf } from "./maths/model/safetensors.js";
import { intactModel, vocabularyOf } from "./translating.js";

export const MOST_PARAMETERS = 20_000_000; // as in attnsteps.widgets.live_model
export const MOST_BYTES = 4 * MOST_PARAMETERS + 10_000_000; // float32, and what is beside them
const FORMAT = "attnsteps.trained";
const CHECKPOINT = "attnsteps.checkpoint";
const VERSION = "1";
const SIZES = [
  "src_vocab_size",
  "tgt_vocab_size",
  "d_model",
  "num_heads",
  "num_encoder_layers",
  "num_decoder_layers",
  "d_ff",
  "max_len",
];
/** What the page can compute, by the name of the option. @type {Record<string, unknown[]>} */
const KNOWN = {
  norm: ["post", "pre"],
  activation: ["relu", "gelu", "swiglu"],
  norm_kind: ["layer"],
  bias: [true],
  num_kv_heads: [null],
  window: [null],
  num_experts: [1],
  experts_per_token: [1],
  positions: ["sinusoidal", "learned"],
  tie: ["none", "target", "all"],
  final_norm: [false, true],
  causal: [true],
  pad_id: [0],
  bos_id: [1],
  eos_id: [2],
  mask_id: [null, 4],
};
const UNSEEN = ["dropout"]; // matters in training only
/** @type {Record<string, string>} */
const CALLED = {
  norm_kind: "RMSNorm",
  bias: "layers without biases",
  num_kv_heads: "key heads that queries share",
  window: "attention in a window",
  num_experts: "a mixture of experts",
  experts_per_token: "a mixture of experts",
  positions: "rotary positions",
  causal: "a decoder that sees the whole target",
};
/** Fields of each tokenizer. @type {Record<string, string[]>} */
const TOKENIZERS = {
  Words: ["known"],
  Characters: [],
  BytePairs: ["merges"],
  Subwords: ["merges"],
};

/**
 * Read the file of a translator.
 * @param {ArrayBuffer} buffer
 * @returns {Promise<{model: LoadedTransformer, vocabulary: Vocabulary, parameters: number}>}
 * @throws {Error} one sentence for the reader
 */
export async function openTranslator(buffer) {
  const { metadata, entries } = headerOf(buffer);
  checkFormat(metadata);
  const bundle = bundleOf(metadata.config);
  checkConfig(bundle.model);
  checkTexts(bundle);
  const parameters = parametersOf(entries);
  if (parameters > MOST_PARAMETERS) {
    const [got, most] = [parameters, MOST_PARAMETERS].map(inMillions);
    throw new Error(`Its model has ${got} million parameters; at most ${most} million fit a page.`);
  }
  const model = await intactModel(buffer);
  return { model, vocabulary: vocabularyOf(model), parameters };
}

/** @param {number} count */
export function inMillions(count) {
  return (count / 1e6).toFixed(count < 1e5 ? 2 : 1);
}

/** @param {Record<string, string>} metadata */
function checkFormat({ format, format_version: version, sha256 }) {
  if (format === CHECKPOINT) {
    throw new Error(
      "This is the checkpoint of a training run; its translator is model.safetensors beside it.",
    );
  }
  if (format !== FORMAT) {
    const found = format === undefined ? "names no format" : `has the format “${format}”`;
    throw new Error(`This safetensors file ${found}; a translator of this book has “${FORMAT}”.`);
  }
  if (version !== VERSION) {
    throw new Error(`It has the format version ${version}; this page reads version ${VERSION}.`);
  }
  if (!sha256) throw new Error("It is damaged: its checksum is missing.");
}

/**
 * @param {string} text
 * @returns {Bundle & {class?: string, model: Record<string, unknown>}}
 */
function bundleOf(text) {
  const bundle = parsed(text);
  const isModel = bundle?.model !== null && typeof bundle?.model === "object";
  if (!isModel) throw new Error("It is damaged: it doesn’t describe its model.");
  if (bundle.class !== "Transformer") {
    throw new Error(
      `Its model is a ${bundle.class}; this translator runs a Transformer, word by word.`,
    );
  }
  return bundle;
}

/** @param {unknown} text */
function parsed(text) {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}

/** @param {Record<string, unknown>} config */
function checkConfig(config) {
  const sizes = Object.fromEntries(SIZES.map((name) => [name, config[name]]));
  for (const [name, size] of Object.entries(sizes)) {
    if (!Number.isSafeInteger(size) || Number(size) < 1)
      throw new Error(`It is damaged: ${name} is ${JSON.stringify(size)}.`);
  }
  if (Number(sizes.d_model) % Number(sizes.num_heads))
    throw new Error("It is damaged: d_model isn’t a multiple of num_heads.");
  for (const [name, value] of Object.entries(config)) {
    if (SIZES.includes(name) || UNSEEN.includes(name)) continue;
    if (Object.hasOwn(KNOWN, name) && KNOWN[name].includes(value)) continue;
    const option = `${name} = ${JSON.stringify(value)}`;
    const called = Object.hasOwn(CALLED, name) ? `${CALLED[name]} (${option})` : option;
    throw new Error(`Its model has ${called}, which this page can’t compute.`);
  }
}

/**
 * The vocabularies, the tokenizers and the reading, each as Python writes it.
 * @param {Bundle & {model: Record<string, unknown>}} bundle
 */
function checkTexts({ model, src_vocab, src_tokenizer, reading, ...shared }) {
  const { tgt_vocab = src_vocab, tgt_tokenizer = src_tokenizer } = shared;
  checkVocabulary("src_vocab", src_vocab, model.src_vocab_size);
  checkVocabulary("tgt_vocab", tgt_vocab, model.tgt_vocab_size);
  for (const text of [src_tokenizer, tgt_tokenizer]) checkTokenizer(parsed(text));
  if (reading === undefined) return;
  const [old, plain] = Array.isArray(reading?.simplified) ? reading.simplified : [];
  const lengths = [old, plain].map((text) => [...String(text)].length);
  const isText = isTexts([reading?.characters]) && typeof old === "string";
  if (!isText || typeof plain !== "string" || lengths[0] !== lengths[1])
    throw new Error("It is damaged: its reading isn’t one.");
}

/** @param {string} name @param {unknown} tokens @param {unknown} size */
function checkVocabulary(name, tokens, size) {
  if (!isTexts(tokens) || SPECIAL_TOKENS.some((token, n) => tokens[n] !== token))
    throw new Error(`It is damaged: its ${name} isn’t a vocabulary.`);
  if (tokens.length !== size || new Set(tokens).size !== size)
    throw new Error(`It is damaged: its ${name} hasn’t as many tokens as its model.`);
}

/** @param {Record<string, unknown> | null} tokenizer */
function checkTokenizer(tokenizer) {
  const kind = String(tokenizer?.kind);
  if (!Object.hasOwn(TOKENIZERS, kind))
    throw new Error(
      `Its tokenizer is ${kind}; this page has ${Object.keys(TOKENIZERS).join(", ")}.`,
    );
  /** @param {unknown} item */
  const fits = (item) =>
    kind === "Words" ? typeof item === "string" : isTexts(item) && item.length === 2;
  for (const field of TOKENIZERS[kind]) {
    const items = tokenizer?.[field];
    if (!Array.isArray(items) || !items.every(fits))
      throw new Error(`It is damaged: its ${kind} have no ${field}.`);
  }
}

/** @param {unknown} value @returns {value is string[]} */
function isTexts(value) {
  return Array.isArray(value) && value.every((each) => typeof each === "string" && each !== "");
}

/**
 * How many numbers the tensors hold, without the scales of 8 bits.
 * @param {Record<string, HeaderEntry>} entries
 */
function parametersOf(entries) {
  const sizes = Object.entries(entries).map(([name, entry]) => {
    const isScale = name.endsWith(".scale") && Object.hasOwn(entries, name.slice(0, -6));
    return isScale ? 0 : [...(entry?.shape ?? [])].reduce((product, axis) => product * axis, 1);
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}
