// The reader commits to a guess; later on the page the same guess is set against the answer.

import { answerField, describe, earlierAnswer } from "./answer_field.js";
import { isRight } from "./maths/answer.js";
import { setTraits } from "./traits.js";
import { button, el, followMemory, frame, remember, status } from "./ui.js";

/** @param {Host} host */
function render({ model, el: host }) {
  return model.get("answer") === null ? askGuess(model, host) : showAnswer(model, host);
}

/** @param {WidgetModel} model @param {HTMLElement} host */
function askGuess(model, host) {
  const spec = model.get("spec");
  const root = frame(host, "Predict, then read on");
  const field = answerField(spec);
  const reply = status();
  /** @param {Answer | null} guess */
  function showGuess(guess) {
    if (guess == null) return;
    field.write(guess);
    reply.say(`Your guess is remembered: ${describe(spec, guess)}`);
  }
  showGuess(earlierAnswer(spec) ?? model.get("guess"));
  const commit = button("This is my guess", () => {
    const { value: guess, problem } = field.read();
    if (guess === undefined) {
      reply.say(
        problem ?? "Choose or type an answer first; a wrong guess is worth more than none.",
      );
      return;
    }
    remember(spec.key, guess);
    setTraits(model, { guess });
  });
  root.append(field.node, el("div", { class: "aw-row" }, commit), reply.node);
  return followMemory(spec.key, (value) => showGuess(earlierAnswer(spec, value)));
}

/** @param {WidgetModel} model @param {HTMLElement} host */
function showAnswer(model, host) {
  const spec = model.get("spec");
  const answer = model.get("answer");
  const root = frame(host, "Your prediction");
  const guessed = el("p");
  const verdict = el("p", { role: "status" });
  const reveal = el(
    "div",
    { tabindex: -1 },
    el("p", {}, "Answer: ", el("strong", {}, describe(spec, answer))),
    el("p", {}, model.get("explanation")),
  );
  root.append(el("p", { class: "aw-note" }, spec.question), guessed, verdict, reveal);
  /** @param {Answer | null} guess */
  function show(guess) {
    reveal.hidden = false;
    if (guess == null) {
      guessed.textContent = "You have not guessed yet. The answer is hidden below.";
      reveal.hidden = true;
      verdict.replaceChildren(
        button("Show the answer without a guess", () => {
          verdict.replaceChildren();
          guessed.textContent = "";
          reveal.hidden = false;
          reveal.focus(); // the button is gone
        }),
      );
      return;
    }
    const correct = isRight(spec.kind, guess, answer, model.get("tolerance"));
    guessed.textContent = `You guessed: ${describe(spec, guess)}`;
    verdict.className = correct ? "aw-good" : "aw-bad";
    verdict.textContent = correct ? "✓ Your guess was right." : "✗ Your guess was wrong.";
  }
  show(earlierAnswer(spec) ?? model.get("guess"));
  return followMemory(spec.key, (value) => show(earlierAnswer(spec, value)));
}

export default { render };
