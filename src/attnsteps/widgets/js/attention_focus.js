// What the reader has chosen of a translation: an attention, a head, a word on either side; and
// the threads and rows that show it.
import { PARTS_OF_ATTENTION } from "./looks.js";
import { LOOKS, loom } from "./loom.js";
import { choice } from "./ui.js";

export class AttentionFocus {
  /** @type {Part} */
  kind = "cross";
  /**
   * Null for the average of all; undefined before there is a translation.
   * @type {HeadPlace | undefined}
   */
  head;
  /** The chosen word of the translation. @type {number | null} */
  place = null;
  sourcePlace = 0;

  /**
   * @param {{onchange: (isOtherKind: boolean) => void, numLayers: (kind: Part) => number,
   *          canClear?: boolean}} options canClear: whether a word that is pressed again is no
   *        longer chosen
   */
  constructor({ onchange, numLayers, canClear = false }) {
    this.onchange = onchange;
    this.numLayers = numLayers;
    this.canClear = canClear;
    this.threads = loom({
      onsource: (n) => this.chooseSource(n),
      ontarget: (n) => this.chooseTarget(n),
    });
    this.kindChoice = choice({
      label: "Attention:",
      options: Object.values(LOOKS),
      selected: 0,
      onchange: (n) => this.chooseKind(PARTS_OF_ATTENTION[n]),
    });
  }

  get isEncoder() {
    return this.kind === "encoder";
  }

  /** @param {number} n */
  chooseSource(n) {
    this.sourcePlace = n;
    this.chooseKind("encoder");
  }

  /** @param {number} n */
  chooseTarget(n) {
    const isAgain = this.canClear && this.place === n && !this.isEncoder;
    this.place = isAgain ? null : n;
    this.chooseKind(this.isEncoder ? "cross" : this.kind);
  }

  /** @param {Part} kind */
  chooseKind(kind) {
    const isOther = kind !== this.kind;
    this.kind = kind;
    this.kindChoice.set(PARTS_OF_ATTENTION.indexOf(kind));
    if (this.head && this.head[0] >= this.numLayers(kind)) this.head = null;
    this.onchange(isOther);
  }

  /** @param {HeadPlace} head */
  chooseHead(head) {
    this.head = head;
    this.onchange(false);
  }

  /** @param {number} row */
  chooseRow(row) {
    if (this.isEncoder) this.sourcePlace = row;
    else this.place = row;
    this.onchange(false);
  }

  /**
   * Draw the threads.
   * @param {Matrix} rows the weights of every query
   * @param {number} shown how many words of the translation are there
   * @param {number | null} [place] the word of the translation that is looked at
   */
  draw(rows, shown, place = this.place) {
    const { kind, isEncoder, sourcePlace } = this;
    this.threads.update({
      kind,
      shown,
      place: isEncoder ? null : place,
      sourcePlace: isEncoder ? sourcePlace : null,
      rows,
    });
  }

  /**
   * The queries of a table of weights.
   * @param {string[]} words of the source
   * @param {string[]} outputs words of the translation
   * @param {(word: string) => string} named a word of the source with its meaning
   */
  queriesOf(words, outputs, named) {
    return this.isEncoder
      ? { rows: words, rowNames: words.map(named), rowLang: "zh" }
      : { rows: outputs, rowNames: outputs, rowLang: "en" };
  }
}
