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
const root = document.documentElement;

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
 * @typedef {{_esm: string, _css: string[], [name: string]: unknown}} Traits
 * @typedef {{state: Traits, files?: Record<string, string>}} State
 */

/** One widget of the page. */
class Place {
  /** @type {any} */
  module = null;
  drawn = false;

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
      ..._css.map((sheet) => addStyles(new URL(sheet, here).href)),
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
    changing(this.host, () => this.#render());
  }

  #render() {
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
  async fetchFiles() {
    await this.loaded;
    this.draw();
    if (this.state.files) expectModel(this.host);
    for (const [name, file] of Object.entries(this.state.files ?? {}))
      fetchBytes(new URL(file, here).href).then((bytes) => this.model?.set(name, bytes));
  }

  /** @param {unknown} error */
  fail(error) {
    this.drawn = true;
    this.host.dataset.failed = "";
    this.host.textContent = "This widget could not start. Reloading the page may help.";
    console.error(error);
  }
}

/**
 * Draw widgets in the order of the page, each in a task of its own, so that none delays a touch.
 * @param {Place[]} places
 */
async function drawAll(places) {
  for (const place of places) {
    await place.loaded;
    place.draw();
    await new Promise((go) => setTimeout(go));
  }
  performance.mark("attnsteps:widgets-ready");
}

// ── Nothing moves in view ──────────────────────────────────────────────────────────────────────
// How high a widget is depends on the reader's fonts, so a place changes when its widget is drawn,
// and grows once more when a model arrives. What the reader looks at must not move meanwhile: what
// follows a place that begins above the screen, what precedes any other. Browsers would hold on to
// something of their own choice, Safari to nothing, so book.css tells them not to, and this does.

/**
 * Change a place, and let what follows it stay where it is if the place begins above the screen.
 * @param {HTMLElement} host
 * @param {() => void} change
 */
function changing(host, change) {
  const before = host.getBoundingClientRect();
  if (before.bottom > 0 && before.top < innerHeight && !("arriving" in root.dataset)) hold(host);
  change();
  const { bottom } = host.getBoundingClientRect();
  if (before.top < 0) scrollBy({ top: bottom - before.bottom, behavior: "instant" });
  if ("held" in host.dataset) passOn(host);
}

/**
 * A question and the fold with its answer are one box, so what it doesn't need of its held height
 * is kept below the fold.
 * @param {HTMLElement} host
 */
function passOn(host) {
  const fold = host.closest(".cell")?.nextElementSibling;
  if (!fold?.matches("details.answer")) return;
  const held = host.offsetHeight;
  away.unobserve(host);
  delete host.dataset.held;
  const room = document.createElement("div");
  room.style.height = `${held - host.offsetHeight}px`;
  fold.after(room);
  away.observe(room);
}

/**
 * Keep the height of a screen, even if the widget is lower, until the place is out of view: what
 * follows would come into view by itself.
 * @param {HTMLElement} host
 */
function hold(host) {
  host.dataset.held = "";
  away.observe(host);
}

const away = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) continue;
    away.unobserve(target);
    const host = /** @type {HTMLElement} */ (target);
    changing(host, () => {
      delete host.dataset.held;
      host.style.height = "";
    });
  }
});

/**
 * Let what follows a place stay where it is when its model arrives, until a reader's hand is on it.
 * @param {HTMLElement} host
 */
function expectModel(host) {
  let height = host.clientHeight;
  const observer = new ResizeObserver(() => {
    const grown = host.clientHeight - height;
    height += grown;
    if (host.getBoundingClientRect().top < 0) scrollBy({ top: grown, behavior: "instant" });
  });
  observer.observe(host);
  for (const kind of ["pointerdown", "focusin"])
    host.addEventListener(kind, () => observer.disconnect(), { once: true });
}

// ── Arriving ───────────────────────────────────────────────────────────────────────────────────
// A page that is opened at a heading, or once more where it was left, shows its text when all of
// its widgets are drawn and the heading is where it belongs. A line in the page (attnsteps_site)
// tells whether it is, and shows the text after a while if this script does not.

const left = `attnsteps:left:${location.pathname}`;

/** Keep which heading was the last above the screen, and how far. */
function leave() {
  const headings = [...document.querySelectorAll("article section[id]")];
  const above = headings.filter((heading) => heading.getBoundingClientRect().top <= 0).pop();
  const place = above && { id: above.id, top: above.getBoundingClientRect().top };
  sessionStorage.setItem(left, JSON.stringify(place ?? { top: -scrollY }));
}

function arrive() {
  const [visit] = performance.getEntriesByType("navigation");
  const isNew = /** @type {PerformanceNavigationTiming} */ (visit).type === "navigate";
  const place = isNew ? null : JSON.parse(sessionStorage.getItem(left) ?? "null");
  const id = place ? place.id : decodeURIComponent(location.hash.slice(1));
  const target = id ? document.getElementById(id) : root;
  if (place && target) {
    const { top } = target.getBoundingClientRect();
    scrollBy({ top: top - place.top, behavior: "instant" });
  } else if (id) target?.scrollIntoView({ behavior: "instant" });
}

// ───────────────────────────────────────────────────────────────────────────────────────────────

const states = {};
for (const tag of document.querySelectorAll(
  'script[type="application/vnd.jupyter.widget-state+json"]',
)) {
  Object.assign(states, JSON.parse(String(tag.textContent)).state);
}
const tags = document.querySelectorAll('script[type="application/vnd.jupyter.widget-view+json"]');
const places = [...tags].map((tag) => new Place(tag, states));

let hasMoved = false;
for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"])
  addEventListener(kind, () => (hasMoved = true), { once: true, capture: true });

history.scrollRestoration = "manual";
addEventListener("pagehide", leave);
drawAll(places).then(() => {
  if ("arriving" in root.dataset && !hasMoved) arrive();
  delete root.dataset.arriving;
});

// Weights come when their widget is near.
const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      places.find(({ host }) => host === target)?.fetchFiles();
    }
  },
  { rootMargin: "100% 0px" }, // a screen before and behind
);
for (const { host } of places) near.observe(host);
addEventListener("beforeprint", () => {
  for (const place of places) place.draw();
});
