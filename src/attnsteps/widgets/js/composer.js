// A line of Chinese that needs no Chinese keyboard: while the reader types pinyin or English, the
// words that it could be are offered.
import { findWords } from "./maths/words.js";
import { el, uid } from "./ui.js";

const OFFERED = 8;
const PROPS = {
  type: "text",
  class: "co-input",
  lang: "zh",
  autocomplete: "off",
  autocapitalize: "off",
  spellcheck: "false",
  role: "combobox",
  "aria-autocomplete": "list",
  "aria-expanded": "false",
};
/** @type {Record<string, number>} */
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

class Composer {
  listId = uid();
  /** @type {Entry[]} */
  offered = [];
  active = -1; // which of them Enter would take
  query = ""; // the end of the line before the caret that they could replace
  isComposing = false; // a Chinese keyboard is at work

  /** @param {ComposerOptions} options */
  constructor(options) {
    const id = uid();
    this.options = options;
    this.list = el("ul", {
      id: this.listId,
      class: "co-list",
      role: "listbox",
      "aria-label": "Words the model knows",
      hidden: true,
    });
    this.input = el("input", {
      ...PROPS,
      id,
      "aria-controls": this.listId,
      oninput: () => this.offer(),
      onclick: () => this.offer(true),
      onkeydown: (event) => this.press(event),
      onblur: () => this.close(),
      oncompositionstart: () => {
        this.isComposing = true;
      },
      oncompositionend: () => {
        this.isComposing = false;
        this.offer();
      },
    });
    const field = el("div", { class: "co-field" }, this.input, this.list);
    this.label = el("label", { for: id }, options.label);
    this.node = el("div", { class: "co" }, this.label, field);
  }

  /** Where the reader is writing. */
  get caret() {
    return this.input.selectionStart ?? this.input.value.length;
  }

  /** Whether the beginning of a word is written in Latin letters. */
  get isLatin() {
    return /^\p{Script=Latin}/u.test(this.query);
  }

  /** What may be the beginning of a word: Latin letters before the caret, or the last sign. */
  typedSoFar() {
    const before = this.input.value.slice(0, this.caret);
    const found = /[\p{Script=Latin}\p{M}']+$/u.exec(before) ?? /\p{Script=Han}$/u.exec(before);
    return found?.[0] ?? "";
  }

  /** @param {boolean} [isClick] */
  offer(isClick = false) {
    if (this.isComposing) return;
    this.query = this.typedSoFar();
    const found = findWords(this.query, this.options.entries(), OFFERED + 1);
    const others = found.filter(([zh]) => zh !== this.query).slice(0, OFFERED);
    this.offered = isClick && !this.isLatin ? [] : others;
    const isUnfinished = this.offered.length > 0 && this.isLatin;
    this.active = isUnfinished ? 0 : -1;
    this.show();
    if (!isUnfinished) this.options.onchange(this.input.value);
  }

  show() {
    this.list.hidden = this.offered.length === 0;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    this.list.replaceChildren(...this.offered.map((entry, n) => this.option(entry, n)));
    this.mark();
  }

  /** @param {Entry} entry @param {number} n */
  option([zh, pinyin, gloss], n) {
    const props = {
      // A press that began would take the focus from the line.
      id: `${this.listId}-${n}`,
      role: "option",
      class: "co-option",
      onpointerdown: /** @param {Event} event */ (event) => event.preventDefault(),
      onclick: () => this.take(n),
    };
    const [word, sound] = [el("span", { lang: "zh" }, zh), el("span", { lang: "zh-Latn" }, pinyin)];
    return el("li", props, word, " ", sound, " ", el("span", {}, gloss));
  }

  mark() {
    const options = [...this.list.children];
    options.forEach((option, n) => option.setAttribute("aria-selected", String(n === this.active)));
    const active = options[this.active];
    if (active) this.input.setAttribute("aria-activedescendant", active.id);
    else this.input.removeAttribute("aria-activedescendant");
    active?.scrollIntoView?.({ block: "nearest" });
  }

  /** @param {number} n */
  take(n) {
    const { input, caret, query } = this;
    const start = caret - query.length;
    if (start < 0 || input.value.slice(start, caret) !== query) {
      this.close(); // the caret has gone elsewhere
      return;
    }
    input.setRangeText(this.offered[n][0], start, caret, "end");
    this.drop();
    input.focus();
    this.options.onchange(input.value);
  }

  drop() {
    this.offered = [];
    this.active = -1;
    this.show();
  }

  close() {
    const wasOpen = !this.list.hidden;
    this.drop();
    if (wasOpen) this.options.onchange(this.input.value);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (this.list.hidden || this.isComposing) return;
    const step = STEPS[event.key];
    if (step) this.move(step);
    else if (event.key === "Enter" && this.active >= 0) this.take(this.active);
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
  }

  /** @param {number} step */
  move(step) {
    const count = this.offered.length;
    const from = this.active < 0 && step < 0 ? 0 : this.active;
    this.active = (from + step + count) % count;
    this.mark();
  }

  /** Ask for a text in another language. @param {string} label @param {string} lang */
  ask(label, lang) {
    this.label.textContent = label;
    this.input.lang = lang;
  }

  /**
   * Write another text, unless the reader is in the middle of a word: that will be reported.
   * @param {string} text
   */
  set(text) {
    const isWriting = this.isComposing || (!this.list.hidden && this.isLatin);
    if (this.input.value !== text && !isWriting) this.input.value = text;
  }
}

/** @param {ComposerOptions} options */
export function composer(options) {
  return new Composer(options);
}
