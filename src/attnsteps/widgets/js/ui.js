// Controls and text helpers shared by every widget. Nothing here knows what is being shown.

/**
 * Make an element. Text children become text nodes, so what a reader types is never read as HTML.
 * @param {string} tag
 * @param {Record<string, unknown>} [props] attributes; `onclick` and the like are listeners
 * @param {...(Node|string)} children
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

/** An id that is unique on the page, also between copies of this module. */
export function uid() {
  return `aw-${Math.random().toString(36).slice(2, 10)}`;
}

/** A number with a true minus sign and a fixed number of decimals; infinities as ∞. */
export function fmt(value, digits = 2) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** A whole number with commas: 1,024. */
export function grouped(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A probability in percent, in few characters; never rounded to none or to all of it. */
export function asPercent(probability) {
  const value = 100 * probability;
  return value === 0 || value === 100 ? `${value} %` : value >= 99.95 ? "> 99.9 %" : value < 0.1 ? "< 0.1 %" : `${value.toFixed(value < 10 || value > 99 ? 1 : 0)} %`;
}

/**
 * The outer frame of a widget: a labelled group that keeps key events from the notebook around
 * it (JupyterLab would take arrows and letters for its own commands).
 * @param {HTMLElement} host the element anywidget gives to render
 * @param {string} title short name, shown above the widget
 */
export function frame(host, title) {
  const id = uid();
  const root = el("div", { class: "aw", role: "group", "aria-labelledby": id },
    el("p", { class: "aw-title", id }, title));
  for (const type of ["keydown", "keyup", "keypress"]) {
    root.addEventListener(type, (event) => event.stopPropagation());
  }
  host.append(root);
  return root;
}

/** A button with visible text. */
export function button(text, onclick, props = {}) {
  return el("button", { type: "button", class: "aw-button", ...props, onclick }, text);
}

/**
 * A labelled range input with its value beside it.
 * @param {{label: string, min: number, max: number, step: number, value: number,
 *          format?: (value: number) => string, oninput: (value: number) => void}} options
 */
export function slider({ label, min, max, step, value, format = String, oninput }) {
  const id = uid();
  const output = el("output", { for: id, class: "aw-value", "aria-live": "off" });
  const input = el("input", {
    type: "range", id, min, max, step, value,
    oninput: () => { show(format(Number(input.value))); oninput(Number(input.value)); },
  });
  function show(text) {
    output.textContent = text;
    input.setAttribute("aria-valuetext", text);
  }
  show(format(value));
  return {
    node: el("div", { class: "aw-control" }, el("label", { for: id }, label), input, output),
    input,
    /** Show a value, also one between two stops, where the thumb cannot stand. */
    set(next, text = format(next)) { input.value = String(next); show(text); },
  };
}

/** A labelled checkbox. */
export function checkbox({ label, checked, onchange }) {
  const id = uid();
  const input = el("input", {
    type: "checkbox", id, checked, onchange: () => onchange(input.checked),
  });
  return { node: el("div", { class: "aw-check" }, input, el("label", { for: id }, label)), input };
}

/**
 * One choice out of few, as radio buttons in a row.
 * @param {{label: string, options: string[], selected: number, onchange: (index: number) => void}} options
 */
export function choice({ label, options, selected, onchange }) {
  const name = uid();
  const inputs = options.map((text, index) => {
    const id = uid();
    const input = el("input", {
      type: "radio", id, name, value: index, checked: index === selected,
      onchange: () => onchange(index),
    });
    return { input, node: el("span", { class: "aw-option" }, input, el("label", { for: id }, text)) };
  });
  const node = el("fieldset", { class: "aw-choice" },
    el("legend", {}, label), ...inputs.map((option) => option.node));
  return { node, set(index) { inputs.forEach(({ input }, i) => { input.checked = i === index; }); } };
}

/** Turn a button off or on; one that goes off under the focus leaves it to another, which goes on. */
export function disable(node, isDisabled, heir) {
  const hadFocus = document.activeElement === node;
  node.disabled = isDisabled;
  if (!hadFocus || !isDisabled) return;
  heir.disabled = false;
  heir.focus();
}

/** A line that screen readers speak when it changes. */
export function status() {
  const node = el("p", { class: "aw-status", role: "status", "aria-live": "polite" });
  return { node, say(text) { if (node.textContent !== text) node.textContent = text; } };
}

/**
 * A matrix as a real table; cells are tinted by `tint(value)` in [−1, 1] (sign picks the hue).
 * `update` rewrites numbers in place, so that dragging a control repaints quickly.
 * @param {{caption: string, rows: string[], columns: string[], digits?: number,
 *          tint?: (value: number) => number, corner?: string,
 *          onpick?: (row: number, column: number) => void}} options
 */
export function matrixTable({ caption, rows, columns, digits = 2, tint = null, corner = "", onpick = null }) {
  const cells = rows.map(() => columns.map(() => null));
  const body = rows.map((label, r) => el("tr", {}, el("th", { scope: "row" }, label),
    ...columns.map((_, c) => {
      const holder = onpick
        ? el("button", { type: "button", class: "aw-cell", tabindex: r + c ? -1 : 0 })
        : el("span", { class: "aw-cell" });
      cells[r][c] = holder;
      if (onpick) {
        holder.addEventListener("click", () => pick(r, c));
        holder.addEventListener("focus", () => pick(r, c));
        holder.addEventListener("mousemove", () => onpick(r, c)); // not when a cell scrolls under it
        holder.addEventListener("keydown", (event) => move(event, r, c));
      }
      return el("td", {}, holder);
    })));
  function pick(r, c) {
    for (const line of cells) for (const cell of line) cell.tabIndex = -1;
    cells[r][c].tabIndex = 0;
    onpick(r, c);
  }
  function move(event, r, c) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault(); // at the edge, too: the page stays where it is
    cells[r + step[0]]?.[c + step[1]]?.focus();
  }
  const table = el("table", { class: "aw-matrix" }, el("caption", {}, caption),
    el("thead", {}, el("tr", {}, el("td", { class: "aw-corner" }, corner),
      ...columns.map((label) => el("th", { scope: "col" }, label)))),
    el("tbody", {}, ...body));
  const node = el("div", { class: "aw-scroll", tabindex: onpick ? null : 0, role: "group", "aria-label": caption }, table);
  return {
    node,
    cells,
    /** @param {number[][]} values */
    update(values) {
      values.forEach((line, r) => line.forEach((value, c) => {
        const cell = cells[r][c];
        const text = fmt(value, digits);
        if (cell.textContent !== text) cell.textContent = text;
        if (tint) {
          const amount = tint(value);
          cell.style.setProperty("--amount", String(Math.min(1, Math.abs(amount) || 0)));
          cell.classList.toggle("aw-negative", amount < 0);
        }
      }));
    },
    /** Outline one cell (or none), for linking it to something else on screen. */
    mark(row, column) {
      cells.forEach((line, r) => line.forEach((cell, c) => {
        cell.classList.toggle("aw-marked", r === row && c === column);
      }));
    },
  };
}

/** True when the reader asked the system for less motion. */
export function reducedMotion() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** What the browser remembers under `key`, or null; storage may be forbidden. */
export function recall(key) {
  try {
    return JSON.parse(window.localStorage.getItem(`attnsteps:${key}`));
  } catch {
    return null;
  }
}

/** Remember a JSON value under `key` where the browser allows it. */
export function remember(key, value) {
  try {
    window.localStorage.setItem(`attnsteps:${key}`, JSON.stringify(value));
  } catch {
    // Private windows may refuse; the widget still works for this visit.
  }
}
