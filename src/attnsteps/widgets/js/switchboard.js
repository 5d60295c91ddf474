// A switch for every head of a model, in a grid for each part of it: pressed, a head is off.
import { rove } from "./roving.js";
import { asPercent, el } from "./ui.js";

/** @type {Record<Part, string>} */
export const PARTS = {
  encoder: "encoder",
  decoder: "decoder, its own words",
  cross: "decoder, to the source",
};
export const PART_NAMES = /** @type {Part[]} */ (Object.keys(PARTS));

/**
 * @param {{onhead: (part: Part, layer: number, head: number) => void,
 *          onlayer: (part: Part, layer: number) => void}} options
 */
export function switchboard({ onhead, onlayer }) {
  const grids = rove(el("div", { class: "in-grids" }));
  const note = el("p", { class: "aw-note" });
  /** @type {ReturnType<typeof layerRow>[]} */
  let rows = [];
  return {
    grids,
    note,
    /** @param {Config} config */
    make(config) {
      rows = [];
      grids.replaceChildren(
        ...PART_NAMES.map((part) => {
          const own = Array.from({ length: numLayers(config, part) }, (_, layer) =>
            layerRow(part, layer, config.num_heads, { onhead, onlayer }),
          );
          rows.push(...own);
          const body = el("tbody", {}, ...own.map(({ node }) => node));
          const table = el("table", { class: "in-grid" }, el("caption", {}, PARTS[part]), body);
          return el("div", { class: "aw-scroll" }, table);
        }),
      );
    },
    /**
     * @param {{word: string, present: number, screen: Record<Part, number[][]> | null,
     *          isOff: (part: Part, layer: number, head: number) => boolean}} state screen: how
     *        probable the word would be if one more head were switched
     */
    show({ word, present, screen, isOff }) {
      for (const row of rows) row.show({ present, screen, isOff });
      note.textContent =
        `The number says how probable “${word}” would be if you switched this head too, ` +
        `off or on again. Now it is ${asPercent(present)}.`;
    },
  };
}

/** @param {Config} config @param {Part} part */
export function numLayers(config, part) {
  return part === "encoder" ? config.num_encoder_layers : config.num_decoder_layers;
}

/**
 * @param {Part} part @param {number} layer @param {number} numHeads
 * @param {Parameters<typeof switchboard>[0]} options
 */
function layerRow(part, layer, numHeads, { onhead, onlayer }) {
  const name = `${PARTS[part]}, layer ${layer + 1}`;
  const whole = el(
    "button",
    {
      type: "button",
      class: "in-layer",
      "aria-label": `${name}: all heads`,
      onclick: () => onlayer(part, layer),
    },
    `layer ${layer + 1}`,
  );
  const heads = Array.from({ length: numHeads }, (_, head) =>
    headSwitch(`${name}, head ${head + 1}`, head, () => onhead(part, layer, head)),
  );
  const cells = heads.map(({ node }) => el("td", {}, node));
  return {
    node: el("tr", {}, el("th", { scope: "row" }, whole), ...cells),
    /** @param {Omit<Parameters<ReturnType<typeof switchboard>["show"]>[0], "word">} state */
    show({ present, screen, isOff }) {
      heads.forEach((each, head) =>
        each.show(isOff(part, layer, head), screen ? screen[part][layer][head] : null, present),
      );
      const areOff = heads.every((_, head) => isOff(part, layer, head));
      whole.setAttribute("aria-pressed", String(areOff));
    },
  };
}

/** @param {string} name @param {number} head @param {() => void} onclick */
function headSwitch(name, head, onclick) {
  const share = el("span", { class: "in-share" });
  const state = el("span", { class: "in-state" });
  const props = { type: "button", class: "in-head", "aria-pressed": "false", onclick };
  const node = el("button", props, el("span", {}, `H${head + 1}`), state, share);
  return {
    node,
    /**
     * @param {boolean} isOff
     * @param {number | null} would how probable the word would be; null where it is not known yet
     * @param {number} present how probable it is
     */
    show(isOff, would, present) {
      const text = isOff ? "off" : "on";
      const change = would === null ? 0 : Math.min(1, Math.abs(would - present));
      const outcome = would === null ? "" : `; ${asPercent(would)} if switched`;
      node.setAttribute("aria-pressed", String(isOff));
      node.setAttribute("aria-label", `${name}: ${text}${outcome}`);
      node.style.setProperty("--amount", String(change));
      state.textContent = text;
      share.textContent = would === null ? "…" : asPercent(would);
    },
  };
}
