// What one word of a translation could be instead: a few words, each with its probability.
import { rove } from "./roving.js";
import { asPercent, button, el } from "./ui.js";

/**
 * @param {number} most how many words there are room for
 * @param {{onpick: (n: number) => void, onrelease: () => void}} options
 */
export function alternativesPanel(most, { onpick, onrelease }) {
  const title = el("p", { class: "tr-heading" });
  const hint = el("p", { class: "aw-note" });
  const rows = Array.from({ length: most }, (_, n) => alternativeRow(() => onpick(n)));
  const release = button("Let the model choose again", () => {
    list.focus(); // the button goes; the words do, too, while the model writes
    onrelease();
  });
  const label = { role: "group", "aria-label": "What it could say here", tabindex: -1 };
  const list = el("div", { class: "tr-alternatives", ...label }, ...rows.map(({ node }) => node));
  rove(list);
  return {
    node: el("div", { class: "tr-panel" }, title, list, hint, release),
    /**
     * @param {{place: number, chosen: number | null, isForced: boolean, isReady: boolean,
     *          alternatives: (Likelihood & {word: string})[]}} state chosen: the id that stands
     *        there, or null where no word is chosen; isForced: whether the reader has put words
     */
    show({ place, chosen, alternatives, isForced, isReady }) {
      title.textContent = chosen === null ? "" : `Word ${place + 1} could be`;
      hint.textContent =
        chosen === null
          ? "Press a word of the translation to see what else it could be, and where the " +
            "model looked."
          : "Press another one to put it there; the model then rewrites the rest.";
      rows.forEach((row, n) => row.show(alternatives[n], chosen));
      if (list.matches(":focus")) rows[0].node.focus();
      release.hidden = !isForced;
      release.disabled = !isReady;
    },
  };
}

/** @param {() => void} onclick */
function alternativeRow(onclick) {
  const bar = el("span", { class: "tr-bar", "aria-hidden": "true" });
  const text = el("span", { class: "tr-alternative-word" });
  const share = el("span", { class: "tr-share" });
  const props = { type: "button", class: "tr-alternative", "aria-pressed": "false", onclick };
  const node = el("button", props, bar, text, share);
  return {
    node,
    /**
     * @param {(Likelihood & {word: string}) | undefined} alternative @param {number | null} chosen
     */
    show(alternative, chosen) {
      node.hidden = !alternative;
      if (!alternative) return;
      const { id, word, probability } = alternative;
      text.textContent = word;
      share.textContent = asPercent(probability);
      bar.style.width = `${100 * probability}%`;
      node.setAttribute("aria-pressed", String(id === chosen));
    },
  };
}
