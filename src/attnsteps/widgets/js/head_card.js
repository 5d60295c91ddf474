// One head at a glance: a square for every weight, and the word that the chosen one looks at most.
import { shape } from "./drawing.js";
import { el } from "./ui.js";

const FAINT = 0.02; // weights below this are not drawn

/** @param {() => void} onclick */
export function headCard(onclick) {
  const picture = shape("svg", { "aria-hidden": "true" });
  const [name, most, gloss] = ["mh-name", "mh-most", "mh-more"].map((kind) =>
    el("span", { class: kind }),
  );
  const node = el("button", { type: "button", class: "mh-card", onclick }, name, most, gloss);
  node.prepend(picture);
  const outline = shape("rect", { class: "mh-row", x: 0, height: 1 });
  return {
    node,
    /** @param {Float32Array[]} rows */
    setWeights(rows) {
      const size = rows.length;
      picture.setAttribute("viewBox", `-0.1 -0.1 ${size + 0.2} ${size + 0.2}`);
      outline.setAttribute("width", String(size));
      const squares = rows.flatMap((row, y) =>
        [...row].flatMap((weight, x) => (weight < FAINT ? [] : [square(x, y, weight)])),
      );
      const ground = shape("rect", { class: "mh-ground", width: size, height: size });
      picture.replaceChildren(ground, ...squares, outline);
    },
    /**
     * @param {{title: string, short: string, place: number, word: string, share: string,
     *          meaning: string, isChosen: boolean}} state
     */
    show({ title, short, place, word, share, meaning, isChosen }) {
      name.textContent = short;
      most.textContent = `${word} ${share}`;
      gloss.textContent = meaning;
      node.setAttribute("aria-label", `${title} attends most to ${word} ${meaning}, ${share}`);
      outline.setAttribute("y", String(place));
      node.setAttribute("aria-pressed", String(isChosen));
    },
  };
}

/** @param {number} x @param {number} y @param {number} weight */
function square(x, y, weight) {
  return shape("rect", { x, y, width: 1, height: 1, "fill-opacity": weight.toFixed(3) });
}
