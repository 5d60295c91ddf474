// Brings the book's widgets to life on the static page, without a kernel and without the stock
// html-manager: reads the state and view tags that myst-nb writes, gives each widget a small
// model, and calls its module's render.

class Model {
  #values;
  #listeners = new Map();

  constructor(values) {
    this.#values = { ...values };
  }

  get(name) {
    return this.#values[name];
  }

  set(name, value) {
    if (Object.is(this.#values[name], value)) return;
    this.#values[name] = value;
    for (const type of [`change:${name}`, "change"]) {
      for (const listener of this.#listeners.get(type) ?? []) listener(this, value);
    }
  }

  on(type, listener) {
    if (!this.#listeners.has(type)) this.#listeners.set(type, new Set());
    this.#listeners.get(type).add(listener);
  }

  off(type, listener) {
    this.#listeners.get(type)?.delete(listener);
  }

  save_changes() {} // there is no kernel to save to
}

const here = new URL(".", import.meta.url);

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
const files = new Map();

function fetchBytes(url) {
  if (!files.has(url)) {
    files.set(url, fetch(url).then((answer) => (answer.ok ? answer.arrayBuffer() : new ArrayBuffer(0)))
      .catch(() => new ArrayBuffer(0)).then((buffer) => new DataView(buffer)));
  }
  return files.get(url);
}

async function mount(tag, states) {
  const { model_id: id } = JSON.parse(tag.textContent);
  const { state: { _esm, _css, ...values }, files: binary } = states[id];
  const fetched = Object.entries(binary ?? {}).map(([name, file]) => [name, fetchBytes(new URL(file, here).href)]);
  for (const [name] of fetched) values[name] = null;
  const host = document.createElement("div");
  host.className = "attnsteps-widget";
  tag.after(host);
  try {
    const [module] = await Promise.all([
      import(new URL(_esm, here)),
      addStyles(new URL(_css, here).href),
    ]);
    const model = new Model(values);
    module.default.render({ model, el: host });
    host.dataset.ready = "";
    for (const [name, bytes] of fetched) bytes.then((view) => model.set(name, view));
  } catch (error) {
    host.textContent = "This widget could not start. Reloading the page may help.";
    console.error(error);
  }
}

const states = {};
for (const tag of document.querySelectorAll('script[type="application/vnd.jupyter.widget-state+json"]')) {
  Object.assign(states, JSON.parse(tag.textContent).state);
}
const views = document.querySelectorAll('script[type="application/vnd.jupyter.widget-view+json"]');
await Promise.all([...views].map((tag) => mount(tag, states)));
performance.mark("attnsteps:widgets-ready");
