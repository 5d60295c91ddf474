// Controls and text helpers shared by every widget. Nothing here knows what is being shown.

/**
 * Make an element. Text children become text nodes, so what a reader types is never read as HTML.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Props} [props] attributes; `onclick` and the like are listeners
 * @param {...Child} children
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") {
      node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

/** An id that is unique on the page, also between copies of this module. */
export function uid() {
  return `aw-${Math.random().toString(36).slice(2, 10)}`;
}

/**
 * A number with a true minus sign and a fixed number of decimals; infinities as ∞.
 * @param {number} value @param {number} [digits]
 */
export function fmt(value, digits = 2) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** A power of ten as it is written: 10⁻⁷. @param {number} power */
export function powerOfTen(power) {
  const raised = Array.from(String(power), (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);
  return `10${raised.join("")}`;
}

/** Two digits that matter, and a power of ten: 2.4·10⁻⁷. @param {number} value */
export function scientific(value) {
  const [digits, power] = value
    .toExponential(1)
    .replace("-", value < 0 ? "−" : "-")
    .split("e");
  return `${digits}·${powerOfTen(Number(power))}`;
}

/** A whole number with commas: 1,024. @param {number} value */
export function grouped(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * A probability in percent, in few characters; never rounded to none or to all of it.
 * @param {number} probability
 */
export function asPercent(probability) {
  const value = 100 * probability;
  return value === 0 || value === 100
    ? `${value} %`
    : value >= 99.95
      ? "> 99.9 %"
      : value < 0.1
        ? "< 0.1 %"
        : `${value.toFixed(value < 10 || value > 99 ? 1 : 0)} %`;
}

/**
 * The outer frame of a widget: a labelled group that keeps key events from the notebook around
 * it (JupyterLab would take arrows and letters for its own commands).
 * @param {HTMLElement} host the element anywidget gives to render
 * @param {Child} title short name, shown above the widget
 */
export function frame(host, title) {
  const id = uid();
  const root = el(
    "div",
    { class: "aw", role: "group", "aria-labelledby": id },
    el("p", { class: "aw-title", id }, title),
  );
  for (const type of ["keydown", "keyup", "keypress"]) {
    root.addEventListener(type, (event) => event.stopPropagation());
  }
  host.append(root);
  return root;
}

/**
 * A button with visible text.
 * @param {string} text @param {() => void} onclick @param {Props} [props]
 */
export function button(text, onclick, props = {}) {
  return el("button", { type: "button", class: "aw-button", ...props, onclick }, text);
}

/**
 * A labelled range input with its value beside it.
 * @param {{label: Child, min: number, max: number, step: number, value: number,
 *          format?: (value: number) => string, oninput: (value: number) => void}} options
 * @returns {Slider}
 */
export function slider({ label, min, max, step, value, format = String, oninput }) {
  const id = uid();
  const output = el("output", { for: id, class: "aw-value", "aria-live": "off" });
  const input = el("input", {
    type: "range",
    id,
    min,
    max,
    step,
    value,
    oninput: () => {
      show(format(Number(input.value)));
      oninput(Number(input.value));
    },
  });
  /** @param {string} text */
  function show(text) {
    output.textContent = text;
    input.setAttribute("aria-valuetext", text);
  }
  show(format(value));
  return {
    node: el("div", { class: "aw-control" }, el("label", { for: id }, label), input, output),
    input,
    /** Show a value, also one between two stops, where the thumb cannot stand. */
    set(next, text = format(next)) {
      input.value = String(next);
      show(text);
    },
  };
}

/**
 * The place of the slider's stop that is nearest to a value.
 * @param {number[]} stops @param {number} value
 * @param {(value: number) => number} [scale] on which distances are measured
 */
export function nearestStop(stops, value, scale = Number) {
  const distances = stops.map((stop) => Math.abs(scale(stop) - scale(value)));
  return distances.indexOf(Math.min(...distances));
}

/**
 * A labelled checkbox.
 * @param {{label: Child, checked: boolean, onchange: (isChecked: boolean) => void}} options
 */
export function checkbox({ label, checked, onchange }) {
  const id = uid();
  const input = el("input", {
    type: "checkbox",
    id,
    checked,
    onchange: () => onchange(input.checked),
  });
  return { node: el("div", { class: "aw-check" }, input, el("label", { for: id }, label)), input };
}

/**
 * One choice out of few, as radio buttons in a row.
 * @param {{label: string, options: Child[], selected: number, onchange: (index: number) => void}}
 *        options
 * @returns {Choice}
 */
export function choice({ label, options, selected, onchange }) {
  const name = uid();
  const inputs = options.map((text, index) => {
    const id = uid();
    const input = el("input", {
      type: "radio",
      id,
      name,
      value: index,
      checked: index === selected,
      onchange: () => onchange(index),
    });
    return {
      input,
      node: el("span", { class: "aw-option" }, input, el("label", { for: id }, text)),
    };
  });
  const node = el(
    "fieldset",
    { class: "aw-choice" },
    el("legend", {}, label),
    ...inputs.map((option) => option.node),
  );
  return {
    node,
    set(index) {
      inputs.forEach(({ input }, i) => {
        input.checked = i === index;
      });
    },
  };
}

/**
 * Turn a button off or on; one that goes off under the focus leaves it to another, which goes on.
 * @param {HTMLButtonElement} node @param {boolean} isDisabled @param {HTMLButtonElement} heir
 */
export function disable(node, isDisabled, heir) {
  const hadFocus = document.activeElement === node;
  node.disabled = isDisabled;
  if (!hadFocus || !isDisabled) return;
  heir.disabled = false;
  heir.focus();
}

/**
 * A line that screen readers speak when it changes.
 * @returns {Status}
 */
export function status() {
  const node = el("p", { class: "aw-status", role: "status", "aria-live": "polite" });
  return {
    node,
    say(text, english = "") {
      if (node.textContent === text + english) return;
      node.replaceChildren(text, ...(english ? [el("span", { lang: "en" }, english)] : []));
    },
  };
}

/**
 * Something that happens again and again, until it is stopped.
 * @param {number} pace in milliseconds
 */
export function ticker(pace) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  return {
    /** @param {() => void} tick */
    start(tick) {
      this.stop();
      timer = setInterval(tick, pace);
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
    isRunning: () => timer !== undefined,
  };
}

/** True when the reader asked the system for less motion. */
export function reducedMotion() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * What the browser remembers under `key`, or null; storage may be forbidden.
 * @param {string} key
 */
export function recall(key) {
  try {
    return JSON.parse(String(window.localStorage.getItem(`attnsteps:${key}`)));
  } catch {
    return null;
  }
}

const REMEMBERED = "attnsteps:remembered";

/**
 * Remember a JSON value under `key` where the browser allows it, and tell who follows it.
 * @param {string} key @param {unknown} value
 */
export function remember(key, value) {
  try {
    window.localStorage.setItem(`attnsteps:${key}`, JSON.stringify(value));
  } catch {
    // Private windows may refuse; the widget still works for this visit.
  }
  window.dispatchEvent(new CustomEvent(REMEMBERED, { detail: { key, value } }));
}

/**
 * Call a listener with what is remembered under `key` from now on, in this tab or in another one;
 * returns how to stop that.
 * @param {string} key @param {(value: any) => void} listener
 */
export function followMemory(key, listener) {
  /** @param {Event} event */
  const here = (event) => {
    const { detail } = /** @type {CustomEvent} */ (event);
    if (detail.key === key) listener(detail.value);
  };
  /** @param {StorageEvent} event */
  const elsewhere = (event) => {
    if (event.key === `attnsteps:${key}`) listener(recall(key));
  };
  window.addEventListener(REMEMBERED, here);
  window.addEventListener("storage", elsewhere);
  return () => {
    window.removeEventListener(REMEMBERED, here);
    window.removeEventListener("storage", elsewhere);
  };
}
