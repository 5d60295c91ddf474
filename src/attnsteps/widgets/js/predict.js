// The reader commits to a guess, which opens the fold with the answer that follows the question.

import { answerField, describe, earlierAnswer } from "./answer_field.js";
import { isRight } from "./maths/answer.js";
import { followTraits, setTraits } from "./traits.js";
import { button, el, followMemory, frame, remember, status } from "./ui.js";

/** @param {Host} host */
function render({ model, el: host }) {
  const spec = model.get("spec");
  const root = frame(host, "Predict, then read on");
  const field = answerField(spec);
  const reply = status();
  const verdict = el("p", { role: "status" });
  const fold = foldAfter(host);
  /** @type {Answer | null} */
  let guess = null;

  function judge() {
    const answer = model.get("answer");
    if (guess == null || answer == null) return;
    const correct = isRight(spec.kind, guess, answer, model.get("tolerance"));
    verdict.className = correct ? "aw-good" : "aw-bad";
    const said = correct ? "✓ Right." : "✗ Not quite.";
    verdict.textContent = `${said} You guessed: ${describe(spec, guess)}`;
  }
  /** @param {Answer | null} value */
  function take(value) {
    guess = value;
    if (guess == null) return;
    field.write(guess);
    reply.say(`Your guess is remembered: ${describe(spec, guess)}`);
    judge();
  }
  const commit = button("This is my guess", () => {
    const { value, problem } = field.read();
    if (value === undefined) {
      reply.say(
        problem ?? "Choose or type an answer first; a wrong guess is worth more than none.",
      );
      return;
    }
    remember(spec.key, value);
    setTraits(model, { guess: value });
    if (fold) fold.open = true;
  });
  root.append(field.node, el("div", { class: "aw-row" }, commit), reply.node);
  if (fold) fold.firstElementChild?.after(el("div", { class: "aw aw-verdict" }, verdict));
  else root.append(verdict);

  take(earlierAnswer(spec) ?? model.get("guess"));
  const stops = [
    followMemory(spec.key, (value) => take(earlierAnswer(spec, value))),
    followTraits(model, ["answer"], judge), // a kernel computes it after the question is shown
  ];
  return () => stops.forEach((stop) => void stop());
}

/**
 * The fold with the answer, where the page has one in reach: notebooks keep each cell apart.
 * @param {HTMLElement} host @returns {HTMLDetailsElement | null}
 */
function foldAfter(host) {
  const next = host.closest(".cell")?.nextElementSibling;
  return next?.matches("details.answer") ? /** @type {HTMLDetailsElement} */ (next) : null;
}

export default { render };
