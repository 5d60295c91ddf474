// A digit is written code by code: the picture so far, the next code, the nearest training picture.
import { setAttributes, setText, shape } from "./drawing.js";
import { loadWriter, nearestPicture, nextCode, pickCode } from "./maths/digit_writer.js";
import { uniform } from "./maths/random.js";
import { followTraits, setTraits } from "./traits.js";
import {
  asPercent,
  button,
  choice,
  disable,
  el,
  fmt,
  frame,
  reducedMotion,
  slider,
  ticker,
} from "./ui.js";

const TRAITS = ["digit", "temperature", "seed", "codes"];
const COUNT = 16; // codes in a picture, and entries in the codebook
const ACROSS = 4; // patches in a row of the picture
const SIDE = 2; // pixels in a row of a patch
const PIXEL = 12;
const PACE = 220; // ms from one code to the next
const DIGITS = Array.from({ length: 10 }, (_, n) => String(n));

class DigitWriter {
  /** @param {Host} host */
  constructor({ model, el: host }) {
    this.model = model;
    /** It comes when the page has fetched its file. @type {DigitModel | null} */
    this.writer = null;
    const flat = Array.from(model.get("examples"), (number) => Number.parseInt(number, 16));
    /** Which digit, then its codes. */
    this.examples = Array.from({ length: flat.length / (COUNT + 1) }, (_, n) =>
      flat.slice(n * (COUNT + 1), (n + 1) * (COUNT + 1)),
    );
    this.pace = ticker(PACE);
    this.digit = choice({
      label: "The word",
      options: DIGITS,
      selected: 0,
      onchange: (digit) => this.start({ digit }),
    });
    this.temperature = slider({
      label: "Temperature",
      min: 0.1,
      max: 2,
      step: 0.1,
      value: model.get("temperature"),
      format: (value) => fmt(value, 1),
      oninput: (temperature) => setTraits(model, { temperature }),
    });
    this.one = button("Next code", () => {
      this.pace.stop();
      this.write();
    });
    this.all = button("Whole digit", () => this.play());
    this.again = button("Another one", () => this.start({ seed: model.get("seed") + 1 }));
    this.canvas = canvas("dw-written");
    this.other = canvas("dw-nearest");
    this.caption = el("p", { class: "dw-caption" });
    this.about = el("p", { class: "dw-caption" });
    this.shares = Array.from({ length: COUNT }, (_, code) => share(code));
    this.next = el("p", { class: "dw-caption" });
    this.lay(frame(host, "A digit, code by code"));
  }

  /** @param {HTMLElement} root */
  lay(root) {
    root.classList.add("dw");
    const live = { role: "status", "aria-live": "polite" };
    root.append(
      this.digit.node,
      this.temperature.node,
      el("div", { class: "aw-row" }, this.one, this.all, this.again),
      el(
        "div",
        { class: "dw-scene" },
        el(
          "div",
          {},
          el("p", { class: "dw-head" }, "Written so far"),
          this.canvas.node,
          this.caption,
        ),
        el(
          "div",
          {},
          el("p", { class: "dw-head" }, "Nearest training picture"),
          this.other.node,
          el("div", live, this.about),
        ),
        el(
          "div",
          { class: "dw-next" },
          el("p", { class: "dw-head" }, "Probability of the next code"),
          el("ol", { class: "dw-codes", start: 0 }, ...this.shares.map(({ node }) => node)),
          this.next,
        ),
      ),
    );
  }

  get codes() {
    return /** @type {number[]} */ (this.model.get("codes"));
  }

  /** Throw away what is written. @param {Record<string, unknown>} traits */
  start(traits) {
    this.pace.stop();
    setTraits(this.model, { ...traits, codes: [] });
  }

  /** The chances of all codes of this picture, in their order. */
  chances() {
    const next = uniform(this.model.get("seed"));
    return Array.from({ length: COUNT }, () => next());
  }

  /** Read the model's file, once it is there. */
  load() {
    /** @type {DataView<ArrayBuffer> | null} */
    const view = this.model.get("weights");
    this.writer = null;
    try {
      if (view?.byteLength) {
        const { buffer, byteOffset, byteLength } = view;
        this.writer = loadWriter(buffer.slice(byteOffset, byteOffset + byteLength));
        this.shares.forEach((each, code) => each.draw(this.writer?.entries[code]));
      }
      const isLost = view && !view.byteLength;
      setText(this.next, isLost ? "The weights could not be fetched. Reloading may help." : "");
    } catch (error) {
      setText(this.next, error instanceof Error ? error.message : String(error));
    }
    this.refresh();
    if (this.writer) performance.mark("attnsteps:digit-writer-ready");
  }

  /**
   * One more code; the same seed draws the same chances.
   * @param {DigitModel} writer @param {number[]} codes
   */
  after(writer, codes) {
    const { model } = this;
    const shares = nextCode(writer, model.get("digit"), codes, model.get("temperature"));
    return [...codes, pickCode(shares, this.chances()[codes.length])];
  }

  write() {
    const { writer, codes } = this;
    if (writer && codes.length < COUNT) setTraits(this.model, { codes: this.after(writer, codes) });
    if (this.codes.length >= COUNT) this.pace.stop();
  }

  play() {
    if (!this.writer) return;
    if (this.codes.length >= COUNT) this.start({ seed: this.model.get("seed") + 1 });
    if (!reducedMotion()) {
      this.write();
      this.pace.start(() => this.write());
      return;
    }
    let { codes } = this;
    while (this.writer && codes.length < COUNT) codes = this.after(this.writer, codes);
    setTraits(this.model, { codes });
  }

  refresh() {
    const { model, writer, codes } = this;
    const [digit, temperature] = [model.get("digit"), model.get("temperature")];
    this.digit.set(digit);
    this.temperature.set(temperature);
    if (!writer) return;
    const isDone = codes.length >= COUNT;
    disable(this.one, isDone, this.all);
    const shares = nextCode(writer, digit, codes, temperature);
    const most = Math.max(...shares);
    this.shares.forEach((each, code) => each.show(shares[code], !isDone && shares[code] === most));
    setText(this.next, isDone ? "All sixteen codes are written." : "");
    this.canvas.show(
      codes.map((code) => writer.entries[code]),
      codes.length,
      `The word ${digit}, and ${codes.length} of ${COUNT} codes`,
    );
    const list = codes.length ? codes.join(" ") : "none yet";
    setText(this.caption, `Codes: ${list}`);
    this.showNearest(writer, codes);
  }

  /** @param {DigitModel} writer @param {number[]} codes */
  showNearest(writer, codes) {
    const { examples } = this;
    if (!codes.length) {
      this.other.show([], -1, "Nothing to compare yet");
      setText(this.about, "Nothing to compare yet.");
      return;
    }
    const known = examples.map((example) => example.slice(1));
    const { place, distance } = nearestPicture(writer.entries, known, codes);
    const patches = Array.from(known[place], (code) => writer.entries[code]);
    const which = `a ${examples[place][0]}`;
    this.other.show(patches, -1, `The nearest training picture, ${which}`);
    const part = codes.length < COUNT ? ` in the ${codes.length} written` : "";
    const same = distance < 1e-6 ? "the same codes" : `distance ${fmt(distance, 1)}`;
    setText(this.about, `${which}: ${same}${part}`);
  }
}

/** A picture of 4 by 4 patches, in ink on paper. @param {string} name */
function canvas(name) {
  const wide = ACROSS * SIDE * PIXEL;
  const cells = Array.from({ length: COUNT }, (_, t) =>
    pixels((t % ACROSS) * SIDE * PIXEL, Math.floor(t / ACROSS) * SIDE * PIXEL, PIXEL),
  );
  const edge = SIDE * PIXEL;
  const mark = shape("rect", { class: "dw-mark", width: edge, height: edge });
  const node = shape(
    "svg",
    {
      viewBox: `-2 -2 ${wide + 4} ${wide + 4}`,
      width: wide + 4,
      height: wide + 4,
      role: "img",
      "aria-label": "Nothing yet",
      class: name,
    },
    shape("rect", { class: "dw-paper", width: wide, height: wide }),
    ...cells.flat(),
    mark,
  );
  return {
    node,
    /**
     * @param {Vector[]} patches those that there are @param {number} next the place that is marked
     * @param {string} label
     */
    show(patches, next, label) {
      cells.forEach((each, t) => ink(each, patches[t]));
      const isMarked = next >= 0 && next < COUNT;
      setAttributes(mark, {
        x: (next % ACROSS) * edge,
        y: Math.floor(next / ACROSS) * edge,
        visibility: isMarked ? "visible" : "hidden",
      });
      node.setAttribute("aria-label", label);
    },
  };
}

/** The four pixels of a patch. @param {number} x @param {number} y @param {number} side */
function pixels(x, y, side) {
  return Array.from({ length: SIDE * SIDE }, (_, p) =>
    shape("rect", {
      class: "dw-ink",
      x: x + (p % SIDE) * side,
      y: y + Math.floor(p / SIDE) * side,
      width: side,
      height: side,
    }),
  );
}

/** @param {SVGRectElement[]} cells @param {Vector | undefined} patch */
function ink(cells, patch) {
  cells.forEach((cell, p) => cell.setAttribute("fill-opacity", patch ? fmt(patch[p]) : "0"));
}

/** One entry of the codebook, and how probable it is. @param {number} code */
function share(code) {
  const side = 9;
  const cells = pixels(0, 0, side);
  const paper = shape("rect", { class: "dw-paper", width: 2 * side, height: 2 * side });
  const size = { width: 2 * side + 2, height: 2 * side + 2 };
  const box = `-1 -1 ${size.width} ${size.height}`;
  const view = shape("svg", { ...size, viewBox: box, "aria-hidden": "true" }, paper, ...cells);
  const text = el("span", { class: "dw-share" });
  const node = el("li", {}, view, el("span", { class: "dw-code" }, `${code}`), text);
  return {
    node,
    /** @param {Vector | undefined} entry */
    draw: (entry) => ink(cells, entry),
    /** @param {number} probability @param {boolean} isMost */
    show(probability, isMost) {
      setText(text, probability ? asPercent(probability) : "–");
      node.style.setProperty("--amount", fmt(probability, 3));
      node.classList.toggle("dw-most", isMost);
    },
  };
}

/** @param {Host} host */
function render(host) {
  const writer = new DigitWriter(host);
  const unload = followTraits(host.model, ["weights"], () => writer.load());
  const stop = followTraits(host.model, TRAITS, () => writer.refresh());
  return () => {
    writer.pace.stop();
    unload();
    stop();
  };
}

export default { render };
