// A closed question, checked on the page; hint and solution stay folded until asked for.

import { answerField, describe, earlierAnswer } from "./answer_field.js";
import { wrongPlaces } from "./maths/answer.js";
import { setTraits } from "./traits.js";
import { button, el, frame, remember } from "./ui.js";

/** @param {Host} host */
function render({ model, el: host }) {
  /** @type {Question} */
  const spec = model.get("spec");
  const root = frame(host, model.get("title"));
  const field = answerField(spec);
  const verdict = el("p", { role: "status", class: "aw-status" });
  const answer = describe(spec, model.get("answer")).replace(/\.$/, ""); // a sentence ends once
  /** @param {string} summary @param {string} text */
  const fold = (summary, text) => el("details", {}, el("summary", {}, summary), el("p", {}, text));

  /** @param {Answer} given */
  function check(given) {
    const wrong = wrongPlaces(spec.kind, given, model.get("answer"), model.get("tolerance"));
    const correct = wrong.length === 0;
    verdict.className = correct ? "aw-good" : "aw-bad";
    verdict.textContent = correct
      ? `✓ Right. ${feedback(given)}`
      : `✗ Not yet. ${feedback(given) || where(wrong)}`;
    setTraits(model, { given, solved: correct });
    if (correct) announce(spec.key);
  }
  /** The site's table of contents counts what is solved. @param {string} detail */
  function announce(detail) {
    host.dispatchEvent(new CustomEvent("attnsteps:solved", { bubbles: true, detail }));
  }
  /** @param {Answer} given @returns {string} */
  function feedback(given) {
    return spec.kind === "choice" ? (model.get("feedback")[String(given)] ?? "") : "";
  }
  /** @param {number[]} wrong */
  function where(wrong) {
    if (spec.kind === "cells") {
      const names = wrong.map((place) => {
        const row = Math.floor(place / spec.columns.length);
        return `(${spec.rows[row]}, ${spec.columns[place % spec.columns.length]})`;
      });
      return `Look again at ${names.join(", ")}.`;
    }
    if (spec.kind === "order") return `The first place that differs is number ${wrong[0] + 1}.`;
    return "";
  }

  const submit = button("Check", () => {
    const { value, problem } = field.read();
    if (value === undefined) {
      verdict.className = "aw-status";
      verdict.textContent = problem ?? "Give a complete answer first.";
      return;
    }
    remember(spec.key, value);
    check(value);
  });
  field.node.addEventListener("input", () => {
    // what was said was about the answer before
    verdict.className = "aw-status";
    verdict.textContent = "";
  });
  root.append(
    field.node,
    el("div", { class: "aw-row" }, submit),
    verdict,
    fold("Hint", model.get("hint")),
    fold("Solution", `${answer}. ${model.get("explanation")}`),
  );

  const earlier = earlierAnswer(spec);
  if (earlier != null) {
    field.write(earlier);
    check(earlier);
  }
}

export default { render };
