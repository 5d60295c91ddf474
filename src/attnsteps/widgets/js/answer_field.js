// The four ways of giving an answer: a number, a choice, an order, the cells of a matrix.
import { tableHead, tableRow } from "./tables.js";
import { button, el, recall, uid } from "./ui.js";

const ECHOED = 40; // signs of an input that are repeated in a message

/**
 * The node hears of every change as an "input".
 * @param {Question} spec
 * @returns {AnswerField<Answer>}
 */
export function answerField(spec) {
  const fields = { number: numberField, choice: choiceField, order: orderField, cells: cellsField };
  return /** @type {AnswerField<Answer>} */ (fields[spec.kind](spec));
}

/**
 * The answer in words, as the reader would say it.
 * @param {Question} spec @param {Answer | null} value
 */
export function describe(spec, value) {
  if (value == null) return "";
  if (spec.kind === "choice") return spec.options[Number(value)];
  if (spec.kind === "order") {
    const places = /** @type {number[]} */ (value);
    return places.map((index) => spec.options[index]).join(" → ");
  }
  if (spec.kind === "cells") {
    const cells = /** @type {number[][]} */ (value);
    return cells.map((row) => `[${row.map(plain).join(", ")}]`).join(" ");
  }
  return plain(Number(value));
}

/** @param {number} value */
function plain(value) {
  const size = Math.abs(value);
  const shown =
    size < 1e-9 // what is left of a zero
      ? "0"
      : size < 1000 // asking for a locale takes a phone a tenth of a second
        ? String(Number(value.toPrecision(4)))
        : value.toLocaleString("en-US", { maximumFractionDigits: 1 });
  return shown.replace("-", "−");
}

/** @param {number} value */
function exact(value) {
  return String(value).replace("-", "−");
}

/**
 * What the reader answered before, or null; also null if the question has changed since.
 * @param {Question} spec @param {any} [value] what the browser remembers of it
 * @returns {Answer | null}
 */
export function earlierAnswer(spec, value = recall(spec.key)) {
  /** @param {unknown} row @param {number} count */
  const isRow = (row, count) =>
    Array.isArray(row) && row.length === count && row.every(Number.isFinite);
  const fits = {
    number: () => Number.isFinite(value),
    choice: () => Number.isInteger(value) && value in spec.options,
    order: () =>
      isRow(value, spec.options.length) && spec.options.every((_, i) => value.includes(i)),
    cells: () =>
      Array.isArray(value) &&
      value.length === spec.rows.length &&
      value.every((row) => isRow(row, spec.columns.length)),
  }[spec.kind];
  return fits() ? value : null;
}

/**
 * A number as it is written anywhere: 0.5, 0,5, 1/2, −3, 1,050,624, 1 050 624. With a percent sign
 * it is a share, 70 % = 0.7, unless the question asks for percent: then it is 70.
 * @param {string} text @param {string} question
 * @returns {{value?: number; problem?: string}}
 */
function parse(text, question) {
  const [, written, percent] = /^(.*?)\s*([%％]?)$/su.exec(text.trim()) ?? ["", "", ""];
  const clean = written.replaceAll("−", "-").replace(/(\d)\s(?=\d{3}(?!\d))/g, "$1");
  if (clean === "" && !percent) return {};
  const parts = clean.split("/").map((part) => part.trim());
  const unclear = parts.find((part) => /^[-+]?[1-9]\d{0,2},\d{3}$/.test(part));
  if (unclear) {
    return {
      problem:
        `Does the comma of ${unclear} mark thousands or a fraction? Write ` +
        `${unclear.replace(",", "")} or ${unclear.replace(",", ".")}.`,
    };
  }
  const [top, bottom = "1", ...rest] = parts.map((part) =>
    /^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(part)
      ? part.replaceAll(",", "")
      : part.replace(",", "."),
  );
  const unit = percent && !/per ?cent|%|of 100\b/i.test(question) ? 100 : 1;
  const value = Number(top) / Number(bottom) / unit;
  return top && bottom && !rest.length && Number.isFinite(value)
    ? { value }
    : {
        problem: `“${brief(text)}” cannot be read as a number. Write it like 0.5, 1/2 or 40000.`,
      };
}

/** The beginning of what was typed. @param {string} text */
function brief(text) {
  const clean = text.trim();
  return clean.length > ECHOED ? `${clean.slice(0, ECHOED)}…` : clean;
}

/** @param {Question} spec @returns {AnswerField<number>} */
function numberField({ question }) {
  const id = uid();
  const input = el("input", {
    type: "text",
    inputmode: "decimal",
    id,
    size: 10,
    autocomplete: "off",
  });
  return {
    node: el("div", {}, el("p", {}, el("label", { for: id }, question)), input),
    read: () => parse(input.value, question),
    write(value) {
      input.value = exact(value);
    },
  };
}

/** @param {Question} spec @returns {AnswerField<number>} */
function choiceField({ question, options }) {
  const name = uid();
  const inputs = options.map((_, index) =>
    el("input", { type: "radio", name, id: uid(), value: index }),
  );
  const node = el(
    "fieldset",
    { class: "aw-stack" },
    el("legend", {}, question),
    ...options.map((text, index) =>
      el(
        "span",
        { class: "aw-option" },
        inputs[index],
        el("label", { for: inputs[index].id }, text),
      ),
    ),
  );
  return {
    node,
    read() {
      const value = inputs.findIndex((input) => input.checked);
      return value < 0 ? {} : { value };
    },
    write(value) {
      inputs[value].checked = true;
    },
  };
}

/** @param {Question} spec @returns {AnswerField<number[]>} */
function orderField({ question, options }) {
  let order = options.map((_, index) => index);
  const list = el("ol", { class: "aw-order" });
  const id = uid();
  /** @param {number | null} [focusAt] @param {boolean} [isUp] */
  function draw(focusAt = null, isUp = false) {
    const items = order.map((option, place) => {
      const up = button("↑", () => swap(place, place - 1), {
        "aria-label": `Move up: ${options[option]}`,
        disabled: place === 0,
      });
      const down = button("↓", () => swap(place, place + 1), {
        "aria-label": `Move down: ${options[option]}`,
        disabled: place === order.length - 1,
      });
      return el("li", {}, el("span", { class: "aw-row" }, up, down, options[option]));
    });
    list.replaceChildren(...items);
    if (focusAt == null) return;
    const [up, down] = items[focusAt].querySelectorAll("button");
    (isUp ? !up.disabled : down.disabled) ? up.focus() : down.focus();
  }
  /** @param {number} a @param {number} b */
  function swap(a, b) {
    [order[a], order[b]] = [order[b], order[a]];
    draw(b, b < a);
    list.dispatchEvent(new Event("input", { bubbles: true }));
  }
  draw();
  return {
    node: el("div", { role: "group", "aria-labelledby": id }, el("p", { id }, question), list),
    read: () => ({ value: [...order] }),
    write(value) {
      order = [...value];
      draw();
    },
  };
}

/** @param {Question} spec @returns {AnswerField<number[][]>} */
function cellsField({ question, rows, columns }) {
  const id = uid();
  const inputs = rows.map((row) =>
    columns.map((column) =>
      el("input", {
        type: "text",
        inputmode: "decimal",
        size: 5,
        autocomplete: "off",
        "aria-label": `${row}, ${column}`,
      }),
    ),
  );
  const table = el(
    "table",
    { class: "aw-matrix" },
    tableHead(columns),
    el("tbody", {}, ...rows.map((text, r) => tableRow(text, inputs[r]))),
  );
  return {
    node: el(
      "div",
      { role: "group", "aria-labelledby": id },
      el("p", { id }, question),
      el("div", { class: "aw-scroll" }, table),
    ),
    read() {
      const answers = inputs.map((line) => line.map((input) => parse(input.value, question)));
      const open = answers.flat().filter(({ value }) => value === undefined);
      if (open.length) return { problem: open.find(({ problem }) => problem)?.problem };
      return { value: answers.map((line) => line.map(({ value }) => Number(value))) };
    },
    write(value) {
      value.forEach((line, r) =>
        line.forEach((cell, c) => {
          inputs[r][c].value = exact(cell);
        }),
      );
    },
  };
}
