// A line of Chinese that can be written without a Chinese keyboard: while the reader types pinyin or
// English, the words that it could be are offered.
import { el, uid } from "./ui.js";
import { findWords } from "./maths/words.js";

const OFFERED = 8;

/**
 * @param {{label: string, entries: () => [string, string, string][], onchange: (text: string) => void}}
 *        options entries: the known words with pinyin and gloss; onchange: the line has another text,
 *        and no word of it is still being looked for
 */
export function composer({ label, entries, onchange }) {
  const [id, listId] = [uid(), uid()];
  let offered = []; // entries on offer
  let active = -1; // which of them Enter would take
  let query = ""; // the end of the line before the caret that they could replace
  let isComposing = false; // a Chinese keyboard is at work

  const list = el("ul", { id: listId, class: "co-list", role: "listbox", "aria-label": "Words the model knows", hidden: true });
  const input = el("input", {
    type: "text", id, class: "co-input", lang: "zh", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    role: "combobox", "aria-autocomplete": "list", "aria-controls": listId, "aria-expanded": "false",
    oninput: offer,
    onclick: offer,
    onkeydown: press,
    onblur: close,
    oncompositionstart: () => { isComposing = true; },
    oncompositionend: () => { isComposing = false; offer(); },
  });

  /** What stands before the caret and may be the beginning of a word: Latin letters, or the last sign. */
  function typedSoFar() {
    const before = input.value.slice(0, input.selectionStart ?? input.value.length);
    return /[\p{Script=Latin}\p{M}']+$/u.exec(before)?.[0] ?? /\p{Script=Han}$/u.exec(before)?.[0] ?? "";
  }
  function offer(event) {
    if (isComposing) return;
    query = typedSoFar();
    const isLatin = /^\p{Script=Latin}/u.test(query);
    offered = findWords(query, entries(), OFFERED + 1).filter(([zh]) => zh !== query).slice(0, OFFERED);
    if (event?.type === "click" && !isLatin) offered = [];
    active = offered.length && isLatin ? 0 : -1;
    show();
    if (!(offered.length && isLatin)) onchange(input.value);
  }
  function show() {
    list.hidden = offered.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    list.replaceChildren(...offered.map(([zh, pinyin, gloss], n) => el("li", {
      id: `${listId}-${n}`, role: "option", class: "co-option", "aria-selected": String(n === active),
      onpointerdown: (event) => event.preventDefault(), // the line keeps the focus
      onclick: () => take(n),
    }, el("span", { lang: "zh" }, zh), " ", el("span", { lang: "zh-Latn" }, pinyin), " ", el("span", {}, gloss))));
    mark();
  }
  function mark() {
    [...list.children].forEach((option, n) => option.setAttribute("aria-selected", String(n === active)));
    if (active >= 0) input.setAttribute("aria-activedescendant", `${listId}-${active}`);
    else input.removeAttribute("aria-activedescendant");
    list.children[active]?.scrollIntoView?.({ block: "nearest" });
  }
  function take(n) {
    const caret = input.selectionStart ?? input.value.length;
    const start = caret - query.length;
    if (start < 0 || input.value.slice(start, caret) !== query) { // the caret has gone elsewhere
      close();
      return;
    }
    input.setRangeText(offered[n][0], start, caret, "end");
    drop();
    input.focus();
    onchange(input.value);
  }
  function drop() {
    offered = [];
    active = -1;
    show();
  }
  function close() {
    const wasOpen = !list.hidden;
    drop();
    if (wasOpen) onchange(input.value);
  }
  function press(event) {
    if (list.hidden || isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      active = (active + step + offered.length + (active < 0 && step < 0 ? 1 : 0)) % offered.length;
      mark();
    } else if (event.key === "Enter" && active >= 0) take(active);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  }
  return {
    node: el("div", { class: "co" }, el("label", { for: id }, label), el("div", { class: "co-field" }, input, list)),
    input,
    /** Write another text, unless the reader is in the middle of a word: that will be reported. */
    set(text) {
      const isWriting = isComposing || (!list.hidden && /^\p{Script=Latin}/u.test(query));
      if (input.value !== text && !isWriting) input.value = text;
    },
  };
}
