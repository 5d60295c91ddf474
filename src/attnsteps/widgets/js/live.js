// What all widgets around a trained model have in common: they load it, ask it about the reader's
// sentence, say what is wrong with either, and clear up at the end.
import { fileOf, messageOf, startEngine } from "./engine.js";
import { tokenNames, writtenTokens } from "./maths/tokens.js";
import { languagesOf, sentenceLine, strangeNote } from "./sentence_line.js";
import { frame, status, uid } from "./ui.js";

const MOST_CHARACTERS = 300; // of a text that is cut into sentences

/**
 * @template {LiveJobs} J
 */
export class LiveModel {
  /**
   * What there is to know of the model that speaks, once it is there.
   * @type {Vocabulary | null}
   */
  loaded = null;
  /**
   * The same of the model whose files the traits hold.
   * @type {Vocabulary | null}
   */
  own = null;
  /**
   * What is hidden while there is nothing to show.
   * @type {HTMLElement[]}
   */
  parts = [];
  /**
   * How many questions there were of each topic.
   * @type {Map<string, number>}
   */
  #questions = new Map();
  /** @type {(() => void)[]} */
  #undoings = [];

  /**
   * @param {Host} host
   * @param {LiveOptions<J>} options
   */
  constructor({ model, el: host }, options) {
    this.model = model;
    this.options = options;
    this.key = uid();
    this.engine = startEngine(options.jobs, model.get("_esm"), import.meta.url);
    this.root = frame(host, options.title);
    this.root.classList.add(...options.classes);
    this.line = sentenceLine({ model, onchange: options.onsentence });
    this.complaint = status();
    this.news = status(); // what has changed, for readers who cannot see it
    this.news.node.classList.add("tr-news");
    this.isNear = !options.isPatient;
  }

  /**
   * Set traits, which Python then has too.
   * @param {Record<string, unknown>} traits
   */
  set(traits) {
    for (const [trait, value] of Object.entries(traits)) this.model.set(trait, value);
    this.model.save_changes();
  }

  /**
   * Load the model, and call a listener whenever its trait changes.
   * @param {Record<string, () => unknown>} listeners
   */
  start(listeners) {
    this.hide();
    this.line.show();
    for (const [trait, listener] of Object.entries(listeners)) this.#listen(trait, listener);
    for (const trait of this.options.files) this.#listen(trait, () => this.load());
    if (this.isNear) this.load();
    else this.watch((isVisible) => this.#approach(isVisible), "100% 0px"); // a screen ahead
  }

  /**
   * @param {string} trait
   * @param {() => unknown} listener
   */
  #listen(trait, listener) {
    this.model.on(`change:${trait}`, listener);
    this.#undoings.push(() => this.model.off(`change:${trait}`, listener));
  }

  /** @param {boolean} isVisible */
  #approach(isVisible) {
    if (!isVisible || this.isNear) return;
    this.isNear = true;
    this.load();
  }

  /**
   * Say whenever the widget comes into view or leaves it.
   * @param {(isVisible: boolean) => void} onchange
   * @param {string} [rootMargin] how much larger the view is taken to be
   */
  watch(onchange, rootMargin) {
    const observer = new IntersectionObserver(
      (entries) => onchange(entries[entries.length - 1].isIntersecting),
      { rootMargin },
    );
    observer.observe(this.root);
    this.#undoings.push(() => observer.disconnect());
  }

  async load() {
    if (!this.isNear) return;
    const files = this.options.files.map((trait) => this.model.get(trait));
    if (files.some((file) => !file)) {
      this.complaint.say(this.options.loading);
      return;
    }
    try {
      this.own = await this.options.load(files.map(fileOf), this);
    } catch (error) {
      this.loaded = null;
      this.fail(error);
      this.complaint.node.classList.add("aw-bad");
      return;
    }
    this.complaint.node.classList.remove("aw-bad");
    await this.speakWith(this.own);
  }

  /**
   * Let a model speak that the worker has loaded.
   * @param {Vocabulary} vocabulary
   */
  async speakWith(vocabulary) {
    this.loaded = vocabulary;
    this.line.offer(vocabulary);
    await this.options.onload();
  }

  /** The vocabulary of a model that is there. */
  get vocabulary() {
    if (!this.loaded) throw new Error("The model is not there yet.");
    return this.loaded;
  }

  /**
   * The reader's sentences; none before the model is there, and where there is nothing or too much
   * to read, which is said.
   * @returns {Sentence[]}
   */
  readAll() {
    if (!this.loaded) return [];
    this.line.show();
    const sentences = this.line.read(this.loaded);
    const problem = this.#problemOf(sentences);
    if (!problem) return sentences;
    this.hide();
    this.complaint.say(problem);
    return [];
  }

  /** The languages that the model reads and writes. */
  get languages() {
    return languagesOf(this.vocabulary);
  }

  /** The reader's first sentence. @returns {Sentence | null} */
  read() {
    return this.readAll()[0] ?? null;
  }

  /** @param {Sentence[]} sentences */
  #problemOf(sentences) {
    if (sentences.length === 0) return this.options.empty;
    const { reading, own, config } = this.vocabulary;
    if (reading || own) {
      const count = [...this.model.get("text")].length;
      if (count > MOST_CHARACTERS)
        return `That makes ${count} characters; at most ${MOST_CHARACTERS} fit.`;
      const longest = Math.max(...sentences.map(({ ids }) => ids.length));
      return longest > config.max_len
        ? `That makes a sentence of ${longest} pieces; this model reads at most ${config.max_len}.`
        : "";
    }
    const count = sentences[0].words.length;
    const most = this.model.get("max_words");
    return count > most
      ? `That makes ${count} words and marks; this model has learned from short sentences, ` +
          `so at most ${most} fit.`
      : "";
  }

  /**
   * Ask the worker. Where that fails it is said, and the answer is null; so it is where the reader
   * has gone on meanwhile, to another question of the same topic or to nothing at all.
   * @template Answer
   * @param {(isLatest: () => boolean) => Promise<Answer>} work
   * @param {string} [topic]
   * @returns {Promise<Answer | null>}
   */
  async ask(work, topic = "sentence") {
    const number = (this.#questions.get(topic) ?? 0) + 1;
    this.#questions.set(topic, number);
    const isLatest = () => this.#questions.get(topic) === number;
    try {
      const answer = await work(isLatest);
      return isLatest() ? answer : null;
    } catch (error) {
      if (isLatest()) this.fail(error);
      return null;
    }
  }

  /**
   * Show what there is to show of a sentence, or of several.
   * @param {{strange: string[]}} sentence
   */
  reveal({ strange }) {
    for (const part of this.parts) part.hidden = false;
    this.complaint.say(strangeNote(strange, this.vocabulary));
  }

  /** Nothing to show; an answer that is still on its way comes too late. */
  hide() {
    for (const [topic, number] of this.#questions) this.#questions.set(topic, number + 1);
    for (const part of this.parts) part.hidden = true;
    this.news.say("");
    this.options.onhide();
  }

  /** @param {unknown} error */
  fail(error) {
    this.hide();
    this.complaint.say(messageOf(error));
  }

  close() {
    for (const undo of this.#undoings) undo();
    this.engine.close();
    this.options.jobs.unload({ key: this.key });
  }

  // ── Words of the model ───────────────────────────────────────────────────────────────────────

  /**
   * How many tokens a translation may have.
   * @param {number} srcLen
   */
  maxLen(srcLen) {
    const { positions, max_len: most } = this.vocabulary.config;
    return Math.min(2 * srcLen + 10, positions === "learned" ? most : Infinity);
  }

  /** @param {number} id */
  isEnd(id) {
    return id === this.vocabulary.config.eos_id;
  }

  /**
   * What to call the tokens of a translation.
   * @param {number[]} ids
   */
  namesOf(ids) {
    const { tgtTokens, joiner } = this.vocabulary;
    const tokens = ids.map((id) => tgtTokens[id]);
    return tokenNames(tokens, joiner).map((name, n) => (this.isEnd(ids[n]) ? "end" : name));
  }

  /**
   * What to call a token of a translation by itself.
   * @param {number} id
   */
  nameOf(id) {
    return this.namesOf([id])[0];
  }

  /**
   * The words of a translation without its end, each with what stands before it.
   * @param {number[]} ids
   */
  tokensOf(ids) {
    const { tgtTokens, joiner } = this.vocabulary;
    const kept = ids.flatMap((id, place) => (this.isEnd(id) ? [] : [{ id, place }]));
    const tokens = kept.map(({ id }) => tgtTokens[id]);
    const written = writtenTokens(tokens, joiner);
    return kept.map(({ id, place }, n) => ({
      id,
      place,
      token: written[n].text,
      gap: written[n].gap,
    }));
  }

  /**
   * A translation as a text.
   * @param {number[]} ids
   */
  textOf(ids) {
    return this.tokensOf(ids)
      .map(({ gap, token }) => gap + token)
      .join("");
  }

  /**
   * The words of a sentence as the threads show them.
   * @param {Sentence} sentence
   * @returns {SourceWord[]}
   */
  sourceWords({ words, isUnknown }) {
    const { src: lang } = this.languages;
    return words.map((word, n) => ({
      word,
      pinyin: this.line.reading(word),
      gloss: isUnknown[n] ? "unknown" : this.line.gloss(word),
      isUnknown: isUnknown[n],
      lang,
    }));
  }
}
