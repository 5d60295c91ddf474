// The moments of a training run: a curve of losses over a slider, which goes from moment to moment.
import { shape } from "./drawing.js";
import { el, fmt, slider } from "./ui.js";

/** A picture whose numbers stand beside it. */
export const HIDDEN = { preserveAspectRatio: "none", "aria-hidden": "true" };

/**
 * @param {{steps: number[], losses: number[], moment: number, onpick: (moment: number) => void}}
 *        options
 *        steps: after how many updates each moment was; onpick: the reader has gone to another
 */
export function lossCurve({ steps, losses, moment, onpick }) {
  const last = steps.length - 1;
  const top = 1.06 * Math.max(...losses);
  /** @param {number} n */
  const across = (n) => (100 * n) / last;
  /** @param {number} loss */
  const down = (loss) => 100 * (1 - loss / top);
  const points = losses.map((loss, n) => `${across(n)},${down(loss)}`).join(" ");
  const curve = shape("svg", { ...HIDDEN, viewBox: "0 0 100 100" }, shape("polyline", { points }));
  const dots = losses.map((loss, n) =>
    el("span", { class: "tm-dot", style: `left:${across(n)}%;top:${down(loss)}%` }),
  );
  const tag = el("span", { class: "tm-tag" });
  const ticks = steps.map((step, n) =>
    el("span", { class: "tm-tick", style: `left:${across(n)}%` }, String(step)),
  );
  /** @param {MouseEvent} event */
  const onclick = (event) => {
    const box = plot.getBoundingClientRect();
    const nearest = Math.round((last * (event.clientX - box.left)) / box.width);
    onpick(Math.max(0, Math.min(last, nearest)));
  };
  // The slider does the same as a click here.
  const plot = el("div", { class: "tm-plot", "aria-hidden": "true", onclick }, curve, ...dots, tag);
  const dial = slider({
    label: "Moment",
    min: 0,
    max: last,
    step: 1,
    value: moment,
    format: (n) => `after ${steps[n]} updates: loss ${fmt(losses[n])}`,
    oninput: onpick,
  });
  dial.node.classList.add("tm-dial");
  dial.input.before(plot);
  dial.node.append(el("div", { class: "tm-ticks", "aria-hidden": "true" }, ...ticks));
  return {
    node: dial.node,
    /** @param {number} chosen */
    show(chosen) {
      const loss = losses[chosen];
      dial.set(chosen);
      tag.textContent = fmt(loss);
      tag.style.left = `${across(chosen)}%`;
      tag.style.top = `${down(loss)}%`;
      tag.classList.toggle("tm-low", loss < 0.35 * top);
      tag.classList.toggle("tm-first", chosen === 0);
      tag.classList.toggle("tm-last", chosen === last);
      for (const marks of [dots, ticks]) {
        marks.forEach((mark, n) => mark.classList.toggle("tm-here", n === chosen));
      }
    },
  };
}
