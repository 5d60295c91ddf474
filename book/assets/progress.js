// Which chapters were read to the end and which exercises were solved: kept in this browser only,
// and shown in the table of contents, with a button that forgets it.

const KEY = "attnsteps:progress";
const HELD = /^attnsteps:/; // all that the book keeps here: answers and guesses, too
const TICK = "✓";

/** @typedef {{read?: boolean, solved: string[], exercises: number}} Progress */

/** @returns {Record<string, Progress>} */
function recall() {
  try {
    return JSON.parse(String(localStorage.getItem(KEY))) ?? {};
  } catch {
    return {}; // storage may be forbidden, or hold what no version of this page wrote
  }
}

/** @param {string} address */
const stemOf = (address) => new URL(address, location.href).pathname.replace(/^.*\/|\.html$/g, "");

const here = stemOf(location.href);
const contents = document.querySelector(".sidebar-tree");
const exercises = document.querySelectorAll('.attnsteps-widget[data-widget="exercise"]').length;

/** @param {(progress: Progress) => void} change */
function note(change) {
  const all = recall();
  const mine = all[here] ?? { solved: [], exercises };
  const before = JSON.stringify(mine);
  change(mine);
  mine.exercises = exercises;
  if (JSON.stringify(mine) === before) return;
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...all, [here]: mine }));
  } catch {
    // Private windows may refuse: then nothing is marked.
  }
  show();
}

/** @param {Progress} progress */
function inWords({ read, solved, exercises: of }) {
  const parts = [read ? "read" : "", of ? `${solved.length} of ${of} exercises solved` : ""];
  return parts.filter(Boolean).join(", ");
}

/** @param {Progress} progress */
function mark(progress) {
  const { read, solved, exercises: of } = progress;
  const node = document.createElement("span");
  node.className = "progress-mark";
  node.title = inWords(progress);
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", node.title);
  node.textContent = [read ? TICK : "", of ? `${solved.length}/${of}` : ""].join(" ").trim();
  return node;
}

function show() {
  if (!contents) return;
  const all = recall();
  for (const old of contents.querySelectorAll(".progress-mark")) old.remove();
  for (const link of contents.querySelectorAll("a")) {
    const progress = all[stemOf(link.href)];
    if (progress?.read || progress?.solved?.length) link.append(" ", mark(progress));
  }
  forget.hidden = Object.keys(all).length === 0;
}

const forget = document.createElement("button");
forget.type = "button";
forget.className = "progress-forget";
forget.textContent = "Forget my progress and answers";
forget.dataset.ask = "Forget which chapters you have read, and all your answers and guesses?";
forget.addEventListener("click", () => {
  if (!confirm(forget.dataset.ask)) return;
  for (const key of Object.keys(localStorage)) if (HELD.test(key)) localStorage.removeItem(key);
  location.reload();
});
contents?.append(forget);

addEventListener("attnsteps:solved", (event) => {
  const { detail } = /** @type {CustomEvent<string>} */ (event);
  note(({ solved }) => solved.includes(detail) || solved.push(detail));
});
const end = document.querySelector(".related-pages");
if (end && /^\d\d_/.test(here)) {
  new IntersectionObserver((entries, observer) => {
    if (!entries.some((entry) => entry.isIntersecting) || scrollY === 0) return;
    observer.disconnect();
    note((mine) => (mine.read = true));
  }).observe(end);
}
show();
