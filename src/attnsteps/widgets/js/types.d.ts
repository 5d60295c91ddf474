// The types that several modules speak of. They are for the linter alone: no widget loads this
// file.

// ── Numbers ────────────────────────────────────────────────────────────────────────────────────

type Vector = ArrayLike<number>;
type Matrix = ArrayLike<number>[];
/** What a model computes with: an array of rows, one for each position. */
type Rows = Float32Array[];
/** Weights of attention: [layer][head][query][key]. */
type HeadWeights = Float32Array[][][];

// ── A trained model ────────────────────────────────────────────────────────────────────────────

/** Python's TransformerConfig, with its own names. */
interface Config {
  src_vocab_size: number;
  tgt_vocab_size: number;
  d_model: number;
  d_ff: number;
  num_heads: number;
  num_encoder_layers: number;
  num_decoder_layers: number;
  max_len: number;
  norm: "pre" | "post";
  final_norm: boolean;
  activation: "relu" | "gelu" | "swiglu";
  positions: "sinusoidal" | "learned";
  tie: "all" | "target" | "none";
  causal: boolean;
  pad_id: number;
  bos_id: number;
  eos_id: number;
  mask_id: number | null;
}
interface Tensor {
  shape: number[];
  data: Float32Array;
}
interface Linear {
  weight: Rows;
  bias: Float32Array | null;
}
interface Norm {
  weight: Float32Array;
  bias: Float32Array;
}
interface Projections {
  wQ: Linear;
  wK: Linear;
  wV: Linear;
  wO: Linear;
}
interface FeedForward {
  w1: Linear;
  w2: Linear;
  w3: Linear | null;
}
interface EncoderLayer {
  attention: Projections;
  attentionNorm: Norm;
  feedForward: FeedForward;
  feedForwardNorm: Norm;
}
interface DecoderLayer {
  selfAttention: Projections;
  selfAttentionNorm: Norm;
  crossAttention: Projections;
  crossAttentionNorm: Norm;
  feedForward: FeedForward;
  feedForwardNorm: Norm;
}
interface Stack<Layer> {
  layers: Layer[];
  finalNorm: Norm | null;
}
/** The parameters of a model, in the order in which they are used. */
interface Transformer {
  config: Config;
  srcEmbedding: Rows;
  tgtEmbedding: Rows;
  srcPositions: Rows | null;
  tgtPositions: Rows | null;
  encoder: Stack<EncoderLayer>;
  decoder: Stack<DecoderLayer>;
  projection: Linear;
  lengthPredictor: (Linear & { precision: number }) | null;
}
/** What a file says beside the weights: of a Trained, its vocabularies and tokenizers, in JSON. */
interface Bundle {
  model?: Config;
  src_vocab?: string[];
  tgt_vocab?: string[];
  src_tokenizer?: string;
  tgt_tokenizer?: string;
  reading?: TextReading;
}
type LoadedTransformer = Transformer & { bundle: Bundle };

type Part = "encoder" | "decoder" | "cross";
/** Something to turn off; what is left out, or null, is meant for all. */
interface Block {
  part?: Part;
  layer?: number | null;
  head?: number | null;
  query?: number | null;
  key?: number | null;
}
interface KeysAndValues {
  k: Rows;
  v: Rows;
}
interface DecoderCache {
  length: number;
  layers: { own: KeysAndValues; cross: KeysAndValues }[];
}
/** The language model that writes digits, with its codebook. */
interface DigitModel {
  numHeads: number;
  embedding: Rows;
  positions: Rows;
  encoder: Stack<EncoderLayer>;
  entries: Rows;
}
interface StackOptions {
  numHeads: number;
  preNorm: boolean;
  activation: Config["activation"];
  causal: boolean;
  blocks: Block[];
}
interface DecoderWeights {
  decoder: HeadWeights;
  cross: HeadWeights;
}
/** A sentence in the making. */
interface Writing {
  model: Transformer;
  memory: Rows;
  encoderWeights: HeadWeights;
  ids: number[];
  cache: DecoderCache | null;
  blocks: Block[];
  multiplications: number;
}
/** Where one query looked: [layer][head][key]. */
type Looks = Float32Array[][];
/** A token of a translation, and what was seen when it was chosen. */
interface WrittenToken {
  id: number;
  logProbs: Float32Array;
  weights: { decoder: Looks; cross: Looks };
}

/** The beginning of a translation in a beam. */
interface Beginning {
  ids: number[];
  trail: WrittenToken[];
  logProb: number;
}

// ── Text ───────────────────────────────────────────────────────────────────────────────────────

/** A tokenizer of Python, as it is stored: words from a list, characters, or pairs of bytes. */
type Tokenizer =
  | { kind: "Words"; known: string[] }
  | { kind: "Characters" }
  | { kind: "BytePairs"; merges: Merge[] }
  | { kind: "Subwords"; merges: Merge[] };
/** How a model reads what people type: traditional characters and what they are read as; all
 * characters that its training has seen. */
interface TextReading {
  simplified: [string, string];
  characters: string;
}
/** A word of a glossary: Chinese, pinyin, gloss. */
type Entry = [string, string, string];

// ── The page ───────────────────────────────────────────────────────────────────────────────────

/** What anywidget gives to `render`: the traits that Python and the page share. */
interface WidgetModel {
  // The traits of each widget are its own, and Python checks them.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  get(name: string): any;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(type: string, listener: () => void): void;
  off(type: string, listener: () => void): void;
}
/** What anywidget calls `render` with. */
interface Host {
  model: WidgetModel;
  el: HTMLElement;
}
/** Attributes of an element; those whose names begin with `on` are listeners. */
interface Props {
  [name: string]: unknown;
  onclick?: (event: MouseEvent) => void;
  onkeydown?: (event: KeyboardEvent) => void;
  onpointerdown?: (event: PointerEvent) => void;
  onpointermove?: (event: PointerEvent) => void;
  oninput?: (event: Event) => void;
  onchange?: (event: Event) => void;
}
type Child = Node | string;

// ── What single modules of maths are about ─────────────────────────────────────────────────────

/** Sizes of a model and its batch, by the letters of its axes. */
type SizeName = "B" | "S" | "T" | "D" | "H" | "Dff" | "N" | "V" | "Vsrc";
type ModelSizes = Record<SizeName, number> & { tie: string };
/** A block of the Transformer's diagram. */
interface ModelBlock {
  kind: string;
  part: string;
  tq: "S" | "T";
  tk: "S" | "T";
  layered: boolean;
}
/** A tensor on its way through a block, with the formula and the code that make it. */
interface ModelStep {
  tensor: string;
  axes: string;
  formula: string;
  code: string;
}
/** Parameter matrices of one shape; bias: the axes of each one's bias, or "". */
interface ModelMatrices {
  names: string[];
  axes: string;
  bias: string;
}
/** A block as the diagram shows it; parameters and flops are formulas. */
interface ShownBlock extends ModelBlock {
  id: string;
  title: string;
  says: string;
  steps: ModelStep[];
  learned: ModelMatrices[];
  parameters: string;
  flops: string;
}
type FormatName = "float64" | "float32" | "float16";
type FillName = "-inf" | "-1e9" | "-1e4" | "0";
interface MaskOptions {
  fill: FillName;
  format: FormatName;
  /** All scores are 20,000 lower. */
  low: boolean;
  /** A row without any key gets zeros. */
  clear: boolean;
}
interface HiddenUnit {
  weights: number[];
  bias: number;
  out: number;
}
/** A tensor on its way through multi-head attention; axes: t a word, h a head, i a number. */
interface HeadStep {
  code: string;
  holds: "q" | "context";
  axes: "ti" | "thi" | "hti";
  shape: number[];
  strides: number[];
  inOrder: boolean;
  memory: "new" | "same" | "copied";
}
type Merge = [string, string];
type RankedPair = [string, string, number];
interface HeaderEntry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

// ── Pieces of the page ─────────────────────────────────────────────────────────────────────────

/** A line that screen readers speak when it changes. */
interface Status {
  node: HTMLElement;
  say(text: string, english?: string): void;
}
interface Slider {
  node: HTMLElement;
  input: HTMLInputElement;
  set(value: number, text?: string): void;
}
interface Choice {
  node: HTMLElement;
  set(index: number): void;
}
/** A cell of a table is picked: by a press, by the arrow keys, or by the pointer over it. */
type PickCell = (row: number, column: number, how: "press" | "key" | "point") => void;
interface MatrixTable {
  node: HTMLElement;
  table: HTMLTableElement;
  cells: HTMLElement[][];
  update(values: Matrix): void;
  mark(row: number, column: number): void;
}
/** A word of the source as the threads show it. */
interface SourceWord {
  word: string;
  pinyin: string;
  gloss: string;
  isUnknown: boolean;
  lang?: string;
}
interface TargetWord {
  word: string;
  note: string;
  share: number;
  isForced: boolean;
  isEnd: boolean;
}

// ── What widgets ask of their workers ──────────────────────────────────────────────────────────

/**
 * The heavy work of a widget: what is given, and what comes of it, crosses to a worker and back.
 */
type Jobs = Record<string, (given: never, tell: Tell) => unknown>;
/** Hears of a job that is still at work. */
type Tell = (news: unknown) => void;
/** Something that was asked, and has not been answered yet. */
interface PendingJob {
  job: string;
  given: unknown;
  tell: Tell;
  // The promise that run gave away knows what it is for; the list of all of them does not.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  resolve(result: any): void;
  reject(error: unknown): void;
}
interface Engine<J extends Jobs> {
  run<Name extends keyof J>(
    job: Name,
    given: Parameters<J[Name]>[0],
    tell?: Tell,
  ): Promise<Awaited<ReturnType<J[Name]>>>;
  close(): void;
  isWorker(): boolean;
}
/** What the page needs to know of a model that its worker has loaded. */
interface Vocabulary {
  config: Config;
  srcTokens: string[];
  tgtTokens: string[];
  splitter: Tokenizer;
  joiner: Tokenizer;
  reading: TextReading | null;
  /** Of a model that the reader has brought: its languages, each empty where nobody knows it. */
  own?: { src: string; tgt: string };
}
/** The reader's sentence, split into the words of a model, or into pieces of words. */
interface Sentence {
  text: string;
  words: string[];
  ids: number[];
  isUnknown: boolean[];
  /** What the model does not know, each once. */
  strange: string[];
}
interface Likelihood {
  id: number;
  probability: number;
}
interface Counts {
  steps: number;
  multiplications: number;
}
interface Translation {
  steps: (Likelihood & { alternatives: Likelihood[] })[];
  /** Of each part, [layer][head][query]: rows of the words looked at. */
  weights: Record<Part, HeadWeights>;
  counts: Counts;
  milliseconds: number;
}
/** A sentence and its translation, null where nothing of it could be read; forced: the words that
 * the reader has put, by their places. */
interface SentenceAnswer {
  sentence: Sentence;
  result: Translation | null;
  forced: Record<number, number>;
}
/** What a translation that is given meets: (T, V), and where every head looks. */
interface Reading {
  probabilities: Float32Array[];
  weights: Record<Part, HeadWeights>;
}
/**
 * What every head of the encoder did: of each layer the queries, and its heads' contexts, (S, D).
 */
interface HeadReading {
  weights: HeadWeights;
  layers: { q: Rows; context: Rows }[];
}
/** A sentence on its way to the finish: the words so far, and which of them are new. */
interface RaceFrame {
  ids: number[];
  fresh: number[];
}
interface RaceRun {
  ids: number[];
  /** As it was predicted, where it was. */
  length?: number;
  multiplications: number;
  frames: RaceFrame[];
  milliseconds: number;
}
/** Layer and head; null stands for the average of all. */
type HeadPlace = [number, number] | null;

/** The jobs of a widget around a trained model: its worker can forget the model again. */
type LiveJobs = Jobs & { unload(given: { key: string }): void };
interface LiveOptions<J extends LiveJobs> {
  jobs: J;
  title: string;
  classes: string[];
  /** The traits that hold the files of the weights. */
  files: string[];
  /** What is said while they are on their way. */
  loading: string;
  /** What is said where there is no sentence. */
  empty: string;
  /** Whether loading waits until the reader comes near. */
  isPatient?: boolean;
  load(files: ArrayBuffer[], live: { engine: Engine<J>; key: string }): Promise<Vocabulary>;
  onload(): unknown;
  onhide(): void;
  onsentence(text: string): void;
}

/** A model at one moment of its training. */
interface Moment {
  /** Its translation, left to itself. */
  text: string;
  /** What it gave to each word of the last moment's translation. */
  probabilities: number[];
  weights: Record<Part, HeadWeights>;
}
/** The words between which edges run. */
interface EdgeWords {
  config: Config;
  /** The chosen word of the translation. */
  place: number;
  queriesOf(part: Part): string[];
  keysOf(part: Part): string[];
}

/** One word's part of one head, as it is drawn in the tensor's shape and in memory. */
interface Piece {
  word: number;
  head: number;
  shaped: HTMLElement;
  stored: HTMLElement;
}
/** A tensor of heads after a step; rows: its numbers, (T, D), those of a head beside each other. */
interface PiecesState {
  words: string[];
  names: string[];
  numHeads: number;
  /** Of one head. */
  width: number;
  step: HeadStep;
  rows: Rows;
  /** The chosen ones. */
  word: number;
  head: number;
}
/** Weights as a table; the names say more than the labels. */
interface WeightTableState {
  caption: string;
  rows: string[];
  rowNames: string[];
  rowLang: string;
  columns: string[];
  columnNames: string[];
  columnLang: string;
  /** What the columns mean, below their labels. */
  columnGlosses?: string[];
  /** null: not to be seen from there. */
  values: (number | null)[][];
  /** The chosen row, or −1. */
  marked: number;
  /** How many rows are there by now. */
  shown?: number;
}

/** A closed question: how it is answered, and what it asks. */
interface Question {
  kind: "number" | "choice" | "order" | "cells";
  key: string;
  question: string;
  options: string[];
  rows: string[];
  columns: string[];
}
/** A number, the place of a choice, an order of places, or the cells of a matrix. */
type Answer = number | number[] | number[][];
interface AnswerField<Value> {
  node: HTMLElement;
  /** No value while the answer is incomplete, and a problem if there is one. */
  read(): { value?: Value; problem?: string };
  write(value: Value): void;
}
interface ComposerOptions {
  label: string;
  /** The known words. */
  entries(): Entry[];
  /** The line has another text, and no word of it is still being looked for. */
  onchange(text: string): void;
}
interface LoomState {
  kind: Part;
  /** How many target words are there by now. */
  shown: number;
  /** The chosen words. */
  place: number | null;
  sourcePlace: number | null;
  /** The weights of every query. */
  rows: Matrix;
}
