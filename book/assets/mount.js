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
 * Call back once, when an element is at most a screen away from what is seen.
 * @param {Element} element
 * @param {() => void} callback
 */
function whenNear(element, callback) {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      callback();
    },
    { rootMargin: "100% 0px" },
  );
  observer.observe(element);
}

/**
 * @typedef {{state: Record<string, string>, files?: Record<string, string>}} State
 * @typedef {{tag: Element, state: State, loaded: Promise<[any, unknown]>}} Start
 */

/**
 * Ask for the script and the styles of a widget.
 * @param {Element} tag
 * @param {Record<string, State>} states
 * @returns {Start}
 */
function start(tag, states) {
  const state = states[JSON.parse(String(tag.textContent)).model_id];
  const { _esm, _css } = state.state;
  const loaded = Promise.all([
    import(new URL(_esm, here).href),
    addStyles(new URL(_css, here).href),
  ]);
  loaded.catch(() => {}); // mount says what is wrong
  return { tag, state, loaded };
}

/** @param {Start} started */
async function mount({ tag, state, loaded }) {
  const { _esm, _css, ...values } = state.state;
  const binary = Object.entries(state.files ?? {});
  const host = /** @type {HTMLElement} */ (tag.nextElementSibling); // the page holds its place
  try {
    const [module] = await loaded;
    const model = new Model({
      ...values,
      ...Object.fromEntries(binary.map(([name]) => [name, null])),
    });
    module.default.render({ model, el: host });
    host.dataset.ready = "";
    if (binary.length === 0) return;
    whenNear(host, () => {
      for (const [name, file] of binary)
        fetchBytes(new URL(file, here).href).then((bytes) => model.set(name, bytes));
    });
  } catch (error) {
    host.textContent = "This widget could not start. Reloading the page may help.";
    console.error(error);
  }
}

const states = {};
for (const tag of document.querySelectorAll(
  'script[type="application/vnd.jupyter.widget-state+json"]',
)) {
  Object.assign(states, JSON.parse(String(tag.textContent)).state);
}
const views = document.querySelectorAll('script[type="application/vnd.jupyter.widget-view+json"]');
// All are asked for at once; each is then drawn in a task of its own, so that none delays a touch.
for (const started of [...views].map((tag) => start(tag, states))) {
  await mount(started);
  await new Promise((go) => setTimeout(go));
}
performance.mark("attnsteps:widgets-ready");
