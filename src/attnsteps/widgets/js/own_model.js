// A translator that the reader has trained: its file is opened in the page, and never leaves it.
import { messageOf } from "./engine.js";
import { SEARCH, TOO_LONG, withBeam } from "./everyday.js";
import { languagesOf, readsChinese } from "./sentence_line.js";
import { keepModel } from "./translating.js";
import { inMillions, MOST_BYTES, openTranslator } from "./translator_file.js";
import { button, choice, el, grouped, status, uid } from "./ui.js";

const SEARCHES = ["greedy", `beam of ${SEARCH.beamWidth}`];
const NOTE =
  "Trained one yourself? Open its file, or drop it here. It’s read in this page and never " +
  "leaves it.";
const PAIRS = /\.(tsv|csv|txt)$/i;

export const withOwn = {
  ...withBeam,
  /**
   * Read a file that a reader has brought; an error is one sentence for the reader.
   * @param {{key: string, buffer: ArrayBuffer}} given
   */
  async open({ key, buffer }) {
    try {
      const { model, vocabulary, parameters } = await openTranslator(buffer);
      keepModel(key, model);
      const src = readsChinese(vocabulary) ? "zh" : "";
      return { vocabulary: { ...vocabulary, own: { src, tgt: "" } }, parameters };
    } catch (error) {
      const isSaid = error instanceof Error && error.constructor === Error;
      throw isSaid ? error : new Error("It is damaged: its parts don’t fit together.");
    }
  },
};

export class OwnModel {
  /** @type {Vocabulary | null} */
  vocabulary = null;
  key = "";
  isBeam = false;
  /** How many files have been brought. */
  #count = 0;
  /** What spoke before, and of what text. @type {{speaker: Vocabulary, text: string} | null} */
  #before = null;

  /**
   * @param {import("./live.js").LiveModel<typeof withOwn>} live
   * @param {{onswitch: () => void, onsearch: () => void}} options
   *        onswitch: another model is about to speak; onsearch: another search is wanted
   */
  constructor(live, options) {
    this.live = live;
    this.options = options;
    this.said = el("p", {});
    this.search = choice({
      label: "Search:",
      options: SEARCHES,
      selected: 0,
      onchange: (n) => {
        this.isBeam = n === 1;
        options.onsearch();
      },
    });
    const back = button("Back to the book’s translator", () => this.back());
    /** What is said while it speaks. */
    this.panel = el(
      "div",
      { class: "tr-guest" },
      this.said,
      el("div", { class: "aw-row" }, back, this.search.node),
    );
    const note = uid();
    this.picker = el("input", {
      type: "file",
      accept: ".safetensors",
      "aria-describedby": note,
      onchange: () => this.pick(),
    });
    this.problem = status();
    const label = el("label", { class: "aw-button tr-file" }, "Open a translator of your own …");
    label.append(this.picker);
    this.node = el(
      "div",
      { class: "tr-own" },
      label,
      el("p", { class: "aw-note", id: note }, NOTE),
      this.problem.node,
    );
  }

  get isSpeaking() {
    return this.vocabulary !== null && this.live.loaded === this.vocabulary;
  }

  /** Whether what it writes is at each place the likeliest word. */
  get isGreedy() {
    return !this.isBeam;
  }

  /**
   * Ask it for a translation.
   * @param {Omit<Parameters<typeof withOwn.translate>[0], "key">} given @param {Tell} tell
   */
  translate(given, tell) {
    const isWide = this.isBeam && given.ids.length <= TOO_LONG;
    const search = isWide ? SEARCH : { ...SEARCH, beamWidth: 1 }; // a beam of 1 is greedy
    return this.live.engine.run("search", { ...given, ...search, key: this.key }, tell);
  }

  /** The reader has chosen a file. */
  pick() {
    const files = [...(this.picker.files ?? [])];
    this.picker.value = ""; // so that the same file can be chosen again
    if (files.length) this.open(files);
  }

  /** Take files that are dropped. @param {HTMLElement} place */
  takeDrops(place) {
    let depth = 0; // of the elements that the pointer is in
    /** @param {number} now */
    const enter = (now) => {
      depth = Math.max(0, now);
      place.classList.toggle("tr-over", depth > 0);
    };
    /** @type {Record<string, (event: DragEvent) => void>} */
    const listeners = {
      dragenter: () => enter(depth + 1),
      dragleave: () => enter(depth - 1),
      dragover: () => {},
      drop: (event) => {
        enter(0);
        this.open([...(event.dataTransfer?.files ?? [])]);
      },
    };
    for (const [type, listener] of Object.entries(listeners)) {
      place.addEventListener(type, (event) => {
        const drag = /** @type {DragEvent} */ (event);
        if (!drag.dataTransfer?.types.includes("Files")) return; // a text, for the line
        event.preventDefault();
        event.stopPropagation();
        listener(drag);
      });
    }
  }

  /**
   * Open a file and let its model speak; the last one that was brought wins.
   * @param {File[]} files
   */
  async open(files) {
    this.#count += 1;
    const number = this.#count;
    const [file] = files;
    const name = files.length === 1 ? `“${file.name}”` : "Nothing";
    const key = `${this.live.key}/own/${number}`;
    const { engine } = this.live;
    try {
      if (files.length !== 1) throw new Error(`These are ${files.length} files; open one.`);
      this.#say(`${name} is being read …`);
      const buffer = await contentOf(file);
      const { vocabulary, parameters } = await engine.run("open", { key, buffer });
      if (number !== this.#count) {
        engine.run("unload", { key });
        return;
      }
      this.#say("");
      this.said.textContent =
        `${name} speaks: ${inMillions(parameters)} million parameters, ` +
        `${grouped(vocabulary.srcTokens.length)} tokens.`;
      await this.#speak(key, vocabulary);
    } catch (error) {
      if (number !== this.#count) return;
      const verb = files.length === 1 ? "wasn’t opened" : "was opened";
      this.#say(`${name} ${verb}. ${messageOf(error)} The translator is as it was.`, true);
    }
  }

  /** @param {string} text @param {boolean} [isBad] */
  #say(text, isBad = false) {
    this.problem.say(text);
    this.problem.node.classList.toggle("aw-bad", isBad);
  }

  /** @param {string} key @param {Vocabulary} vocabulary */
  async #speak(key, vocabulary) {
    const { live, key: old } = this;
    if (!this.isSpeaking && live.loaded)
      this.#before = { speaker: live.loaded, text: live.model.get("text") };
    this.key = key;
    this.vocabulary = vocabulary;
    this.isBeam = false;
    this.search.set(0);
    await this.#handOver(vocabulary);
    if (old) live.engine.run("unload", { key: old });
  }

  /** Let the book's own model speak again. */
  async back() {
    const { live, key } = this;
    const speaker = this.#before?.speaker ?? live.own;
    if (!speaker) return;
    this.#count += 1; // a file that is still being read comes too late
    this.vocabulary = null;
    this.key = "";
    this.#say("");
    await this.#handOver(speaker);
    live.engine.run("unload", { key });
  }

  /**
   * Let a model speak. A sentence in a language that it doesn't read makes room for what the
   * book's model was asked, or for nothing.
   * @param {Vocabulary} speaker
   */
  #handOver(speaker) {
    const { live } = this;
    const { src } = languagesOf(speaker);
    this.options.onswitch();
    const isOther = live.loaded !== null && live.languages.src !== src;
    const known = this.#before?.text ?? live.model.get("first");
    if (isOther) live.set({ text: src === "zh" ? known : "" });
    if (Object.keys(live.model.get("forced")).length) live.set({ forced: {} });
    return live.speakWith(speaker);
  }
}

/** @param {File} file */
async function contentOf(file) {
  if (PAIRS.test(file.name)) {
    throw new Error(
      "It’s a text. If it holds your pairs, train a translator on them first; chapter 23 says how.",
    );
  }
  if (file.size > MOST_BYTES) {
    const [got, most] = [file.size, MOST_BYTES].map((bytes) => Math.round(bytes / 1e6));
    throw new Error(`It has ${got} MB; at most ${most} MB fit a page.`);
  }
  return file.arrayBuffer().catch(() => {
    throw new Error("The browser could not read it; is it a folder?");
  });
}
