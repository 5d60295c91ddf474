// Brings the book's widgets to life on the static page, without a kernel and without the stock
// html-manager: reads the state and view tags that myst-nb writes, gives each widget a small
// model, and calls its module's render.

class Model {
  /** @type {Record<string, unknown>} */
  #values;
  /** @type {Map<string, Set<(model: Model, value: unknown) => void>>} */
  #listeners = new Map();

  /** @param {Record<string, unknown>} values */
  constructor(values) {
    this.#values = { ...values };
  }

  /** @param {string} name */
  get(name) {
    return this.#values[name];
  }

  /**
   * @param {string} name
   * @param {unknown} value
   */
  set(name, value) {
    if (Object.is(this.#values[name], value)) return;
    this.#values[name] = value;
    for (const type of [`change:${name}`, "change"]) {
      for (const listener of this.#listeners.get(type) ?? []) listener(this, value);
    }
  }

  /**
   * @param {string} type
   * @param {(model: Model, value: unknown) => void} listener
   */
  on(type, listener) {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
  }

  /**
   * @param {string} type
   * @param {(model: Model, value: unknown) => void} listener
   */
  off(type, listener) {
    this.#listeners.get(type)?.delete(listener);
  }

  save_changes() {} // there is no kernel to save to
}

const here = new URL(".", import.meta.url);

/** @param {string} url */
function addStyles(url) {
  if (document.querySelector(`link[href="${url}"]`)) return Promise.resolve();
  return new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = url;
    link.onload = link.onerror = resolve;
    document.head.append(link);
  });
}

// Binary traits lie in files of their own, each fetched once, when its widget comes near the
// screen; a widget shows itself without waiting for them. A file that cannot be had arrives empty,
// and the widget says so.
/** @type {Map<string, Promise<DataView>>} */
const files = new Map();

/** @param {string} url */
function fetchBytes(url) {
  const asked =
    files.get(url) ??
    fetch(url)
      .then((answer) => (answer.ok ? answer.arrayBuffer() : new ArrayBuffer(0)))
      .catch(() => new ArrayBuffer(0))
      .then((buffer) => new DataView(buffer));
  files.set(url, asked);
  return asked;
}

/**
 * @typedef {{state: Record<string, string>, files?: Record<string, string>}} State
 */

/** One widget of the page: asked for at once, drawn later. */
class Place {
  drawn = false;
  /** @type {any} */
  module = null;

  /**
   * @param {Element} tag
   * @param {Record<string, State>} states
   */
  constructor(tag, states) {
    this.host = /** @type {HTMLElement} */ (tag.nextElementSibling); // the page holds its place
    this.state = states[JSON.parse(String(tag.textContent)).model_id];
    const { _esm, _css } = this.state.state;
    this.loaded = Promise.all([
      import(new URL(_esm, here).href),
      addStyles(new URL(_css, here).href),
    ]).then(
      ([module]) => {
        this.module = module;
      },
      (error) => this.fail(error),
    );
  }

  draw() {
    if (this.drawn || !this.module) return;
    this.drawn = true;
    const { _esm, _css, ...values } = this.state.state;
    const names = Object.keys(this.state.files ?? {});
    try {
      this.model = new Model({
        ...values,
        ...Object.fromEntries(names.map((name) => [name, null])),
      });
      this.module.default.render({ model: this.model, el: this.host });
      this.host.dataset.ready = "";
    } catch (error) {
      this.fail(error);
    }
  }

  /** Fetch what the widget shows itself without. */
  fetchFiles() {
    for (const [name, file] of Object.entries(this.state.files ?? {}))
      fetchBytes(new URL(file, here).href).then((bytes) => this.model?.set(name, bytes));
  }

  /** @param {unknown} error */
  fail(error) {
    this.drawn = true;
    this.host.textContent = "This widget could not start. Reloading the page may help.";
    console.error(error);
  }
}

/**
 * Draw widgets, each in a task of its own, so that none delays a touch.
 * @param {Place[]} places
 */
async function drawAll(places) {
  for (const place of places) {
    await place.loaded;
    place.draw();
    await new Promise((go) => setTimeout(go));
  }
}

const states = {};
for (const tag of document.querySelectorAll(
  'script[type="application/vnd.jupyter.widget-state+json"]',
)) {
  Object.assign(states, JSON.parse(String(tag.textContent)).state);
}
const tags = document.querySelectorAll('script[type="application/vnd.jupyter.widget-view+json"]');
const places = [...tags].map((tag) => new Place(tag, states));

// A widget is drawn when it comes near the screen. All others follow the first key or touch, so
// that Tab finds them; on paper all are there at once.
const near = new IntersectionObserver(
  async (entries) => {
    const hosts = entries.filter((entry) => entry.isIntersecting).map(({ target }) => target);
    for (const host of hosts) near.unobserve(host);
    const come = places.filter(({ host }) => hosts.includes(host));
    await drawAll(come);
    for (const place of come) place.fetchFiles();
    performance.mark("attnsteps:widgets-ready");
  },
  { rootMargin: "100% 0px" }, // a screen before and behind
);
for (const { host } of places) near.observe(host);
if (!places.length) performance.mark("attnsteps:widgets-ready");
for (const kind of ["pointerdown", "keydown"])
  addEventListener(kind, () => drawAll(places), { once: true, capture: true });
addEventListener("beforeprint", () => {
  for (const place of places) {
    place.draw();
    place.loaded.then(() => place.draw());
  }
});
