// Four fields that together name an edge between two words, and a button that cuts it.
import { numLayers, PART_NAMES, PARTS } from "./switchboard.js";
import { button, el, uid } from "./ui.js";

/** One option out of a list, under a label. @param {string} label @param {() => void} [onchange] */
function select(label, onchange = () => {}) {
  const id = uid();
  const input = el("select", { id, class: "in-select", onchange });
  return {
    node: el("span", { class: "in-field" }, el("label", { for: id }, label), input),
    get value() {
      return Number(input.value);
    },
    /** @param {string[]} names */
    fill(names) {
      const chosen = Math.min(Math.max(0, this.value), names.length - 1);
      input.replaceChildren(
        ...names.map((name, n) => el("option", { value: n, selected: n === chosen }, name)),
      );
    },
    /** @param {number} n */
    choose(n) {
      input.value = String(n);
    },
  };
}

/** @param {(edge: Block) => void} oncut */
export function edgeCutter(oncut) {
  /** @type {EdgeWords | null} */
  let words = null;
  const partField = select("In", fill);
  const layerField = select("layer");
  const queryField = select("from", fillKeys);
  const keyField = select("to");
  partField.fill(Object.values(PARTS));
  partField.choose(PART_NAMES.indexOf("cross"));
  const cut = button("Cut this edge", () =>
    oncut({
      part: PART_NAMES[partField.value],
      layer: layerField.value ? layerField.value - 1 : null,
      head: null,
      query: queryField.value,
      key: keyField.value,
    }),
  );
  const fields = [partField, layerField, queryField, keyField].map(({ node }) => node);
  const legend = el(
    "legend",
    { class: "tr-heading" },
    "Edges: stop a word from attending to another",
  );

  function fill() {
    if (!words) return;
    const part = PART_NAMES[partField.value];
    const layers = Array.from({ length: numLayers(words.config, part) }, (_, n) => String(n + 1));
    layerField.fill(["all", ...layers]);
    queryField.fill(numbered(words.queriesOf(part)));
    if (part !== "encoder") queryField.choose(words.place);
    fillKeys();
  }
  function fillKeys() {
    if (!words) return;
    const part = PART_NAMES[partField.value];
    const keys = words.keysOf(part);
    keyField.fill(numbered(part === "decoder" ? keys.slice(0, queryField.value + 1) : keys));
  }
  return {
    node: el("fieldset", { class: "in-edges" }, legend, ...fields, cut),
    /** @param {EdgeWords} present */
    show(present) {
      words = present;
      fill();
    },
  };
}

/** @param {string[]} names */
function numbered(names) {
  return names.map((name, n) => `${n + 1} ${name}`);
}
