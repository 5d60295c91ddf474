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

// Binary traits lie in files of their own, each fetched once; a widget shows itself without waiting
// for them. A file that cannot be had arrives empty, and the widget says so.
/** @type {Map<string, Promise<DataView>>} */
const files = new Map();

/** @param {string} url */
function fetchBytes(url) {
  if (!files.has(url)) {
    files.set(
      url,
      fetch(url)
        .then((answer) => (answer.ok ? answer.arrayBuffer() : new ArrayBuffer(0)))
        .catch(() => new ArrayBuffer(0))
        .then((buffer) => new DataView(buffer)),
    );
  }
  return files.get(url);
}

/**
 * @param {Element} tag
 * @param {Record<string, {state: Record<string, string>, files?: Record<string, string>}>} states
 */
async function mount(tag, states) {
  const { model_id: id } = JSON.parse(String(tag.textContent));
  const {
    state: { _esm, _css, ...values },
    files: binary,
  } = states[id];
  const fetched = Object.entries(binary ?? {}).map(([name, file]) => ({
    name,
    bytes: fetchBytes(new URL(file, here).href),
  }));
  /** @type {Record<string, unknown>} */
  const traits = values;
  for (const { name } of fetched) traits[name] = null;
  const host = document.createElement("div");
  host.className = "attnsteps-widget";
  tag.after(host);
  try {
    const [module] = await Promise.all([
      import(new URL(_esm, here).href),
      addStyles(new URL(_css, here).href),
    ]);
    const model = new Model(traits);
    module.default.render({ model, el: host });
    host.dataset.ready = "";
    for (const { name, bytes } of fetched) bytes?.then((view) => model.set(name, view));
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
await Promise.all([...views].map((tag) => mount(tag, states)));
performance.mark("attnsteps:widgets-ready");
