// The translator's second model, which reads any sentence: it is fetched once it is needed, and the
// small one goes on where it cannot be had.
import { download } from "./download.js";
import { fileOf, messageOf } from "./engine.js";
import { beam } from "./maths/model/beam.js";
import { loadedModel, translating, translationOf } from "./translating.js";
import { button, el, status } from "./ui.js";

const PYTHONS_PATIENCE = 30000; // ms until Python must have answered
export const SEARCH = { beamWidth: 4, alpha: 2 };
export const TOO_LONG = 60; // a sentence of more pieces is written without a beam
const LICENSE = "https://creativecommons.org/licenses/by/2.0/fr/";

export const withBeam = {
  ...translating,
  /**
   * Translate by beam search, and tell at every step what is most probable so far.
   * @param {Parameters<typeof translating.translate>[0] & {beamWidth: number, alpha: number}} given
   * @param {Tell} tell
   * @returns {Translation}
   */
  search({ key, ids, numAlternatives, ...options }, tell) {
    const start = performance.now();
    const found = beam(loadedModel(key), ids, { ...options, onstep: tell });
    return translationOf({ ...found, steps: found.best }, numAlternatives, start);
  },
};

/** @param {number} bytes */
const inMegabytes = (bytes) => (bytes / 1e6).toFixed(1);

export class Everyday {
  /** @type {Vocabulary | null} */
  vocabulary = null;
  /** What stops the loading that is under way. @type {AbortController | null} */
  stopping = null;
  hasFailed = false;
  isDeclined = false; // the reader has cancelled it
  /** The reader's own model, which takes the place of both. @type {{isSpeaking: boolean} | null} */
  guest = null;

  /** @param {import("./live.js").LiveModel<typeof withBeam>} live */
  constructor(live) {
    this.live = live;
    this.key = `${live.key}/everyday`;
    const { bytes = 0 } = this.offered;
    const size = `${inMegabytes(bytes)} MB`;
    this.bar = el("progress", { "aria-label": "How much of the everyday model has come" });
    this.amount = el("span", {});
    this.problem = el("span", {});
    this.count = el("span", {});
    this.begin = button(`Any sentence: load the everyday model (${size})`, () => this.speak());
    const cancel = button("Cancel", () => this.cancel());
    const back = button("Back to the small model", () => this.rest());
    const credit = el("a", { href: "https://tatoeba.org" }, "Tatoeba");
    const license = el("a", { href: LICENSE }, "CC BY 2.0 FR");
    /** @type {Record<string, HTMLElement>} */
    this.states = {
      small: el("div", {}, el("p", {}, this.problem, this.count), this.begin),
      loading: el("div", {}, el("p", {}, this.amount), this.bar, " ", cancel),
      everyday: el(
        "div",
        {},
        el(
          "p",
          {},
          "The everyday model speaks. It has learned English from some 28,000 sentence pairs of ",
          credit,
          " (",
          license,
          "), and makes mistakes.",
        ),
        back,
      ),
    };
    this.news = status();
    this.news.node.classList.add("tr-news");
    this.node = el("div", { class: "tr-models" }, ...Object.values(this.states), this.news.node);
    this.node.hidden = !bytes;
  }

  /**
   * Give the reader's own model its place among those that speak.
   * @param {{isSpeaking: boolean, panel: HTMLElement}} guest
   */
  invite(guest) {
    this.guest = guest;
    this.states.guest = guest.panel;
    this.news.node.before(guest.panel);
  }

  /** What Python and the site say of the file: its bytes, and on the site its address. */
  get offered() {
    return this.live.model.get("everyday") ?? {};
  }

  get isSpeaking() {
    return this.vocabulary !== null && this.live.loaded === this.vocabulary;
  }

  /** Whether what is written is at each place the likeliest word. */
  get isGreedy() {
    return !this.isSpeaking;
  }

  /**
   * Ask the model that speaks for a translation.
   * @param {Omit<Parameters<typeof translating.translate>[0], "key">} given @param {Tell} tell
   */
  translate(given, tell) {
    const { engine, key } = this.live;
    if (!this.isSpeaking) return engine.run("translate", { ...given, key });
    const beamWidth = given.ids.length > TOO_LONG ? 1 : SEARCH.beamWidth;
    return engine.run("search", { ...given, ...SEARCH, beamWidth, key: this.key }, tell);
  }

  /** The small model has met a word that it does not know. */
  offer() {
    const { saveData } = /** @type {any} */ (navigator).connection ?? {};
    const isAllowed = !(this.hasFailed || this.isDeclined || this.guest?.isSpeaking || saveData);
    if (isAllowed && this.offered.bytes && !this.stopping && !this.isSpeaking) this.speak();
  }

  /** Load the model, unless it is there, and let it speak. */
  async speak() {
    const stopping = new AbortController();
    this.stopping = stopping;
    this.tell(0);
    this.show();
    try {
      this.vocabulary ??= await this.#load(stopping.signal);
      if (!stopping.signal.aborted) this.#end(false);
    } catch (error) {
      if (stopping.signal.aborted) return;
      this.problem.textContent = `${messageOf(error)} The small model goes on. `;
      this.#end(true);
    }
    if (this.vocabulary && !stopping.signal.aborted) await this.#handOver(this.vocabulary);
  }

  /** @param {boolean} hasFailed */
  #end(hasFailed) {
    this.hasFailed = hasFailed;
    this.stopping = null;
    this.show();
  }

  /** @param {AbortSignal} signal */
  async #load(signal) {
    const { url } = this.offered;
    const address = url && new URL(url, import.meta.url).href;
    const buffer = address ? await this.#fetch(address, signal) : await this.#fromPython(signal);
    const vocabulary = await this.live.engine.run("load", { key: this.key, buffer });
    if (address) globalThis.dispatchEvent(new CustomEvent("attnsteps:keep", { detail: address }));
    return vocabulary;
  }

  /** @param {string} url @param {AbortSignal} signal */
  async #fetch(url, signal) {
    const options = { signal, tell: this.tell, isAgain: this.hasFailed };
    return download(url, options).catch(() => {
      throw new Error("The everyday model could not be fetched.");
    });
  }

  /**
   * Ask Python for the file, which a notebook does not hold.
   * @param {AbortSignal} signal
   * @returns {Promise<ArrayBuffer>}
   */
  #fromPython(signal) {
    const { live } = this;
    const change = "change:everyday_weights";
    return new Promise((resolve, reject) => {
      /** @param {() => void} settle */
      const end = (settle) => {
        clearTimeout(timer);
        live.model.off(change, receive);
        settle();
      };
      const receive = () => {
        const view = live.model.get("everyday_weights");
        if (view?.byteLength) end(() => resolve(fileOf(view)));
      };
      const silent = new Error("Python does not answer; the website has the everyday model.");
      const timer = setTimeout(() => end(() => reject(silent)), PYTHONS_PATIENCE);
      signal.addEventListener("abort", () => end(() => reject(silent)));
      live.model.on(change, receive);
      live.set({ wants_everyday: true });
    }).finally(() => live.set({ wants_everyday: false }));
  }

  /** @param {Vocabulary} vocabulary */
  async #handOver(vocabulary) {
    const { live } = this;
    await live.speakWith(vocabulary);
    this.show();
    if (Object.keys(live.model.get("forced")).length) live.set({ forced: {} });
  }

  cancel() {
    this.isDeclined = true;
    this.giveWay();
  }

  /** Load no longer. */
  giveWay() {
    this.stopping?.abort();
    this.stopping = null;
    this.show();
  }

  /** Let the small model speak again. */
  rest() {
    this.isDeclined = true;
    if (this.live.own) this.#handOver(this.live.own);
  }

  /** So many bytes have come. @param {unknown} received */
  tell = (received) => {
    const { bytes, url } = this.offered;
    const share = Math.min(1, Number(received) / bytes);
    const known = url ? `${inMegabytes(share * bytes)} of ${inMegabytes(bytes)} MB. ` : "";
    this.amount.textContent =
      `The everyday model is loading. ${known}It is kept for the next time. ` +
      "The small model goes on meanwhile.";
    if (url) this.bar.value = share;
  };

  #state() {
    if (this.stopping) return "loading";
    if (this.guest?.isSpeaking) return "guest";
    return this.isSpeaking ? "everyday" : "small";
  }

  /** Show which model speaks, and what can be done about it. */
  show() {
    const state = this.#state();
    const hadFocus = this.node.contains(document.activeElement);
    for (const [name, node] of Object.entries(this.states)) {
      node.inert = name !== state;
      node.classList.toggle("tr-away", name !== state);
      if (name === state && hadFocus) node.querySelector("button")?.focus();
    }
    if (this.hasFailed) this.begin.textContent = "Try again";
    else if (this.vocabulary) this.begin.textContent = "To the everyday model";
    if (!this.hasFailed) this.problem.textContent = "";
    const words = this.live.own ? `: it knows ${this.live.own.srcTokens.length - 5} words` : "";
    this.count.textContent = this.hasFailed ? "" : `The small model speaks${words}.`;
    const [said] = this.states[state].children;
    const isNews = state !== this.node.dataset.state || state === "guest"; // of another file
    if (isNews) this.news.say(String(said.textContent));
    this.node.dataset.state = state;
  }

  close() {
    this.stopping?.abort();
  }
}
